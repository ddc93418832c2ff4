"""Kernels on inputs, and low-dimensional maps in which a linear model is a kernel method for many rows."""

from __future__ import annotations

from .._kernel_values import check_kernel_values
from .._row_blocks import row_blocks
from ._indefinite_nystrom import IndefiniteNystromMap
from ._input_kernel import KERNELS, InputKernel
from ._kernel_error import KernelError
from ._nystrom import NystromMap
from ._random_projection import RandomProjectionMap

__all__ = [
    "KERNELS",
    "IndefiniteNystromMap",
    "InputKernel",
    "KernelError",
    "NystromMap",
    "RandomProjectionMap",
    "check_kernel_values",
    "row_blocks",
]
