"""What an explanation says: routes with reasons, words alone, the one that kills, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.history.errors import HistoryError, Interrupted
from hermes_tui.history.reader import History
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.explain.compare import COLUMNS, compare, overlap
from hermes_tui.recall.explain.comparing import comparison_lines
from hermes_tui.recall.explain.counting import LINEAGES_FROM, Count, Counter
from hermes_tui.recall.explain.eye import estimated_tokens
from hermes_tui.recall.explain.funnel import funnel_sentence
from hermes_tui.recall.explain.units import asked_by
from hermes_tui.recall.explain.why import why
from hermes_tui.recall.policy import HERMES_0_19
from hermes_tui.recall.routes import Plan
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

START = 1_800_000_000.0


@pytest.fixture
def history(tmp_path: Path, opened: Callable[[Path], History]) -> History:
    """Six sessions; the last is scheduled and speaks of the harbour most."""
    path = tmp_path / "state.db"
    said = (
        ("cli", ["harbour fees", "lighthouse"]),
        ("cli", ["harbour harbour walls", "fees for the ferry"]),
        ("telegram", ["lighthouse and ferry"]),
        ("kanban", ["harbour fees of the board"]),
        ("cli", ["容器网络在港口", "港口很大"]),
        ("cron", ["harbour harbour harbour"]),
    )
    with HistoryWriter(path, cjk=True) as writer:
        for number, (source, texts) in enumerate(said, start=1):
            at = START + number * 1_000
            writer.create_session(NewSession(id=f"s{number}", source=source, started_at=at))
            rows = [NewMessage(role="user", content=text) for text in texts]
            writer.append_batch(f"s{number}", rows, at)
    return opened(path)


def states(history: History, query: str, **options: object) -> dict[str, str]:
    found = why(history, query, agent_ask(query, **options))  # type: ignore[arg-type]
    return {note.route: note.state for note in found.routes}


def reason(history: History, query: str, route: str, **options: object) -> str:
    found = why(history, query, agent_ask(query, **options))  # type: ignore[arg-type]
    return next(note.reason for note in found.routes if note.route == route)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("harbour", {"fts5": "answered", "fts_cjk": "skipped", "trigram": "skipped"}),
        ("arbou", {"fts5": "tried", "fts_cjk": "tried", "trigram": "answered"}),
        ("ar", {"fts5": "tried", "fts_cjk": "tried", "trigram": "skipped"}),
        ("a@b", {"fts5": "failed", "fts_cjk": "skipped", "trigram": "skipped"}),
        ("容器网络", {"fts5": "skipped", "fts_cjk": "answered", "trigram": "skipped"}),
        ("港", {"fts5": "skipped", "fts_cjk": "skipped", "like_scan": "answered"}),
    ],
)
def test_every_route_has_its_state(history: History, query: str, expected: dict[str, str]) -> None:
    assert states(history, query).items() >= expected.items()


def test_every_route_has_its_reason(history: History) -> None:
    assert "holds no Chinese" in reason(history, "harbour", "fts5")
    assert "only when nothing else" in reason(history, "harbour", "trigram")
    assert "'ar' is shorter than 3" in reason(history, "ar", "trigram")
    assert "left nothing" in reason(history, "arbou", "trigram")
    assert "single character" in reason(history, "港", "fts_cjk")
    assert "fewer than 3 CJK" in reason(history, "港口", "trigram")
    assert "tool" in reason(history, "港口", "fts_cjk", roles=("user", "tool"))
    assert "HERMES_CJK_FTS" in reason(history, "港口", "fts_cjk", environ={"HERMES_CJK_FTS": "0"})
    old = why(history, "arbou", agent_ask("arbou"), policy=HERMES_0_19)
    assert [n.state for n in old.routes] == ["answered", "skipped", "skipped", "skipped"]
    assert "does not look for pieces" in old.routes[2].reason
    assert why(history, "***", agent_ask("***")).routes == ()


def test_the_word_that_kills_is_named(history: History) -> None:
    found = why(history, "harbour ferry zebra", agent_ask("harbour ferry zebra"))
    assert found.killer == ""  # no single one: harbour and ferry never meet either
    assert "no single one is to blame" in found.checks[1].text
    found = why(history, "lighthouse ferry zebra", agent_ask("lighthouse ferry zebra"))
    assert found.killer == "zebra"
    assert [(u.text, u.alone, u.without) for u in found.units] == [
        ("lighthouse", Count(2, 2), Count(0, 0)),
        ("ferry", Count(2, 2), Count(0, 0)),
        ("zebra", Count(0, 0), Count(1, 1)),
    ]
    assert found.either is not None
    assert (found.either.query, found.either.count) == (
        "lighthouse OR ferry OR zebra",
        Count(3, 3),
    )
    assert found.phrase is not None
    assert found.phrase.query == '"lighthouse ferry zebra"'
    assert "'zebra' it would find 1 row" in found.checks[1].text


def test_the_funnel_as_a_line(history: History) -> None:
    found = why(history, "harbour", agent_ask("harbour", limit=1))
    assert funnel_sentence(found.funnel) == (
        "4 matched − 1 hidden sources (1 scheduled last) − 2 over the limit = 1 shown"
    )
    assert funnel_sentence(why(history, "***", agent_ask("***")).funnel) == "0 matched = 0 shown"


def test_filters_are_not_the_agents(history: History) -> None:
    ask = agent_ask("harbour source:cli")
    found = why(history, "harbour source:cli", ask)
    assert (found.query, found.asked) == ("harbour source:cli", "harbour")


@pytest.mark.shared
def test_it_can_be_stopped(big: History) -> None:
    with pytest.raises(Interrupted):
        why(big, "this", agent_ask("this"), stop=lambda: True)
    asked: list[int] = []
    why(big, "this", agent_ask("this"), stop=lambda: bool(asked.append(1)))
    for few in (len(asked) // 2, len(asked) - 2):  # in the search, and in the counting after it
        left = iter(range(few))
        with pytest.raises(Interrupted):
            why(big, "this", agent_ask("this"), stop=lambda left=left: next(left, None) is None)


def test_lineages_of_a_very_common_word_are_at_least(
    tmp_path: Path, opened: Callable[[Path], History]
) -> None:
    path = tmp_path / "common.db"
    with HistoryWriter(path) as writer, writer.batch():
        for number in range(3):
            writer.create_session(NewSession(id=f"s{number}", source="cli", started_at=START))
            rows = [NewMessage(role="user", content="the")] * (LINEAGES_FROM // 2 + 1)
            writer.append_batch(f"s{number}", rows, START)
    plan = Plan("fts5", "messages_fts", "the")
    count = Counter(opened(path), asked_by(plan, "the")).of_match("the")
    assert count == Count(3 * (LINEAGES_FROM // 2 + 1), 2, True)


def test_columns_side_by_side(history: History) -> None:
    found = compare(history, "harbour", agent_ask("harbour"), ("hermes", "newest", "fts_cjk"))
    agent, newest, _ = found.columns
    assert [c.root for c in agent.cells] == ["s2", "s1", "s6"]
    assert [c.root for c in newest.cells] == ["s2", "s1", "s6"]
    assert [row.root for row in found.rows] == ["s2", "s1", "s6"]
    assert found.rows[0].moves[:2] == (0, 0)
    assert found.overlaps[0] == (1.0, 1.0)
    thorough = compare(history, "harbour", agent_ask("harbour"), ("agent", "thorough"))
    only = {row.root: row.only for row in thorough.rows}
    assert only == {"s2": "", "s1": "", "s6": "", "s4": "thorough"}
    assert thorough.overlaps[1] == (1.0, 0.75)


def test_every_column_answers_or_says_why(history: History) -> None:
    for query in ("harbour", "港口", "a@b", "***", "harbour 港"):
        found = compare(history, query, agent_ask(query), list(COLUMNS))
        assert [c.name for c in found.columns] == list(COLUMNS)
        assert all(c.cells or c.problem or c.route for c in found.columns)
        text = "\n".join(line.text for line in comparison_lines(found))
        assert all(f"{name}: " in text for name in COLUMNS)
    found = compare(history, "a@b", agent_ask("a@b"), ("fts5", "hermes-0.21", "like_scan"))
    assert [bool(c.problem) for c in found.columns] == [True, False, False]


def test_a_forced_route_is_that_route(history: History) -> None:
    for route in ("fts5", "trigram", "fts_cjk", "like_scan"):
        found = compare(history, "harbour", agent_ask("harbour"), (route,))
        assert found.columns[0].route == route
        assert {c.root for c in found.columns[0].cells} == {"s1", "s2", "s6"}


def test_a_column_that_there_is_not(history: History) -> None:
    with pytest.raises(HistoryError, match="no column 'bm25'"):
        compare(history, "harbour", agent_ask("harbour"), ("bm25",))


def test_an_overlap_is_of_the_longer_list(history: History) -> None:
    found = compare(history, "harbour", agent_ask("harbour"), ("agent", "thorough"))
    agent, thorough = found.columns
    assert overlap(agent, thorough, 10) == 0.75
    assert overlap(thorough, agent, 1) == 1.0
    empty = compare(history, "zebra", agent_ask("zebra"), ("agent", "fts5"))
    assert overlap(*empty.columns, 10) == 1.0


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("容器", 2), ("容器ab", 3)]
)
def test_tokens_are_estimated_as_documented(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens
