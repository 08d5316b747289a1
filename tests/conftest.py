"""What all Python tests share: a kernel cache of their own, repeatable random tests, rewritable expected texts."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

try:
    import hypothesis
except ImportError:  # a machine that runs the tests on its devices alone
    pass
else:
    hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
    hypothesis.settings.register_profile("search", deadline=None, print_blob=True)
    hypothesis.settings.load_profile(os.environ.get("TL_HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure(config: pytest.Config) -> None:
    """Gives the run an empty kernel cache; the worker processes inherit it."""
    if not hasattr(config, "workerinput"):
        config.kernel_cache_of_run = tempfile.mkdtemp(prefix="tilelang-test-cache-")
        os.environ["TILELANG_CACHE_DIR"] = config.kernel_cache_of_run
        # Tests are of the host, whatever devices are there; those of tests/gpu name their target.
        os.environ["TILELANG_TARGET"] = "c"


def pytest_unconfigure(config: pytest.Config) -> None:
    if cache := getattr(config, "kernel_cache_of_run", None):
        shutil.rmtree(cache, ignore_errors=True)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def tlc() -> Path:
    """The command-line tool on text IR, as `./dev build` leaves it."""
    path = Path(os.environ.get("TL_TLC", ROOT / "build" / "bin" / "tlc"))
    assert path.is_file(), f"{path} is missing; run ./dev build"
    return path


@pytest.fixture(scope="session")
def bless() -> bool:
    """Whether expected texts are rewritten rather than compared (`./dev bless`)."""
    return os.environ.get("TL_BLESS", "0") not in ("", "0")


@pytest.fixture
def expect_text(bless: bool) -> Callable[[Path, str], None]:
    """`expect_text(path, text)` asserts that the file holds exactly that text, or writes it there when blessing."""

    def expect(path: Path, text: str) -> None:
        if bless:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        assert path.is_file(), f"no expected text at {path}; ./dev bless writes it"
        expected = path.read_text()
        if text != expected:
            lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), str(path), "found", lineterm="")
            pytest.fail("\n".join(lines) + "\n(./dev bless rewrites the expected text)", pytrace=False)

    return expect
