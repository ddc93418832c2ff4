"""Kernels on inputs and on orders, and feature maps whose inner products approximate a kernel for many rows.

The kernels on orders, `position_kernel`, `edge_kernel`, `signed_edge_kernel` and `extension_kernel`, return matrices
for ``kernel="precomputed"``, and are callable kernels of estimators whose X holds orders.
"""

from __future__ import annotations

from .._lib.kernel import InputKernel
from ._landmarks import IndefiniteNystromMap, NystromMap, RandomProjectionMap
from ._maps import KernelError
from ._orders import edge_kernel, extension_kernel, position_kernel, signed_edge_kernel

__all__ = [
    "IndefiniteNystromMap",
    "InputKernel",
    "KernelError",
    "NystromMap",
    "RandomProjectionMap",
    "edge_kernel",
    "extension_kernel",
    "position_kernel",
    "signed_edge_kernel",
]


def __dir__() -> list[str]:
    return __all__
