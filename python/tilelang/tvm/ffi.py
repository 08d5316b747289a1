"""`tvm.ffi`: the functions of the ABI library that programs use."""


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    from tilelang._ffi import _load_tvm_ffi

    return getattr(_load_tvm_ffi(), name)
