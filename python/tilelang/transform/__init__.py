"""Configuration of passes."""

from .pass_config import PassConfigKey
from .pass_context import PassContext

__all__ = ["PassConfigKey", "PassContext"]
