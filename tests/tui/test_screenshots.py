"""The pictures of the README show what the program shows."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import hermes_tui

ROOT = Path(__file__).parents[2]
MAKE = ROOT / "screenshots" / "make.py"


def test_the_screenshots_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(MAKE), "--check"],
        env={**os.environ, "PYTHONPATH": str(Path(hermes_tui.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_wide_characters_get_the_room_they_take() -> None:
    spec = importlib.util.spec_from_file_location("make_screenshots", MAKE)
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = make  # dataclasses look their module up
    spec.loader.exec_module(make)
    svg = '<text class="a" x="0" textLength="36.6" clip-path="c">容器a</text>'
    assert 'textLength="61.0"' in make.widened(svg)
    assert make.words_of(make.widened(svg)) == ["容器a"]
    plain = '<text x="0" textLength="36.6">abc</text>'
    assert make.widened(plain) == plain
