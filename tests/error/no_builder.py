"""Statements of the language outside of a kernel."""

import tilelang.language as T

tile = T.alloc_shared((64, 64), "float16")
T.clear(tile)
