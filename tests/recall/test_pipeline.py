"""Answers: filters, the reason of every lineage the agent does not see, order, growth, funnel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.outcome import UNSEEN_TEXT, LineageHit, Outcome
from hermes_tui.recall.pipeline import Question, answers, search
from hermes_tui.recall.policy import HERMES
from hermes_tui.storage.encoding import tool_call
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

DAY = 86_400.0
START = 1_780_000_000.0


class Talks:
    """Writes small conversations, a day after the other."""

    def __init__(self, writer: HistoryWriter) -> None:
        self.writer = writer
        self._clock = itertools.count(1)

    def talk(self, name: str, *said: str | NewMessage, source: str = "cli", **rest: object) -> str:
        start = START + next(self._clock) * DAY
        self.writer.create_session(
            NewSession(id=name, source=source, started_at=start, **rest)  # type: ignore[arg-type]
        )
        messages = [NewMessage(role="user", content=m) if isinstance(m, str) else m for m in said]
        self.writer.append_batch(name, messages, start + 10)
        return name


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer:
        talks = Talks(writer)
        talks.talk("plain", "the falcon is mine", title="Birds of prey", cwd="/srv/birds")
        talks.talk("hidden", "a falcon for the helper", source="subagent")
        talks.talk("scheduled", "falcon report", source="cron")
        talks.talk("output", "run", NewMessage(role="tool", content="falcon", tool_name="terminal"))
        call = tool_call("search_web", {"q": "falcon"}, "c1")
        talks.talk("called", "go", NewMessage(role="assistant", content="", tool_calls=[call]))
        talks.talk("fused", "升级falcon客户端")
        talks.talk("taken back", "keep", "falcon by mistake")
        talks.talk("own", "falcon here and now")
        talks.talk("second", "falcon again, in words that are many and so rank it lower " * 3)
        writer.rewind("taken back", 2 + 8)
    with History.open(Place(str(path), "default"), register=register) as opened:
        yield opened


def by_session(outcome: Outcome) -> dict[str, LineageHit]:
    return {line.session_id: line for line in outcome.lineages}


def reason(line: LineageHit) -> str | None:
    return line.unseen.reason if line.unseen else None


def test_every_lineage_has_its_rank_or_its_reason(history: History) -> None:
    outcome = search(history, "falcon", limit=1, current_session="own")
    lines = by_session(outcome)
    ranks = [line.agent_rank for line in outcome.lineages if line.agent_rank is not None]
    assert ranks == [1]
    assert {name: reason(line) for name, line in lines.items() if line.agent_rank is None} == {
        **{n: "beyond_limit" for n in ("plain", "second", "called") if lines[n].agent_rank is None},
        "scheduled": "beyond_limit",
        "hidden": "hidden_source",
        "output": "role_filter",
        "fused": "not_matched",
        "own": "current_lineage",
    }
    assert "taken back" not in lines
    assert "rewound_hidden" in {notice.code for notice in outcome.notices}
    assert outcome.lineages[0].agent_rank == 1


def test_the_agents_own_reading(history: History) -> None:
    outcome = search(history, "falcon", policy=HERMES, limit=2)
    assert [line.agent_rank for line in outcome.lineages][:2] == [1, 2]
    assert {reason(line) for line in outcome.lineages[2:]} == {"beyond_limit"}
    assert not {"hidden", "output", "fused"} & set(by_session(outcome))


def test_the_funnel_adds_up(history: History) -> None:
    for policy in ("thorough", "hermes"):
        outcome = search(history, "falcon", limit=2, current_session="own")
        before = outcome.funnel[0].left
        for step in outcome.funnel[1:]:
            assert step.left == before - step.removed, (policy, step)
            before = step.left
        assert outcome.funnel[-1].left == outcome.agent_sees == 2


def test_rewound_rows_on_request(history: History) -> None:
    line = by_session(search(history, "falcon", show_rewound=True))["taken back"]
    assert reason(line) == "rewound"


def test_the_same_order_by_time(history: History) -> None:
    for sort, step in (("newest", -1), ("oldest", 1)):
        outcome = search(history, "falcon", sort=sort, limit=10)  # type: ignore[arg-type]
        times = [line.when for line in outcome.lineages if line.agent_rank and not line.demoted]
        assert times == sorted(times, key=lambda t: step * (t or 0))
        assert len(times) > 2


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ("falcon source:cron", {"scheduled"}),
        ("falcon source:cron,subagent", {"scheduled", "hidden"}),
        ("falcon NOT source:cli", {"scheduled", "hidden"}),
        ("falcon role:tool", {"output"}),
        ("falcon role:hermes", {"called"}),
        ("falcon tool:terminal", {"output"}),
        ("falcon tool:search", {"called"}),
        ("tool:search_web", {"called"}),
        ("falcon title:prey", {"plain"}),
        ("falcon title:PREY", {"plain"}),
        ("falcon cwd:/srv", {"plain"}),
        ("falcon session:fus", {"fused"}),
        ("falcon after:2026-06-05", {"own", "second"}),
        ("falcon before:2026-05-30 after:2026-05-29", {"plain"}),
        ("source:cron", {"scheduled"}),
        ("falcon profile:work", set()),
        ("falcon source:nowhere", set()),
    ],
)
def test_filters(history: History, query: str, sessions: set[str]) -> None:
    outcome = search(history, query)
    assert set(by_session(outcome)) == sessions
    assert outcome.lineages or outcome.notices


def test_found_by_name(history: History) -> None:
    assert [line.label for line in search(history, "birds prey").lineages] == ["title"]
    (line,) = search(history, "@session:default/scheduled").lineages
    assert (line.session_id, line.label) == ("scheduled", "id")


def test_the_index_answers_first_and_the_scan_joins_it(history: History) -> None:
    grown = list(answers(history, Question("falcon", limit=1)))
    assert [outcome.complete for outcome in grown][-1] is True
    assert not any(outcome.complete for outcome in grown[:-1])
    first, last = set(by_session(grown[0])), set(by_session(grown[-1]))
    assert "plain" in first
    assert "fused" in last - first
    told = {n.code: n.text for n in grown[-1].notices}
    assert "CJK" in told["scanned"]


def test_a_scan_that_adds_nothing_is_not_worth_a_word(history: History) -> None:
    """Nothing was found beside the index, or the filters let nothing of it through."""
    for query in ("zebra", "falcon session:plain"):
        assert "scanned" not in {notice.code for notice in search(history, query).notices}
    (told,) = (n.text for n in search(history, "falcon").notices if n.code == "scanned")
    assert "0 hits" not in told


def test_a_search_ends_when_nobody_waits(history: History) -> None:
    with pytest.raises(Interrupted):
        search(history, "falcon OR the OR a*", stop=lambda: True)


def test_every_reason_has_words() -> None:
    assert all(UNSEEN_TEXT.values())


def test_hits_are_best_first_and_counted(history: History) -> None:
    line = by_session(search(history, "falcon"))["second"]
    assert (line.matched, line.total) == (len(line.hits), 1)
    assert line.message_id == line.hits[0]
    start, end = line.marks[0]
    assert line.snippet[start:end] == "falcon"
