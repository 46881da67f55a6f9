# ruff: noqa: E402 - the environment has to be right before anything of ours is imported
"""What every test shares: a quiet environment, the recorded databases, and copies of them.

Histories are opened with apsw only. The standard library's sqlite3 must not be imported in the
process of a test: two SQLite libraries in one process do not see each other's file locks.
"""

from __future__ import annotations

import os
import time

for _name in list(os.environ):
    if _name in ("NO_COLOR", "TEXTUAL_THEME", "COLUMNS", "LINES") or _name.startswith("HERMES_"):
        del os.environ[_name]
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import settings

# The machine may be slow and shared: what counts is the answer, not the milliseconds.
settings.register_profile("hermes_tui", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("hermes_tui")

ROOT = Path(__file__).parents[1]
TOKENIZER_SOURCE = ROOT / "native" / "fts5_cjk" / "cjk_unicode61.c"
STRICT = (
    "-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
    "-shared", "-fPIC",
)  # fmt: skip
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def repo() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded answers and databases beside the checkout."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{SHARED} is missing, and CI must not pass without it")
        pytest.skip("the recorded answers and databases are not beside the checkout")
    return SHARED


@pytest.fixture
def copy_db(shared: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies a recorded database (`state-0.19.0` or `state-0.19.0.db`) to where it may be opened.

    Reading a WAL file leaves -shm and -wal beside it, so the recorded one is never opened itself.
    """

    def copy(name: str) -> Path:
        source = shared / "hermes" / "dbs" / f"{name.removesuffix('.db')}.db"
        target = tmp_path / source.name
        shutil.copyfile(source, target)
        return target

    return copy


@pytest.fixture
def execute() -> Callable[..., list[tuple[Any, ...]]]:
    """Runs SQL against a file of the test's own, writing included: what hostile files are made of.

    Foreign keys and triggers stay on as SQLite has them; `script` may hold many statements.
    """

    def run(path: Path, script: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        connection = apsw.Connection(str(path))
        try:
            return connection.execute(script, params).fetchall()
        finally:
            connection.close()

    return run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, where neither a Hermes history nor a cache lies yet."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler; without one what needs it is skipped."""
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler: the C tokenizer cannot be built here")
    return found


@pytest.fixture(scope="session")
def library(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C tokenizer built from this checkout.

    It has the name Hermes gives it, so that its entry point has to be found by that name.
    """
    built = tmp_path_factory.mktemp("native") / "libfts5_cjk.so"
    command = [compiler, *STRICT, str(TOKENIZER_SOURCE), "-o", str(built)]
    subprocess.run(command, check=True, timeout=120)
    return built


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The command that starts the program under test in a process of its own."""
    return [sys.executable, "-m", "hermes_tui"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Workers of `-n auto`: one more than cores, because tests of the screen mostly wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(8, (cores or 1) + 1)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show what tests marked `figures` have printed: how many answers were compared, and such."""
    for report in terminalreporter.stats.get("passed", ()):
        if report.when == "call" and "figures" in report.keywords and report.capstdout.strip():
            for line in report.capstdout.strip().splitlines():
                terminalreporter.write_line(line)
