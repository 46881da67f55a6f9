"""The shape of the code: who imports what, how long a file is, what an installation holds."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hermes_tui

PACKAGE = Path(hermes_tui.__file__).parent
MOST_LINES = 400
HEAVY = {"textual", "apsw", "rich"}

# What a fresh process may have loaded after importing a module and everything below it.
ALLOWED = {
    "hermes_tui": set(),
    "hermes_tui.text": {"rich"},
    "hermes_tui.history": {"apsw"},
    "hermes_tui.recall": {"apsw"},
    "hermes_tui.storage": {"apsw"},
    "hermes_tui.cli": {"apsw", "rich"},  # rich for a progress bar, when there is one
    "hermes_tui.demo": {"apsw"},
    "hermes_tui.tui": HEAVY,
}

IMPORT_ALL = """
import importlib, json, pkgutil, sys
module = importlib.import_module(sys.argv[1])
below = getattr(module, "__path__", ()) if sys.argv[1] != "hermes_tui" else ()
for found in pkgutil.walk_packages(below, module.__name__ + "."):
    if not found.name.endswith("._fts5_cjk"):
        importlib.import_module(found.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_every_package_is_looked_at() -> None:
    packages = {f"hermes_tui.{p.parent.name}" for p in PACKAGE.glob("*/__init__.py")}
    assert packages <= set(ALLOWED)


@pytest.mark.parametrize("module", ALLOWED)
def test_only_the_application_costs_what_it_costs(module: str, tmp_path: Path) -> None:
    """Importing textual takes 200 ms, and a script that searches should not pay for it."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, module],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout))
    assert loaded & HEAVY <= ALLOWED[module]
    assert "sqlite3" not in loaded, "two SQLite libraries in one process do not see their locks"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_no_file_is_too_long(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines < MOST_LINES, f"{path.name} has {lines} lines: split it by what changes together"


def test_an_installation_holds_every_package(repo: Path) -> None:
    project = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))
    named = set(project["tool"]["setuptools"]["packages"])
    found = {
        ".".join(p.parent.relative_to(repo).parts)
        for p in (repo / "hermes_tui").rglob("__init__.py")
    }
    assert named == found


def test_the_package_brings_what_is_no_code() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert list((PACKAGE / "tui").rglob("*.tcss")), "the application has its style sheets"


def test_the_top_of_the_checkout_is_tidy(repo: Path) -> None:
    allowed = {"pyproject.toml", "hermes_tui", "native", "tests", "screenshots", "README.md"}
    found = {p.name for p in repo.iterdir() if not p.name.startswith(".")}
    built = {"build", "hermes_tui.egg-info", "__pycache__"}
    built |= {"snapshot_report.html"}  # of a run in which a picture was another
    assert found - built <= allowed


def test_a_command_does_not_load_what_it_does_not_draw_with(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import hermes_tui.cli, sys; print('rich' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == "False\n"
