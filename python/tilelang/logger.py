"""The package's logger: one handler on stderr that leaves progress bars whole; nothing reaches the root logger."""

from __future__ import annotations

import logging
import sys

logger = logging.getLogger("tilelang")


class _Handler(logging.Handler):
    """Writes to the current `sys.stderr`, above the bars of tqdm where the process has any."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
            tqdm = sys.modules.get("tqdm")
            if tqdm is not None and hasattr(tqdm, "tqdm"):
                tqdm.tqdm.write(text, file=sys.stderr)
            else:
                sys.stderr.write(text + "\n")
        except Exception:
            self.handleError(record)


def configure() -> None:
    """Gives the logger its handler once; a second call, as on reload, changes nothing."""
    if any(type(handler).__name__ == "_Handler" for handler in logger.handlers):
        return
    handler = _Handler()
    handler.setFormatter(logging.Formatter("%(asctime)s [TileLang:%(name)s:%(levelname)s]: %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.INFO)


def set_log_level(level: str | int) -> None:
    """Sets the level of the package's logger: a number, or a name such as "DEBUG". An unknown name means INFO."""
    if isinstance(level, str):
        level = getattr(logging, level.upper(), logging.INFO)
        if not isinstance(level, int):
            level = logging.INFO
    logger.setLevel(level)
