"""Kernels on inputs."""

from __future__ import annotations

from .._kernel_values import check_kernel_values
from .._row_blocks import row_blocks
from ._input_kernel import KERNELS, InputKernel

__all__ = ["KERNELS", "InputKernel", "check_kernel_values", "row_blocks"]
