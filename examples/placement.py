"""Where the examples' arrays lie: on the CUDA device, where kernels are compiled for one, else in host memory."""

import numpy as np
from tilelang.backend.target import determine_target, is_cuda


def on_device(*arrays):
    """The NumPy arrays as what kernels take: themselves, or PyTorch tensors on the current CUDA device."""
    if not is_cuda(determine_target()):
        return arrays
    import torch

    return tuple(torch.from_numpy(array).cuda() for array in arrays)


def on_host(array):
    """A kernel's result as a NumPy array."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()
