"""Judgements kept beside a history, laid over its rankings, and compared with kept ones."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.history.errors import HistoryError, Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.recall import regression
from hermes_tui.recall.evaluation import Evaluation, evaluate, overall, result, settle
from hermes_tui.recall.exchange import imported
from hermes_tui.recall.judge import (
    Grade,
    Judgement,
    Judgements,
    Topic,
    identity,
    line_of,
    shown_problems,
    topic_of,
)
from hermes_tui.recall.ranking import Ranking, rank, route_names
from hermes_tui.recall.trec import parse
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

DAY = 86_400.0
ROUTES = ("hermes", "hermes-0.19", "thorough", "newest")


def write(path: Path) -> None:
    """s1 to s5 say docker, s1 the most; s6 is a continuation of s5; s7 only in a tool's output."""
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        for number in range(1, 8):
            parent = "s5" if number == 6 else None
            writer.create_session(
                NewSession(id=f"s{number}", source="cli", started_at=number * DAY, parent_id=parent)
            )
            role = "tool" if number == 7 else "user"
            words = "docker " * (8 - number) + "and some other words here"
            writer.append(f"s{number}", NewMessage(role=role, content=words), number * DAY)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    write(path)
    return path


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with History.open(Place(str(path))) as history:
        yield history


def judgement(
    session: str,
    grade: Grade | None,
    query: str = "docker",
    *,
    root: str = "",
    message: int | None = None,
) -> Judgement:
    return Judgement(Topic(query), root or session, session, message, grade, 1.0)


def means_of(evaluation: Evaluation, route: str) -> dict[str, float | None]:
    (row,) = (row for row in evaluation.overall() if row.route == route)
    return dict(zip(evaluation.names, row.means, strict=True))


# -- the file ---------------------------------------------------------------------------------


def test_what_is_added_is_read(tmp_path: Path) -> None:
    store = Judgements(tmp_path / "new" / "folder" / "x.jsonl")
    assert store.read().judgements == ()
    first, second = judgement("s1", 2), judgement("s2", None, "容器\u2028\x1b[2J")
    store.add([first])
    store.add([second])
    store.add([])
    assert Judgements(store.path).read().judgements == store.read().judgements
    assert store.read().judgements[0] == first
    assert store.path.read_text("ascii").count("\n") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes there")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    store = Judgements(tmp_path / "own" / "x.jsonl")
    store.add([judgement("s1", 2)])
    assert store.path.stat().st_mode & 0o077 == 0
    assert store.path.parent.stat().st_mode & 0o077 == 0


def test_a_line_that_was_cut_off_spoils_no_other(tmp_path: Path) -> None:
    store = Judgements(tmp_path / "x.jsonl")
    whole = line_of(judgement("s1", 2))
    store.path.write_text(whole[:40])
    store.add([judgement("s2", 1)])
    kept = store.read()
    assert [j.session_id for j in kept.judgements] == ["s2"]
    (problem,) = kept.problems
    assert problem.startswith("Line 1 of x.jsonl is left out: ")


def test_many_threads_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"

    def add(number: int) -> None:
        for place in range(20):
            Judgements(path).add([judgement(f"s{number}-{place}", 1)])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = Judgements(path).read()
    assert (len(kept.judgements), kept.problems) == (80, ())


