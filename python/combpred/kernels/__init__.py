"""Kernels on inputs and on orders, and low-dimensional maps in which a linear model is a kernel method for many rows.

The kernels on orders, `position_kernel`, `edge_kernel`, `signed_edge_kernel` and `extension_kernel`, return matrices
for ``kernel="precomputed"``, and are callable kernels of estimators whose X holds orders.
"""

from __future__ import annotations

from .._kernel_values import check_kernel_values
from .._row_blocks import row_blocks
from ._indefinite_nystrom import IndefiniteNystromMap
from ._input_kernel import KERNELS, InputKernel
from ._kernel_error import KernelError
from ._nystrom import NystromMap
from ._order_edges import edge_kernel, signed_edge_kernel
from ._order_extension import extension_kernel
from ._order_position import position_kernel
from ._random_projection import RandomProjectionMap

__all__ = [
    "KERNELS",
    "IndefiniteNystromMap",
    "InputKernel",
    "KernelError",
    "NystromMap",
    "RandomProjectionMap",
    "check_kernel_values",
    "edge_kernel",
    "extension_kernel",
    "position_kernel",
    "row_blocks",
    "signed_edge_kernel",
]
