"""doctor, optimize-storage and tokenizer install, as they are called."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from old_form import make_inline
from rich.console import Console

from hermes_tui import demo
from hermes_tui.cli.progress import PlainLines, Wish, plain_line, progress_for
from hermes_tui.history import tokenizer
from hermes_tui.storage import optimize as optimizing
from hermes_tui.storage.optimize import Progress

Copy = Callable[[str], Path]
Run = Callable[..., Any]
QUERIES = (
    "docker", "docker networking", '"docker network"', "docker OR postgres",
    "docker NOT networking", "networ*", "migration", "terminal", "tool:terminal docker", "cafe",
    "guava", "容器", "容器网络",
    "项目", "猫", "山", "设定", "my-app.config.ts", "work", "etworkin", "toolonlyneedle role:tool",
    "source:cli docker", "中文测试",
)  # fmt: skip
OLD = {
    "inline": "state-0.19.0-opened-by-2026-08",
    "inline of 0.13": "state-0.13.0-opened-by-2026-08",
    "mid-rebuild": "state-0.19.0-midrebuild-by-2026-08",
    "cjk-pending": "state-2026-08-cjk-pending",
    "cjk-stale": "state-2026-08-cjk-stale",
}


def found(run: Run, path: Path) -> dict[str, Any]:
    """What every query finds: each lineage's hits.

    Left out is what only the agent's route takes for a match: its routes change with the indexes.
    """
    answers = {}
    for query in QUERIES:
        answer = run("search", "--json", "--db", path, "--limit", 50, query).json
        assert answer["complete"]
        answers[query] = sorted(
            (line["root"], sorted(line["hits"]))
            for line in answer["lineages"]
            if line["label"] != "agent_only"
        )
    return answers


@pytest.mark.shared
@pytest.mark.parametrize("kind", OLD)
def test_it_ends_healthy_and_finds_the_same(run: Run, copy_db: Copy, kind: str) -> None:
    path = copy_db(OLD[kind])
    assert run("doctor", "--db", path).code == 1
    before = found(run, path)
    assert sum(map(bool, before.values())) > 15
    ran = run("optimize-storage", path)
    assert (ran.code, ran.err) == (0, "")
    assert "Done in" in ran.out
    assert " before, " in ran.out
    assert found(run, path) == before
    report = run("doctor", "--json", "--integrity", "--db", path)
    assert report.code == 0
    assert report.json["verdict"] == "healthy"
    assert report.json["integrity"] == ["ok"]
    words = {index["name"]: index for index in report.json["indexes"]}
    assert words["messages_fts_cjk"]["condition"] == "whole"
    assert run("optimize-storage", path).out == "Nothing to do.\n"


@pytest.mark.shared
def test_the_doctor_in_words(run: Run, copy_db: Copy) -> None:
    ran = run("doctor", "--db", copy_db("state-0.19.0-midrebuild-by-2026-08"))
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0] == "Something to do: 2 things, see below."
    assert "  words                10 of 36 rows · being rebuilt, 27 %" in lines
    assert any("hermes-tui optimize-storage " in line for line in lines)
    assert "quick_check" not in ran.out
    assert "quick_check  ok" in run("doctor", "--integrity", "--demo").out


@pytest.mark.shared
def test_a_dry_run_changes_nothing(run: Run, copy_db: Copy) -> None:
    path = copy_db("state-0.13.0")
    before = path.read_bytes()
    ran = run("optimize-storage", "--dry-run", path)
    assert ran.code == 0
    assert "convert messages_fts and messages_fts_trigram" in ran.out
    assert "more repairs" in ran.out
    assert "Free space needed: up to" in ran.out
    assert "! No index for two-character words" in ran.out
    assert path.read_bytes() == before


@pytest.mark.shared
def test_no_vacuum(run: Run, copy_db: Copy) -> None:
    path = copy_db("state-0.19.0-midrebuild-by-2026-08")
    assert "rewriting the file" not in run("optimize-storage", "--no-vacuum", path).out
    assert "rewriting the file" in run("optimize-storage", path).out


@pytest.mark.shared
def test_without_room_it_says_how_much_it_needs(
    run: Run, copy_db: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_db("state-0.19.0-opened-by-2026-08")
    before = path.read_bytes()
    monkeypatch.setattr("shutil.disk_usage", lambda _: _Usage)
    ran = run("optimize-storage", path)
    assert ran.code == 2
    assert "free space" in ran.err
    assert "Nothing was changed" in ran.err
    assert path.read_bytes() == before
    assert "That does not fit." in run("optimize-storage", "--dry-run", path).out


class _Usage:
    free = 1_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("optimize-storage",), "has to be named"),
        (("optimize-storage", "no-such-file.db"), "There is no file no-such-file.db"),
        (("optimize-storage", "a.db", "--db", "b.db"), "Name the file once"),
        (("optimize-storage", "--profile", "nobody"), "Profile 'nobody' does not exist"),
        (("optimize-storage", "--json", "a.db"), "unrecognized arguments"),
        (("tokenizer",), "required: action"),
        (("tokenizer", "remove"), "invalid choice"),
        (("tokenizer", "install", "a", "b"), "unrecognized arguments"),
    ],
)
def test_bad_arguments(run: Run, home: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert list(home.iterdir()) == []


@pytest.mark.shared
def test_what_is_newer_is_left_alone(fails: Callable[..., str], copy_db: Copy) -> None:
    path = copy_db("state-newest-reconstructed")
    before = path.read_bytes()
    assert "newer Hermes" in fails("optimize-storage", path)
    assert path.read_bytes() == before


def test_the_active_history_is_changed_by_its_profile_only(run: Run, home: Path) -> None:
    (home / ".hermes").mkdir()
    demo.write_demo(home / ".hermes" / "state.db")
    ran = run("optimize-storage")
    assert ran.code == 2
    assert run("optimize-storage", "--profile", "default").code == 0


# -- stopping and progress ------------------------------------------------------------------


@pytest.fixture
def inline(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    demo.write_demo(path)
    make_inline(path)
    return path


def test_ctrl_c_stops_between_two_transactions_and_the_next_run_goes_on(
    run: Run, inline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = optimizing.fill

    def interrupted(*arguments: Any) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments)

    monkeypatch.setattr(optimizing, "fill", interrupted)
    ran = run("optimize-storage", inline)
    assert ran.code == 130
    assert "Stopping after this step" in ran.err
    assert "Nothing is lost; run it again to go on." in ran.out
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert run("doctor", "--db", inline).code == 1
    assert run("optimize-storage", inline).code == 0
    assert run("doctor", "--db", inline).code == 0


def test_a_second_ctrl_c_ends_at_once() -> None:
    with Wish() as wish:
        os.kill(os.getpid(), signal.SIGINT)
        assert wish()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    with Wish() as wish:
        assert not wish()


def test_a_wish_in_another_thread_does_no_harm() -> None:
    made = []

    def other() -> None:
        with Wish() as wish:
            made.append(wish())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert made == [False]


def test_plain_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    moments = iter([0.0, 1.0, 6.0, 7.0, 8.0])
    say = PlainLines(clock=lambda: next(moments))
    for done in (100, 200, 300, 1_000):
        say(Progress("index", done, 1_000, done / 100))
    say(Progress("clean", 0, 10, 0.0))
    assert capsys.readouterr().out.splitlines() == [
        "indexing messages: 100 of 1,000 · 100/s · 9 s left",
        "indexing messages: 300 of 1,000 · 100/s · 7 s left",
        "indexing messages: 1,000 of 1,000 · done in 10.0 s",
        "dropping old parts: 0 of 10",
    ]
    assert plain_line(Progress("words", 0, 5, 0.0)) == "indexing two-character words: 0 of 5"


def test_a_terminal_gets_a_bar_with_rate_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_for(Console(force_terminal=True, width=100)) as say:
        say(Progress("index", 250, 1_000, 2.5))
        say(Progress("index", 1_000, 1_000, 8.0))
        say(Progress("compact", 1, 1, 0.1))
    out = capsys.readouterr().out
    assert "indexing messages" in out
    assert "rewriting the file" in out
    assert "1000/1000" in out
    assert "125/s" in out


def test_a_search_does_not_wait_for_what_these_commands_need() -> None:
    script = (
        "import sys, hermes_tui.cli\n"
        "heavy = {'rich.progress', 'hermes_tui.storage', 'hermes_tui.recall.health'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# -- the tokenizer --------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built library: the installed one, or bytes that stand for it."""
    built = tokenizer.built_library()
    if built is not None:
        return built
    stand_in = tmp_path / "_fts5_cjk.so"
    stand_in.write_bytes(b"a library")
    monkeypatch.setattr("hermes_tui.storage.tokenizer_install._working_library", lambda: stand_in)
    return stand_in


def test_the_tokenizer_goes_where_it_is_told(run: Run, tmp_path: Path, library: Path) -> None:
    home = tmp_path / "hermes"
    home.mkdir()
    ran = run("tokenizer", "install", home)
    assert ran.code == 0
    written = home / "lib" / "libfts5_cjk.so"
    assert str(written) in ran.out
    assert written.read_bytes() == library.read_bytes()


def test_the_tokenizer_goes_to_the_hermes_home(
    run: Run, tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "elsewhere"
    home.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HERMES_FTS5_CJK_SO", str(tmp_path / "own.so"))
    ran = run("tokenizer", "install")
    assert ran.code == 0
    assert (home / "lib" / "libfts5_cjk.so").is_file()
    assert "will not load it while HERMES_FTS5_CJK_SO names" in ran.out


def test_no_hermes_home_no_tokenizer(
    fails: Callable[..., str], tmp_path: Path, library: Path
) -> None:
    assert "is not a folder" in fails("tokenizer", "install", tmp_path / "nowhere")
