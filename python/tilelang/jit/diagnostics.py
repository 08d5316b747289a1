"""The log of compilation phases, for `TILELANG_JIT_DIAGNOSTICS`."""

from __future__ import annotations

import contextlib
import time

from tilelang.env import env
from tilelang.logger import logger


@contextlib.contextmanager
def phase(name: str):
    """Logs when a phase starts, ends and how long it took, where the environment asks for it."""
    if not env.is_jit_diagnostics_enabled():
        yield
        return
    logger.info("TileLang JIT phase start: %s", name)
    start = time.perf_counter()
    try:
        yield
    except BaseException as error:
        logger.info(
            "TileLang JIT phase failed: %s (%.3f s): %s", name, time.perf_counter() - start, type(error).__name__
        )
        raise
    logger.info("TileLang JIT phase done: %s (%.3f s)", name, time.perf_counter() - start)
