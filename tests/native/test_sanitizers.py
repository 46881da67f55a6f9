"""The C tokenizer under the address, leak and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import random
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FUZZ = runpy.run_path(str(HERE / "fuzz.py"), run_name="fuzz")
SANITIZE = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def driver(compiler: str, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("driver") / "driver"
    sources = [str(HERE / "driver.c"), str(root / "native" / "fts5_cjk" / "cjk_unicode61.c")]
    subprocess.run(
        [compiler, *SANITIZE, *sources, "-lsqlite3", "-o", str(built)], check=True, timeout=120
    )
    return built


def _run(driver: Path, mode: str, stdin: bytes = b"") -> str:
    done = subprocess.run([str(driver), mode], input=stdin, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert done.stderr == b""
    return done.stdout.decode()


def test_random_texts_touch_no_byte_they_should_not(driver: Path) -> None:
    rng = random.Random(61)
    texts = [FUZZ["random_text"](rng) for _ in range(5_000)]
    # Words that end in the middle of a character, of every length.
    texts += ["設𠀀é".encode()[:size] for size in range(10)]
    stdin = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    assert _run(driver, "index", stdin) == "5010 texts\n"


def test_every_allocation_may_fail_and_nothing_leaks(driver: Path) -> None:
    failures = int(_run(driver, "no-memory").split()[0])
    assert failures > 100


def test_inside_python_and_its_own_sqlite(compiler: str, root: Path, tmp_path: Path) -> None:
    asan = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(asan).is_file():
        pytest.skip("this compiler's address sanitizer cannot be preloaded into Python")
    library = tmp_path / "libfts5_cjk.so"
    source = root / "native" / "fts5_cjk" / "cjk_unicode61.c"
    subprocess.run(
        [compiler, *SANITIZE, "-shared", "-fPIC", str(source), "-o", str(library)], check=True
    )
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(root),
        "LD_PRELOAD": asan,
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself frees nothing at the end
    }
    done = subprocess.run(
        [sys.executable, str(HERE / "fuzz.py"), str(library), "3000", "61"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("3000 texts")
