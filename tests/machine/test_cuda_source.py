"""The CUDA emitter's programs compile for every machine, without warnings, to the instructions that they ask for."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

import cuda_toolkit
import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.tl"))
MACHINES = ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
# printf and the reduction of large angles keep arrays in memory of their own.
USE_LOCAL_MEMORY = {"control", "elementary"}
# Accesses of 16 bytes in the machine code: loads, stores.
WIDE_ACCESSES = {"vector_add": (2, 1), "bf16_add": (2, 1), "convert": (2, 2), "row_sum": (1, 0)}

needs_compiler = pytest.mark.skipif(
    cuda_toolkit.nvrtc() is None and cuda_toolkit.nvcc() is None, reason="neither NVRTC nor nvcc is installed"
)
needs_disassembler = pytest.mark.skipif(cuda_toolkit.nvdisasm() is None, reason="nvdisasm is not installed")


def emitted(tlc: Path, program: Path, machine: str) -> str:
    command = [tlc, "emit", f"--target={machine}", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@lru_cache
def compiled(tlc: Path, name: str, machine: str) -> bytes:
    source = emitted(tlc, Path(__file__).parent / "programs" / f"{name}.tl", machine)
    cubin, log = cuda_toolkit.compile(source, machine)
    assert log == ""
    return cubin


def code_of(tlc: Path, name: str, machine: str) -> list[str]:
    return cuda_toolkit.machine_code(compiled(tlc, name, machine))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_includes_nothing(tlc: Path, program: Path) -> None:
    assert "#include" not in emitted(tlc, program, "sm_90a")


@needs_compiler
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_compiles(tlc: Path, program: Path, machine: str) -> None:
    assert compiled(tlc, program.stem, machine)


@needs_compiler
@needs_disassembler
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", WIDE_ACCESSES)
def test_vectors_move_in_one_access(tlc: Path, name: str, machine: str) -> None:
    code = code_of(tlc, name, machine)
    loads = [line for line in code if re.search(r"\bLDG\.E\.128", line)]
    stores = [line for line in code if re.search(r"\bSTG\.E\.128", line)]
    assert (len(loads), len(stores)) == WIDE_ACCESSES[name]


@needs_compiler
@needs_disassembler
@pytest.mark.parametrize("machine", MACHINES)
def test_pipelines_load_shared_memory_past_registers(tlc: Path, machine: str) -> None:
    code = code_of(tlc, "pipelined_gemm", machine)
    asynchronous = [line for line in code if "LDGSTS" in line]
    if machine == "sm_75":
        assert asynchronous == []
        return
    # The kernel for aligned tensors: 2 moves a tile, for 2 steps ahead and for the loop.
    assert len(asynchronous) == 2 * 2 * 3
    assert all("LDGSTS.E.BYPASS" in line and ".128" in line for line in asynchronous)
    assert len([line for line in code if "BAR.SYNC" in line]) == 1


@needs_compiler
@needs_disassembler
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_registers_stay_registers(tlc: Path, program: Path, machine: str) -> None:
    code = code_of(tlc, program.stem, machine)
    uses_memory = any(re.search(r"\b(LDL|STL)\b", line) for line in code)
    assert uses_memory == (program.stem in USE_LOCAL_MEMORY)


@needs_compiler
@needs_disassembler
@pytest.mark.parametrize("machine", ["sm_80", "sm_90a", "sm_120a"])
def test_conversions_go_in_pairs(tlc: Path, machine: str) -> None:
    code = code_of(tlc, "convert", machine)
    assert sum(bool(re.search(r"\bF2FP\..*PACK_AB", line)) for line in code) == 8


@needs_compiler
@needs_disassembler
def test_threads_combine_by_shuffles_then_through_shared_memory(tlc: Path) -> None:
    code = code_of(tlc, "row_sum", "sm_90a")
    assert sum("SHFL.BFLY" in line for line in code) == 7
    assert sum("BAR.SYNC" in line for line in code) == 1


@needs_compiler
@needs_disassembler
@pytest.mark.parametrize("machine", MACHINES)
def test_the_bytes_of_a_float_are_not_converted(tlc: Path, machine: str) -> None:
    """The ptxas of CUDA 13.0 converts them where it knows that a 16-bit register holds a float."""
    assert not any(re.search(r"\bF2I\b", line) for line in code_of(tlc, "float_bytes", machine))
