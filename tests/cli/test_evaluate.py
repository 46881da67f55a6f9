"""judge and eval: from a judgement to numbers, files that other programs read, and exit codes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures import RR, R, Success, nDCG

from hermes_tui.demo import write_demo
from hermes_tui.recall.ranking import route_names
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

MEASURES = ("hit@1", "hit@3", "recall@10", "MRR", "nDCG@10")
EVIL = "docker \x1b]52;c;ZXZpbA==\x07\x9b2J\u202e\u2066 [/x] \r\n \ud800"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "state.db"
    write_demo(path)
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        for number in range(1, 6):
            writer.create_session(
                NewSession(id=f"s{number}", source="cli", started_at=float(number))
            )
            words = "docker " * (6 - number) + "and more"
            writer.append(f"s{number}", NewMessage(role="user", content=words), float(number))
    return path


def route(answer: Any, name: str) -> Any:
    return next(row for row in answer["routes"] if row["route"] == name)


def test_judge_then_eval(run: Callable[..., Any], db: Path) -> None:
    assert (
        run("judge", "--db", db, "docker", "s4", "2").out
        == "2 right · s4 · docker has 1 judgement\n"
    )
    assert run("judge", "--db", db, " docker ", "@session:s1", "0").out.endswith("2 judgements\n")
    answer = run("eval", "--db", db, "--json").json
    assert [row["route"] for row in answer["routes"]] == list(route_names())
    row = route(answer, "hermes")
    assert row["measures"] == {
        "hit@1": 0.0, "hit@3": 0.0, "recall@10": 1.0, "MRR": 0.25,
        "nDCG@10": pytest.approx(0.4306766),
    }  # fmt: skip
    assert (row["n"], row["unjudged"], row["looked_at"], row["short_lists"]) == (1, 3, 5, 1)
    (query,) = answer["queries"]
    assert query["judged"] == {"s4": 2, "s1": 0}
    assert route(query, "hermes")["ranks"] == {"s4": 4, "s1": 1}
    assert query["to_judge"] == ["s2", "s3", "s5"]
    text = run("eval", "--db", db).out
    assert text.startswith("1 query · 2 judged · 1 related or right\n")
    assert "hermes         1   0.00   0.00      1.00*   0.25     0.43       3/5\n" in text
    assert "  hermes       at 4 · hit@1 0.00 · " in text
    assert "! What is unjudged counts as a miss.\n" in text
    assert "  to judge: @session:s2, @session:s3, @session:s5\n" in text


def test_a_judgement_is_taken_back(run: Callable[..., Any], db: Path) -> None:
    run("judge", "--db", db, "docker", "s4", "2")
    assert run("judge", "--db", db, "docker", "s4", "none").out.startswith("taken back · s4 · ")
    out = run("eval", "--db", db).out
    assert out.startswith("No judgement of this history yet: there is nothing to measure.\n")


def test_what_was_not_judged_is_not_taken_back(run: Callable[..., Any], db: Path, fails) -> None:
    told = "Nothing to take back: s4 is not judged for this query."
    assert fails("judge", "--db", db, "docker", "s4", "none") == told
    run("judge", "--db", db, "docker", "s4", "2")
    run("judge", "--db", db, "docker", "s4", "none")
    assert fails("judge", "--db", db, "docker", "s4", "none") == told


def test_an_empty_set_has_no_numbers(run: Callable[..., Any], db: Path) -> None:
    answer = run("eval", "--db", db, "--json").json
    assert answer["queries"] == []
    assert all(row["n"] == 0 for row in answer["routes"])
    assert {value for row in answer["routes"] for value in row["measures"].values()} == {None}
    run("judge", "--db", db, "docker", "s4", "0")
    text = run("eval", "--db", db).out
    assert "hermes         0      –      –          –      –        –       4/5\n" in text
    assert "! 1 query without a measure: nothing in this history is judged related" in text


def test_only_right_and_depth(run: Callable[..., Any], db: Path) -> None:
    run("judge", "--db", db, "docker", "s1", "1")
    run("judge", "--db", db, "docker", "s3", "2")
    answer = run("eval", "--db", db, "--json", "--only-right", "--depth", "2").json
    assert answer["at_least"] == 2
    measures = route(answer, "hermes")["measures"]
    assert (measures["hit@1"], measures["hit@3"], measures["recall@2"]) == (0.0, 1.0, 0.0)


def test_the_message_and_the_arguments_are_kept(
    run: Callable[..., Any], fails: Callable[..., str], db: Path, home: Path
) -> None:
    run("judge", "--db", db, "docker", "s4", "2", "--message", "4", "--sort", "newest",
        "--role", "user,tool", "--current-session", "s1")  # fmt: skip
    (kept,) = home.rglob("*.jsonl")
    line = json.loads(kept.read_text())
    assert line["message_id"] == 4
    assert line["arguments"] == {
        "sort": "newest",
        "role_filter": "user,tool",
        "current_session_id": "s1",
    }
    (query,) = run("eval", "--db", db, "--json").json["queries"]
    assert query["arguments"] == line["arguments"]
    assert "sort newest" in run("eval", "--db", db).out
    said = fails("judge", "--db", db, "docker", "s4", "2", "--message", "1")
    assert said == "Message 1 is not in session s4. Near ids: 4."


def test_what_is_gone_is_said(
    run: Callable[..., Any], db: Path, execute: Callable[..., Any]
) -> None:
    for session in ("s1", "s2", "s3"):
        run("judge", "--db", db, "docker", session, "2", "--message", session[1:])
    execute(db, "delete from messages where session_id = 's2'")
    execute(db, "delete from messages where id = 3; delete from sessions where id = 's2'")
    answer = run("eval", "--db", db, "--json").json
    assert "1 judgement not counted: the conversation is gone from this history." in answer["notes"]
    assert (
        "1 judgement counted although the message is gone: the conversation is there."
        in answer["notes"]
    )
    (query,) = answer["queries"]
    assert (query["gone"], query["without_message"]) == (1, 1)
    assert route(answer, "hermes")["measures"]["recall@10"] == 0.5
    assert "[2 right, 1 gone]" in run("eval", "--db", db).out


def test_bad_words_are_one_sentence(fails: Callable[..., str], db: Path, tmp_path: Path) -> None:
    assert "invalid choice: '3'" in fails("judge", "--db", db, "docker", "s1", "3")
    assert fails("judge", "--db", db, "docker", "nowhere", "1").startswith("There is no session")
    assert fails("judge", "--db", db, "  ", "s1", "1").startswith("The query is empty")
    assert "no number from 0 to 1" in fails("eval", "--db", db, "--worse-by", "2")
    assert "needs --against" in fails("eval", "--db", db, "--worse-by", "0.1")
    assert "Saved: none." in fails("eval", "--db", db, "--against", "x")
    assert "is no name for an evaluation" in fails("eval", "--db", db, "--save", "../x")
    assert "cannot be read: No such file" in fails("eval", "--db", db, "--import", tmp_path / "no")
    assert "cannot be written" in fails("eval", "--db", db, "--export", tmp_path / "no" / "f")
    (tmp_path / "junk").write_bytes(b"\xff\x00 \x1b[2J")
    assert "holds no qrels" in fails("eval", "--db", db, "--import", tmp_path / "junk")
    (tmp_path / "empty").touch()
    assert "It is empty." in fails("eval", "--db", db, "--import", tmp_path / "empty")


def test_an_export_never_takes_the_place_of_a_history(
    fails: Callable[..., str], run: Callable[..., Any], db: Path, sample: Path, tmp_path: Path
) -> None:
    before = db.read_bytes()
    run("judge", "--db", db, "docker", "s4", "2")
    (tmp_path / "link").symlink_to(db)
    for target in (db, tmp_path / "link", f"{db}-wal", sample):
        assert "is a database" in fails("eval", "--db", db, "--export", target)
    run("eval", "--db", db, "--save", "x", "--export", tmp_path / "out")
    assert db.read_bytes() == before


def test_bad_lines_of_a_file_are_told_with_their_numbers(
    run: Callable[..., Any], db: Path, tmp_path: Path
) -> None:
    file = tmp_path / "judged.qrels"
    file.write_text("docker 0 s4 2\ndocker 0 s4\ndocker 0 gone 1\ndocker 0 s1 x\n")
    answer = run("eval", "--db", db, "--json", "--import", file).json
    assert answer["notes"][:4] == [
        "Read 2 judgements, 1 of them new.",
        "Line 2 of judged.qrels is left out: a qrels line has 4 fields, this one 3.",
        "Line 4 of judged.qrels is left out: the grade is none of 0, 1, 2.",
        "Line 3 of judged.qrels is left out: this history does not have its conversation.",
    ]
    assert answer["queries"][0]["judged"] == {"s4": 2}


@pytest.mark.parametrize("form", ["qrels", "jsonl"])
def test_judgements_go_out_and_come_in(
    run: Callable[..., Any], db: Path, tmp_path: Path, home: Path, form: str
) -> None:
    for session, grade in (("s4", 2), ("s1", 0), ("s2", 1)):
        run("judge", "--db", db, "docker OR 容器", session, grade)
    before = run("eval", "--db", db, "--json", "--export", tmp_path / "f", "--format", form).json
    (kept,) = home.rglob("*.jsonl")
    kept.unlink()
    assert run("eval", "--db", db, "--json").json["queries"] == []
    after = run("eval", "--db", db, "--json", "--import", tmp_path / "f").json
    assert after["queries"] == before["queries"]
    size = kept.stat().st_size
    run("eval", "--db", db, "--import", tmp_path / "f")
    assert kept.stat().st_size == size  # what is known is not kept twice
    printed = run("eval", "--db", db, "--export", "-", "--format", form).out
    assert printed == (tmp_path / "f").read_text()


def test_watching(run: Callable[..., Any], db: Path) -> None:
    run("judge", "--db", db, "docker", "s3", "2")
    assert run("eval", "--db", db, "--save", "before").code == 0
    same = run("eval", "--db", db, "--against", "before", "--worse-by", "0")
    assert same.code == 0
    assert "Nothing has changed since 'before' (1 compared).\n" in same.out
    with HistoryWriter(db, cjk=False) as writer:
        writer.create_session(NewSession(id="s9", source="cli", started_at=9.0))
        writer.append("s9", NewMessage(role="user", content="docker " * 9), 9.0)
    changed = run("eval", "--db", db, "--against", "before")
    assert changed.code == 0
    assert "  hermes hit@3 1.00 -> 0.00 (-1.00)  worse\n" in changed.out
    assert "  hermes #3 -> #4: @session:s3 (right) for docker\n" in changed.out
    assert run("eval", "--db", db, "--against", "before", "--worse-by", "1").code == 1
    against = run("eval", "--db", db, "--json", "--against", "before", "--worse-by", "0.5").json
    moved = [c for c in against["against"]["ranks"] if c["route"] == "hermes"]
    assert [(c["session_id"], c["before"], c["now"]) for c in moved] == [("s3", 3, 4)]
    changes = [c for c in against["against"]["measures"] if c["route"] == "hermes"]
    assert {c["measure"]: c["worse"] for c in changes} == {
        "hit@3": True,
        "MRR": False,
        "nDCG@10": False,
    }


def test_a_watch_that_can_compare_nothing_does_not_look_good(
    run: Callable[..., Any], db: Path
) -> None:
    run("judge", "--db", db, "docker", "s3", "2")
    run("eval", "--db", db, "--save", "before")
    run("judge", "--db", db, "docker", "s3", "none")
    watched = run("eval", "--db", db, "--against", "before", "--worse-by", "0.1")
    assert watched.code == 2
    assert "Nothing could be compared with 'before'" in watched.err
    assert "! Not compared: 1 of 'before' that have no judgement now.\n" in watched.out
    assert run("eval", "--db", db, "--against", "before").code == 0


def test_a_hostile_query_and_title(run: Callable[..., Any], tmp_path: Path) -> None:
    """The fixture looks at all that is printed; here it is asked to print it."""
    db = tmp_path / "state.db"
    session = "s\x1b[2J\u202e 1"
    with HistoryWriter(db, cjk=False) as writer:
        writer.create_session(
            NewSession(id=session, source="cli", started_at=1.0, title="t\x1b[1m")
        )
        writer.append(session, NewMessage(role="user", content="docker evil"), 1.0)
    query = EVIL.encode("utf-8", "replace").decode()
    assert run("judge", "--db", db, query, session, "2", "--role", "user\x1b[2J").code == 0
    assert run("judge", "--db", db, "docker", session, "1").code == 0
    file = tmp_path / "f\x1b[2J"
    for form in ("qrels", "run", "jsonl"):
        for target in ("-", file):
            assert run("eval", "--db", db, "--export", target, "--format", form).code == 0
        assert file.read_text().isascii()
    file.write_text("\x1b[2J bad\ndocker 0 s%1B%5B2J%E2%80%AE%201 2\n x Q0 \x1b[2J 1 1 \x1b[31mtag")
    for more in ([], ["--json"]):
        assert run("eval", "--db", db, "--save", "x", "--import", file, *more).code == 0
        assert run("eval", "--db", db, "--against", "x", *more).code == 0
    file.write_text("docker Q0 \x9b2J 1 1 \x9b31mtag\u202e\ndocker Q0 \x1b[3J 2 2 t\n")
    for more in ([], ["--json"]):
        shown = run("eval", "--db", db, "--import", file, *more)
        assert "(file)" in shown.out


QUERIES = ("docker network", "postgres", "backup", "容器网络", "バックアップ OR 백업", "jellyfin",
           "source:cron docker", "vpn", "nothing_of_this_kind")  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ir_measures_says_the_same_of_the_exported_files(
    run: Callable[..., Any], sample: Path, tmp_path: Path, seed: int
) -> None:
    """Done when 4: three sets of judgements of the sample, with rows that nobody judged."""
    dice = random.Random(seed)
    lines = []
    for query in QUERIES:
        found = run("search", "--db", sample, "--json", query).json["lineages"]
        judged = [hit["root"] for hit in found if dice.random() < 0.6]
        grades = {root: dice.choice((0, 1, 2)) for root in judged} | {"20260110_182400_ebd258": 1}
        sort = {"sort": "newest"} if dice.random() < 0.3 else {}
        line = {"query": query, "relevant": [], "grades": grades, "arguments": sort}
        lines.append(json.dumps(line))
    (tmp_path / "in").write_text("\n".join(lines))
    answer = run("eval", "--db", sample, "--json", "--import", tmp_path / "in").json
    assert len(answer["queries"]) == len(QUERIES)
    run("eval", "--db", sample, "--export", tmp_path / "qrels")
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    named = [Success @ 1, Success @ 3, R @ 10, RR, nDCG @ 10]
    for name in route_names():
        run("eval", "--db", sample, "--export", tmp_path / "run",
            "--format", "run", "--route", name)  # fmt: skip
        rows = list(ir_measures.read_trec_run(str(tmp_path / "run")))
        theirs = ir_measures.calc_aggregate(named, qrels, rows)
        ours = route(answer, name)
        assert ours["n"] == len(QUERIES)
        assert list(ours["measures"].values()) == pytest.approx([theirs[m] for m in named])
    assert any(row["unjudged"] for row in answer["routes"])
