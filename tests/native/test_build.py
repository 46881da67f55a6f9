"""The wheel: with the C tokenizer where it can be compiled, and without it everywhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip(
    "setuptools", minversion="77", reason="this setuptools builds no extensions from pyproject.toml"
)
BUILD = "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"


def _wheel(root: Path, folder: Path, compiler: str) -> list[str]:
    """Build from a copy of what belongs to the package; the names in the wheel."""
    for part in ("hermes_tui", "native"):
        ignored = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(root / part, folder / part, ignore=ignored)
    shutil.copyfile(root / "pyproject.toml", folder / "pyproject.toml")
    (folder / "README.md").touch()
    done = subprocess.run(
        [sys.executable, "-c", BUILD],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "CC": compiler},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(folder / "dist" / done.stdout.split()[-1]) as wheel:
        return wheel.namelist()


def test_with_a_compiler(compiler: str, root: Path, tmp_path: Path) -> None:
    names = _wheel(root, tmp_path, compiler)
    assert [n for n in names if n.startswith("hermes_tui/history/_fts5_cjk")]


def test_without_a_compiler_the_install_goes_on(root: Path, tmp_path: Path) -> None:
    names = _wheel(root, tmp_path, str(tmp_path / "no-such-compiler"))
    assert "hermes_tui/history/cjk_words.py" in names
    assert not [n for n in names if "_fts5_cjk" in n]
