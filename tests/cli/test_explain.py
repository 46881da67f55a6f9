"""`explain` and `compare` on the command line: both forms, the vocabulary, bad input."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from hermes_tui.recall.explain.compare import COLUMNS
from hermes_tui.recall.explain.stored import State
from hermes_tui.recall.explain.verdict import CAUSE_TEXT
from hermes_tui.recall.explain.words import _CAUSES
from hermes_tui.recall.outcome import UNSEEN_TEXT

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
DATABASES = Path(__file__).parents[3] / "shared" / "hermes" / "dbs"
NAMES = sorted(path.stem for path in DATABASES.glob("*.db"))
A, B = "20260101_090000_aaaa01", "20260102_110000_bbbb02"


@pytest.fixture
def db(copy_db: Callable[[str], Path]) -> Path:
    return copy_db("state-2026-08-cjk")


@pytest.mark.parametrize("name", NAMES)
def test_every_database_is_explained(
    run: Callable[..., Any], copy_db: Callable[[str], Path], name: str
) -> None:
    db = copy_db(name)
    before = db.read_bytes()
    sessions = [row["session_id"] for row in run("browse", "--json", "--db", db).json]
    given = run("session-search", "--db", db, '{"query": "docker"}').json["results"]
    for query in ("docker", "docker networking", "容器", "a@b", "***", "docker zebra"):
        explained = run("explain", "--json", "--db", db, query).json
        assert run("explain", "--db", db, query).out.startswith(f"query      {query}\n")
        if query == "docker":
            ids = [(g["session_id"], g["message_id"]) for g in explained["given"]]
            assert ids == [(g["session_id"], g["match_message_id"]) for g in given]
            assert explained["units"][0]["alone"]["rows"] == explained["funnel"][0]["left"]
        for session in (*sessions[-2:], "3"):
            verdict = run("explain", "--json", "--db", db, query, "--missing", session).json
            assert verdict["cause"] in CAUSE_TEXT
            assert verdict["advice"].endswith(".")
            assert verdict["advice"] in run("explain", "--db", db, query, "--missing", session).out
        compared = run("compare", "--db", db, query, "--columns", ",".join(COLUMNS))
        assert all(f"\n{name}: " in compared.out for name in COLUMNS)
    report = run("explain", "--db", db, "docker", "--report").out
    assert "## Layout" in report
    assert db.read_bytes() == before


def untimed(report: str) -> str:
    """A report without the one number that differs from run to run."""
    return re.sub(r"(?m)^Searched in .* ms\.$", "Searched.", report)


def test_a_report_says_nothing_that_was_said(run: Callable[..., Any], db: Path) -> None:
    arguments = ("explain", "--db", db, "docker", "--report", "--missing", A)
    arguments = (*arguments, "--current-session", B)
    report = run(*arguments).out
    assert "`docker`" in report
    assert "| fts5 | answered |" in report
    assert "202601" not in report
    assert str(db) not in report
    assert "networking" not in report.lower()
    asked = run(*arguments, "--with-content").out
    assert A in asked
    assert "networking notes" in asked
    assert str(db) not in asked
    assert str(db) in run(*arguments, "--with-paths").out
    again = run(*arguments, "--json").json
    assert set(again) == {"report"}
    assert untimed(again["report"]) == untimed(report)


def test_the_three_questions_answer_themselves(
    run: Callable[..., Any], copy_db: Callable[[str], Path]
) -> None:
    def answers(name: str, *arguments: str) -> dict[str, str]:
        found = run("explain", "--json", "--db", copy_db(name), *arguments).json
        return {check["code"]: check["answer"] for check in found["checks"]}

    whole = "state-2026-08-cjk"
    assert answers(whole, "docker") == {"current": "unknown", "killed": "no", "rebuild": "no"}
    assert answers(whole, "docker", "--current-session", A)["current"] == "yes"
    assert answers(whole, "docker zebra")["killed"] == "yes"
    assert answers(whole, "a@b")["killed"] == "yes"
    assert answers(whole, "猫")["killed"] == "yes"
    assert answers("state-0.19.0-midrebuild-by-2026-08", "docker")["rebuild"] == "yes"
    assert answers("state-2026-08-cjk-stale", "docker")["rebuild"] == "yes"
    assert answers("state-2026-08-cjk-pending", "docker")["rebuild"] == "yes"


def test_bad_input_is_one_sentence(fails: Callable[..., str], db: Path) -> None:
    at = ("--db", db)
    assert "empty" in fails("explain", *at, "  ")
    assert "There is no session" in fails("explain", *at, "docker", "--current-session", "nobody")
    assert "Nothing in this history" in fails(
        "explain", *at, "docker", "--missing", "nobody at all"
    )
    assert "Nothing is named" in fails("explain", *at, "docker", "--missing", " ")
    assert "part of" in fails("explain", *at, "docker", "--missing", "202601")
    assert "go with --report" in fails("explain", *at, "docker", "--with-paths")
    assert "Columns: agent" in fails("compare", *at, "docker", "--columns", "agent,bm25")
    assert "'0'" in fails("compare", *at, "docker", "--limit", "0")


def test_a_link_of_another_profile_is_said(fails: Callable[..., str], home: Path, db: Path) -> None:
    hermes = home / ".hermes"
    hermes.mkdir()
    (hermes / "state.db").write_bytes(db.read_bytes())
    sentence = fails("explain", "docker", "--missing", f"@session:work/{A}")
    assert "--profile" in sentence


def test_the_causes_are_the_readmes() -> None:
    table = README.split("| cause |")[1].split("\n\n")[0]
    first = re.findall(r"^\| (`.*?) \|", table, re.M)
    written = {word for cell in first for word in re.findall(r"`([a-z_]+)`", cell)}
    assert written | set(UNSEEN_TEXT) == set(CAUSE_TEXT)
    assert not written & set(UNSEEN_TEXT)
    assert set(_CAUSES) == set(get_args(State)) - {"here"}


def test_the_columns_are_the_readmes() -> None:
    section = README.split("Columns are ")[1].split("▲")[0]
    assert set(re.findall(r"`([a-z0-9_.-]+)`", section)) == set(COLUMNS)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (("explain",), "sanitised route routes funnel units killer either phrase checks given"),
        (
            ("explain", "--missing", A),
            "cause detail steps units advice try_query try_arguments rank",
        ),
        (("compare",), "columns rows overlaps"),
    ],
)
def test_the_fields_are_the_readmes(
    run: Callable[..., Any], db: Path, command: tuple[str, ...], names: str
) -> None:
    section = README.split("With `--json` these give")[1].split("\n\n")[0]
    found = run(*command, "--db", db, "--json", "docker").json
    for name in names.split():
        assert name in found
        assert f"`{name}`" in section
