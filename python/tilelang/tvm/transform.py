"""`tvm.transform`: a scope of pass configuration."""

from tilelang.transform.pass_context import PassContext

__all__ = ["PassContext"]
