"""The layers of src/ include only what they may: every #include is held to what CMakeLists.txt says."""

from __future__ import annotations

import re

import pytest
from source_tree import ROOT, cpp_files

# The ABI library is seen where Python's arrays and the outside world are, nowhere deeper.
ABI_HEADERS = re.compile(r"^(tvm/ffi|dlpack)/")
ABI_LAYERS = {"binding", "runtime"}

# (from, to): roads that must never open, whatever CMakeLists.txt says.
FORBIDDEN = [
    ("support", "types"),
    ("ir", "target"),
    ("ir", "analysis"),
    ("target", "ir"),
    ("backend", "passes"),
    ("backend", "analysis"),
    ("simulate", "passes"),
    ("simulate", "backend"),
    ("runtime", "ir"),
    ("passes", "backend"),
    ("passes", "simulate"),
    ("passes", "runtime"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def layers() -> dict[str, set[str]]:
    """Each layer with everything it may include, itself among them, from the tl_layer lines of CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text()
    allowed: dict[str, set[str]] = {}
    for name, needs in re.findall(r"^tl_layer\((\w+)(?: NEEDS ([\w ]+))?\)$", text, re.MULTILINE):
        assert set(needs.split()) <= allowed.keys(), f"{name} needs a layer that is not above it in the list"
        allowed[name] = {name}.union(*(allowed[need] for need in needs.split()))
    for name in ("binding", "tools"):
        allowed[name] = {name} | allowed["driver"]
    return allowed


def includes() -> list[tuple[str, str, str, bool]]:
    """(file, its layer, included path, quoted) for every #include under src/ that this project compiles."""
    found = []
    for path in cpp_files():
        if path.parts[0] != "src" or "prelude" in path.parts:
            continue
        for quoted, angled in INCLUDE.findall((ROOT / path).read_text()):
            found.append((path.as_posix(), path.parts[1], quoted or angled, bool(quoted)))
    assert found
    return found


@pytest.mark.parametrize(("above", "below"), FORBIDDEN)
def test_no_road_between(above: str, below: str) -> None:
    assert below not in layers()[above]


def test_every_folder_is_a_layer() -> None:
    folders = {path.parts[1] for path in cpp_files() if path.parts[0] == "src"}
    assert folders <= layers().keys()


def test_includes_follow_the_layers() -> None:
    allowed = layers()
    wrong = [
        f"{file}: {path}"
        for file, layer, path, quoted in includes()
        if quoted and path.split("/")[0] not in allowed[layer] | {"embedded"}
    ]
    assert not wrong, "includes against the direction of dependencies:\n" + "\n".join(wrong)


def test_quoted_includes_are_relative_to_src() -> None:
    generated = re.compile(r"^(embedded/\w+|support/version)\.h$")
    wrong = [
        f"{file}: {path}"
        for file, _, path, quoted in includes()
        if quoted and not generated.match(path) and not (ROOT / "src" / path).is_file()
    ]
    assert not wrong, "quoted includes that name no file under src/:\n" + "\n".join(wrong)


def test_abi_headers_stay_at_the_border() -> None:
    wrong = [
        f"{file}: {path}" for file, layer, path, _ in includes() if ABI_HEADERS.match(path) and layer not in ABI_LAYERS
    ]
    assert not wrong, "headers of the ABI library outside binding and runtime:\n" + "\n".join(wrong)


def test_headers_take_the_light_half_of_fmt() -> None:
    wrong = [f"{file}: {path}" for file, _, path, _ in includes() if path.startswith("fmt/") and file.endswith(".h")]
    heavy = [line for line in wrong if not line.endswith("fmt/core.h")]
    assert not heavy, "headers include fmt/core.h only:\n" + "\n".join(heavy)
