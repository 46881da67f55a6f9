"""The public bug reports beside the checkout, as histories to search."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest


def load_cases(shared: Path) -> dict[str, dict[str, str]]:
    """The cases by id."""
    lines = (shared / "cases/cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def build(
    case: dict[str, str], shared: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Run a case's set-up in `folder`; its names, with `db.path` the history to open."""
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.syspath_prepend(str(shared / "cases"))
    names: dict[str, Any] = {}
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # the folder beside the checkout is not ours to write
    try:
        exec("from prelude import *", names)
        exec(case["setup_sql_or_python"], names)
    finally:
        sys.dont_write_bytecode = written
    return names
