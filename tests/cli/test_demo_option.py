"""--demo: the sample is written once to the cache directory, and every command reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import demo

RUNS = (
    ("search", "docker"),
    ("search", "--json", "docker"),
    ("browse",),
    ("browse", "--json"),
    ("session-search", '{"query": "docker"}'),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(cache))
    return cache


def test_the_sample_is_written_on_first_use(run: Callable[..., Any], cache: Path) -> None:
    assert not cache.exists()
    path = demo.demo_path()
    for arguments in RUNS:
        ran = run(arguments[0], "--demo", *arguments[1:])
        assert (ran.code, ran.err) == (0, "")
        assert "docker" in ran.out.lower() or arguments[0] == "browse"
        stamp = path.stat().st_mtime_ns
    assert path.stat().st_mtime_ns == stamp
    assert path.is_relative_to(cache)


def test_a_conversation_of_the_sample(run: Callable[..., Any], cache: Path) -> None:
    best = run("search", "--demo", "--json", "docker").json["lineages"][0]
    session, message = best["session_id"], best["match_message_id"]
    assert str(message) in run("scroll", "--demo", session, message).out
    assert f"[{message}]" in run("read", "--demo", best["link"]).out


def test_a_cache_that_cannot_be_written(fails: Callable[..., str], cache: Path) -> None:
    cache.write_text("a file in its place")
    for arguments in RUNS:
        assert "cannot be written" in fails(arguments[0], "--demo", *arguments[1:])
    assert "cannot be written" in fails("--demo", "docker")


def test_a_strangers_file_in_its_place(fails: Callable[..., str], cache: Path) -> None:
    path = demo.demo_path()
    path.parent.mkdir(parents=True)
    path.write_text("not a sample")
    assert str(path) in fails("browse", "--demo")
    assert path.read_text() == "not a sample"
