"""The service over a real history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.history.errors import HistoryError, Interrupted
from hermes_tui.history.locate import Place
from hermes_tui.storage.writer import HistoryWriter
from hermes_tui.tui.recalling import RecallService
from hermes_tui.tui.service import Question


def never() -> bool:
    return False


@pytest.fixture
def recall(small_history: Path) -> Iterator[RecallService]:
    service = RecallService(Place(str(small_history), "default"))
    yield service
    service.close()


def test_nothing_asked_lists_the_recent_sessions(recall: RecallService) -> None:
    (outcome,) = recall.answers(Question("  "), never)
    assert [row.session_id for row in outcome.lineages] == [f"s{n}" for n in range(1, 7)]
    assert outcome.notices == ()


def test_a_query_is_answered_with_what_the_agent_sees(recall: RecallService) -> None:
    *_, outcome = recall.answers(Question("says"), never)
    assert outcome.complete
    assert len(outcome.lineages) == 6
    assert outcome.agent_sees == 3
    assert [row.matched for row in outcome.lineages] == [12] * 6


def test_the_order_is_asked_for(recall: RecallService) -> None:
    *_, newest = recall.answers(Question("says", "newest"), never)
    *_, oldest = recall.answers(Question("says", "oldest"), never)
    assert newest.lineages[0].session_id == "s1"
    assert oldest.lineages[0].session_id == "s6"


def test_a_search_that_is_no_longer_wanted_ends(recall: RecallService) -> None:
    with pytest.raises(Interrupted):
        list(recall.answers(Question("says"), lambda: True))


def test_an_empty_history_says_so(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path):
        pass
    service = RecallService(Place(str(path), "default"))
    (outcome,) = service.answers(Question(""), never)
    assert [notice.code for notice in outcome.notices] == ["no_sessions"]
    service.close()


def test_roles(recall: RecallService, small_history: Path) -> None:
    assert recall.roles("docker") == "all"
    assert recall.roles("docker role:user") == "user"
    agent = RecallService(Place(str(small_history), "default"), policy_name="hermes")
    assert agent.roles("docker role:user") == "user+assistant"


def test_an_unknown_policy_is_one_sentence(small_history: Path) -> None:
    with pytest.raises(HistoryError, match="no policy 'best'"):
        RecallService(Place(str(small_history), "default"), policy_name="best")


def test_matches_are_marked(recall: RecallService) -> None:
    *_, outcome = recall.answers(Question("says"), never)
    marks = recall.highlighter("says", outcome.lineages[0], outcome.route)
    assert marks("who says what") == [(4, 8)]