def test_every_history_has_its_own_file(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "state.db", tmp_path / "b" / "state.db"
    link = tmp_path / "link.db"
    for path in (one, two):
        path.parent.mkdir()
        path.touch()
    link.symlink_to(one)
    assert identity(Place(str(one))) != identity(Place(str(two)))
    assert identity(Place(str(link))) == identity(Place(str(one), "work"))
    assert identity(Place(str(one))).startswith("a-state.db-")
    odd = identity(Place("/\udcff/../x\x1b\n/\u202e.db"))
    assert odd.isascii()
    assert odd.isprintable()


def test_a_file_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    store = Judgements(tmp_path / "x.jsonl")
    with pytest.raises(HistoryError, match=r"^The judgements cannot be read \(.*\): .*\.$"):
        store.read()
    with pytest.raises(HistoryError, match=r"^The judgements cannot be written \(.*\): .*\.$"):
        store.add([judgement("s1", 2)])


def test_marks_are_the_last_word(tmp_path: Path) -> None:
    store = Judgements(tmp_path / "x.jsonl")
    store.add([judgement("s1", 2), judgement("s2", 1), judgement("s3", 0, "other")])
    store.add([judgement("s1", 0), judgement("s2", None), judgement("s6", 2, root="s5")])
    assert store.read().marks("  docker ") == {"s1": 0, "s5": 2, "s6": 2}
    assert store.read().marks("Docker") == {}


def test_a_query_is_the_same_with_other_blanks() -> None:
    assert topic_of(" a \t b\n", {}) == Topic("a b")
    assert topic_of("\ud800x") == Topic("\ufffdx")
    assert topic_of("q", {"sort": "", "role_filter": " user ,,", "rewound": False}) == Topic(
        "q", roles=("user",)
    )


def test_only_some_problems_are_shown() -> None:
    assert shown_problems(["a"] * 5) == ["a"] * 5
    assert shown_problems(["a"] * 8) == [*["a"] * 5, "3 more lines are left out."]


# -- judgements and the history ---------------------------------------------------------------


def test_grades_go_to_the_lineage_and_the_last_one_holds(history: History) -> None:
    (judged,) = settle(history, [judgement("s5", 2), judgement("s1", 1), judgement("s6", 0)])
    assert judged.grades == {"s5": 0, "s1": 1}
    assert settle(history, [judgement("s5", 2), judgement("s6", None)]) == []


def test_what_is_gone_is_counted_and_not_as_a_miss(history: History) -> None:
    given = [
        judgement("s1", 2, message=1),
        judgement("gone", 2),
        judgement("s2", 1, message=999),
        judgement("lost", 1, root="s3"),
        judgement("gone", 2, "only gone"),
    ]
    first, second = settle(history, given)
    assert (first.grades, first.gone, first.without_message) == ({"s1": 2, "s2": 1, "s3": 1}, 1, 1)
    assert (second.grades, second.gone) == ({}, 1)
    evaluation = evaluate(history, [first, second])
    assert means_of(evaluation, "hermes")["recall@10"] == 1.0
    assert all(row.n == 1 for row in evaluation.overall())
    assert evaluation.left_out() == [
        "2 judgements not counted: the conversation is gone from this history.",
        "1 judgement counted although the message is gone: the conversation is there.",
        "1 query without a measure: nothing in this history is judged related or right.",
    ]


def test_every_policy_and_the_baseline_is_a_route() -> None:
    assert set(ROUTES) <= set(route_names())
    assert route_names()[0] == "hermes"
    assert route_names()[-2:] == ("thorough", "newest")


def test_rankings(history: History) -> None:
    topic = Topic("docker")
    assert rank(history, topic, "hermes").roots == ("s1", "s2", "s3", "s4", "s5")
    assert rank(history, topic, "newest").roots == ("s5", "s4", "s3", "s2", "s1")
    assert rank(history, topic, "thorough").roots == ("s1", "s2", "s3", "s4", "s5", "s7")
    assert rank(history, replace(topic, roles=("tool",)), "hermes").roots == ("s7",)
    assert rank(history, replace(topic, sort="oldest"), "hermes").roots[0] == "s1"
    assert "s1" not in rank(history, replace(topic, current_session="s1"), "hermes").roots
    assert rank(history, Topic("source:cli"), "hermes").roots == ()


def test_a_topic_is_measured_with_its_arguments_and_shares_the_grades(history: History) -> None:
    given = [judgement("s1", 2), replace(judgement("s2", 0), topic=Topic("docker", sort="newest"))]
    evaluation = evaluate(history, settle(history, given))
    relevance, newest = evaluation.results
    assert [each.topic.sort for each in evaluation.results] == [None, "newest"]
    assert relevance.judged.grades == newest.judged.grades == {"s1": 2, "s2": 0}
    by_route = [{line.route: line.score for line in each.lines} for each in evaluation.results]
    first, second = (scores["hermes"] for scores in by_route)
    assert first is not None
    assert second is not None
    assert (first.rr, second.rr) == (1.0, 0.2)


def test_pooled_from_every_route(history: History) -> None:
    (judged,) = settle(history, [judgement("s1", 2), judgement("s5", 0)])
    (each,) = evaluate(history, [judged]).results
    assert each.to_judge == ("s2", "s3", "s4")  # s4 is third for the baseline only
    lines = {line.route: (line.looked, line.unjudged) for line in each.lines}
    assert lines["hermes"] == (5, 3)
    assert lines["thorough"] == (6, 4)


def test_a_short_list_is_told(history: History) -> None:
    (judged,) = settle(history, [judgement("s1", 2)])
    told = evaluate(history, [judged], depth=6).notes()
    assert "What is unjudged counts as a miss." in told
    (short,) = (note for note in told if note.startswith("* Lists shorter than 6: "))
    assert "hermes 1 of 1" in short
    assert "thorough" not in short
    assert "* Every list is shorter than 7." in evaluate(history, [judged], depth=7).notes()


def test_a_route_that_fails_has_no_measure(history: History) -> None:
    (judged,) = settle(history, [judgement("s1", 2)])
    rankings = {"hermes": Ranking(problem="It broke."), "newest": Ranking(("s1",))}
    each = result(Topic("docker"), judged, rankings)
    row = overall("hermes", [each])
    assert (row.n, row.failed, row.means[0]) == (0, 1, None)
    assert "hermes: no answer to 1 topic. It broke." in Evaluation((each,), tuple(rankings)).notes()


def test_nothing_judged_is_nothing_measured(history: History) -> None:
    evaluation = evaluate(history, [])
    assert evaluation.results == ()
    assert [row.n for row in evaluation.overall()] == [0] * len(evaluation.routes)
    assert evaluation.notes() == []


def test_it_can_be_stopped(history: History) -> None:
    judged = settle(history, [judgement("s1", 2)])
    with pytest.raises(Interrupted):
        evaluate(history, judged, stop=lambda: True)


# -- files from elsewhere ---------------------------------------------------------------------


def test_names_of_a_file_become_lineages(history: History) -> None:
    text = "\n".join(
        [
            '{"query": "docker", "relevant": ["s1", 2, "@session:work/s6", "s%33"]}',
            '{"query": "docker", "relevant": ["nowhere"], "grades": {"s4": 1}}',
            '{"query": "docker", "relevant": [12345]}',
        ]
    )
    found = imported(history, parse(text, "f"), "f", [], 7.0)
    assert [(j.root, j.session_id, j.message_id, j.grade) for j in found.judgements] == [
        ("s1", "s1", None, 2),
        ("s2", "s2", 2, 2),
        ("s5", "s6", None, 2),
        ("s3", "s3", None, 2),
        ("s4", "s4", None, 1),
    ]
    assert found.notes == (
        "Read 7 judgements, 5 of them new.",
        "Line 2 of f is left out: this history does not have its conversation.",
        "Line 3 of f is left out: this history does not have its conversation.",
    )
    again = imported(history, parse(text, "f"), "f", found.judgements, 8.0)
    assert again.judgements == ()


def test_a_run_is_a_route_and_its_strangers_keep_their_place(history: History) -> None:
    text = "docker Q0 x 1 3 mine\ndocker Q0 s6 2 2 mine\ndocker Q0 s5 3 1 mine\n"
    found = imported(history, parse(text, "f"), "f", [], 7.0)
    assert found.runs == {"mine (file)": {Topic("docker"): ("x", "s5")}}
    assert found.notes == ("Read 1 run.", "1 line of a run names a conversation that is not here.")
    evaluation = evaluate(history, settle(history, [judgement("s5", 2)]), runs=found.runs)
    assert means_of(evaluation, "mine (file)")["MRR"] == 0.5
    assert "x" not in evaluation.results[0].to_judge


# -- kept evaluations -------------------------------------------------------------------------


def save_and_load(evaluation: Evaluation, path: Path) -> regression.Saved:
    regression.save(path, evaluation)
    return regression.load(path)


def test_nothing_changed(history: History, tmp_path: Path) -> None:
    evaluation = evaluate(history, settle(history, [judgement("s1", 2), judgement("s4", 1)]))
    saved = save_and_load(evaluation, tmp_path / "e" / "before.json")
    comparison = regression.compare(history, evaluation, saved)
    assert (comparison.topics, comparison.ranks, comparison.measures) == (1, (), ())
    assert comparison.notes == ()
    assert os.listdir(tmp_path / "e") == ["before.json"]


def test_a_month_of_talk_pushes_an_answer_down(path: Path, tmp_path: Path) -> None:
    given = [judgement("s3", 2), judgement("s1", 0)]
    with History.open(Place(str(path))) as history:
        before = evaluate(history, settle(history, given))
        saved = save_and_load(before, tmp_path / "before.json")
    with HistoryWriter(path, cjk=False) as writer:
        writer.create_session(NewSession(id="s9", source="cli", started_at=9 * DAY))
        writer.append("s9", NewMessage(role="user", content="docker " * 9), 9 * DAY)
    with History.open(Place(str(path))) as history:
        now = evaluate(history, settle(history, given))
        comparison = regression.compare(history, now, saved)
    moved = {
        (c.route, c.root): (c.before, c.now) for c in comparison.ranks if c.route in ROUTES[:1]
    }
    assert moved == {("hermes", "s3"): (3, 4), ("hermes", "s1"): (1, 2)}
    changes = {(c.route, c.measure): (c.before, c.now, c.n) for c in comparison.measures}
    assert changes["hermes", "hit@3"] == (1.0, 0.0, 1)
    assert ("hermes", "recall@10") not in changes
    worse = {(c.route, c.measure) for c in comparison.worse(0.5)}
    assert ("hermes", "hit@3") in worse
    assert ("hermes", "MRR") not in worse
    assert "newest" not in {route for route, _ in worse}
    assert ("hermes", "MRR") in {(c.route, c.measure) for c in comparison.worse(0.0)}


def test_todays_judgements_hold_on_both_sides(history: History, tmp_path: Path) -> None:
    evaluation = evaluate(history, settle(history, [judgement("s1", 2)]))
    saved = save_and_load(evaluation, tmp_path / "before.json")
    harsher = evaluate(history, settle(history, [judgement("s1", 0), judgement("s5", 2)]))
    comparison = regression.compare(history, harsher, saved)
    assert (comparison.ranks, comparison.measures) == ((), ())


def test_what_cannot_be_compared_is_told(history: History, tmp_path: Path) -> None:
    evaluation = evaluate(
        history, settle(history, [judgement("s1", 2), judgement("s2", 2, "words")])
    )
    saved = save_and_load(evaluation, tmp_path / "before.json")
    now = evaluate(
        history,
        settle(history, [judgement("s1", 2), judgement("s3", 2, "other")]),
        runs={"mine (file)": {}},
    )
    assert regression.compare(history, now, saved).notes == (
        "Not compared: 1 asked only since 'before'.",
        "Not compared: 1 of 'before' that have no judgement now.",
        "Not compared: mine (file), which 'before' does not have.",
    )


def test_a_route_that_fails_now_is_told_apart(history: History, tmp_path: Path) -> None:
    (judged,) = settle(history, [judgement("s1", 2)])
    saved = save_and_load(evaluate(history, [judged]), tmp_path / "before.json")
    rankings = {"hermes": Ranking(problem="It broke."), "newest": Ranking(("s1",))}
    now = Evaluation((result(Topic("docker"), judged, rankings),), tuple(rankings))
    comparison = regression.compare(history, now, saved)
    assert comparison.broken == ("hermes",)
    assert comparison.notes == ("hermes answered when 'before' was saved, and fails now.",)
    assert {change.route for change in comparison.measures} == {"newest"}
    assert {change.route for change in comparison.ranks} == {"newest"}


def test_a_kept_evaluation_has_a_plain_name(tmp_path: Path) -> None:
    place = Place(str(tmp_path / "state.db"))
    path = regression.saved_path(place, "2026-09_v1.2", tmp_path)
    assert path.name == "2026-09_v1.2.json"
    for name in ("", "../x", "a/b", ".hidden", "a b", "\x1b[2J", "x" * 65, "é"):
        with pytest.raises(HistoryError, match="is no name for an evaluation"):
            regression.saved_path(place, name, tmp_path)


def test_a_kept_evaluation_that_is_not_there_names_the_others(
    history: History, tmp_path: Path
) -> None:
    regression.save(tmp_path / "one.json", evaluate(history, []))
    with pytest.raises(HistoryError, match=r"^No evaluation 'two' .* Saved: one\.$"):
        regression.load(tmp_path / "two.json")
    (tmp_path / "bad.json").write_text('{"form": 2}')
    with pytest.raises(HistoryError, match="it has another form"):
        regression.load(tmp_path / "bad.json")


def test_a_folder_that_cannot_be_written_is_a_sentence(history: History, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HistoryError, match="cannot be kept in"):
        regression.save(tmp_path / "file" / "x.json", evaluate(history, []))


@pytest.fixture
def bytes_of(path: Path) -> Callable[[], bytes]:
    return path.read_bytes


def test_the_history_stays_as_it_is(
    history: History, bytes_of: Callable[[], bytes], tmp_path: Path
) -> None:
    before = bytes_of()
    store = Judgements.of(history.place, tmp_path / "data")
    store.add([judgement("s1", 2), judgement("s4", 1)])
    evaluation = evaluate(history, settle(history, store.read().judgements))
    save_and_load(evaluation, tmp_path / "data" / "x.json")
    assert bytes_of() == before
