"""The real hermes-agent 0.19.0 in an environment of its own, kept in pytest's cache."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REQUIREMENT = "hermes-agent==0.19.0"
SCRIPT = Path(__file__).parents[1] / "support" / "run_hermes.py"
# What pip says when it cannot reach an index; without one it also finds "no matching distribution".
_UNREACHABLE = re.compile(
    r"connection|timed? ?out|name or service|name resolution|unreachable|no matching distribution",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Hermes:
    """Hermes as a program beside us: files in, answers out."""

    python: Path
    folder: Path

    def run(
        self, db: Path, ask: Sequence[dict[str, Any]] = (), write: dict[str, Any] | None = None
    ) -> list[Any]:
        """Let it write `write` to `db`, and then answer these calls of session_search."""
        job, answers = self.folder / "job.json", self.folder / "answers.json"
        job.write_text(
            json.dumps({"db": str(db), "write": write, "ask": list(ask)}), encoding="utf-8"
        )
        kept = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG", "LC_ALL")
        environ = {name: os.environ[name] for name in kept if name in os.environ}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        environ |= {"HOME": str(home), "HERMES_HOME": str(home / ".hermes"), "TZ": "UTC"}
        done = subprocess.run(
            [str(self.python), str(SCRIPT), str(job), str(answers)],
            env=environ,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2_000:]
        return list(json.loads(answers.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def hermes_python(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment with hermes-agent from PyPI, made once for all workers.

    Without a package index the tests are skipped with that reason; never in CI.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = f"hermes-0.19.0-python{version}"
    cache = getattr(pytestconfig, "cache", None)  # not there with -p no:cacheprovider
    folder = Path(cache.mkdir(name)) if cache else tmp_path_factory.mktemp(name)
    python = folder / "venv" / "bin" / "python"
    with one_at_a_time(folder / "lock"):
        if not ((folder / "ready").exists() and python.exists()):
            make_environment(folder, python)
            (folder / "ready").touch()
    return python


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Holds a lock that only one process can have."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_environment(folder: Path, python: Path) -> None:
    """Makes a virtual environment anew and installs Hermes into it."""
    shutil.rmtree(folder / "venv", ignore_errors=True)
    command = [sys.executable, "-m", "venv", str(folder / "venv")]
    subprocess.run(command, check=True, timeout=120)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Most of it is never imported, so nothing is compiled beforehand.
    done = subprocess.run(
        [*install, "--no-compile", "--retries", "1", REQUIREMENT],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr.strip() or "nothing").splitlines()[-1]
        if _UNREACHABLE.search(done.stderr) and not os.environ.get("CI"):
            pytest.skip(f"{REQUIREMENT} cannot be fetched here: {said}")
        pytest.fail(f"{REQUIREMENT} could not be installed: {said}")


@pytest.fixture(scope="session")
def hermes(hermes_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Hermes:
    return Hermes(hermes_python, tmp_path_factory.mktemp("hermes"))
