"""Roots, edges and trees of sessions, also where the ties make no sense (facts 50 and 72)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.history.lineage import RESET_REASONS, Families
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session
from hermes_tui.history.selecting import _SESSION_COLUMNS, session_from_row


def session(session_id: str, parent: str | None = None, **cells: Any) -> Session:
    known = {"id": session_id, "source": "cli", **cells}
    known["parent_session_id"] = parent
    names = [name for name, *_ in _SESSION_COLUMNS]
    values = (known.get(name) for name in names)
    return session_from_row(tuple(v.encode() if isinstance(v, str) else v for v in values))


def families(*sessions: Session) -> Families:
    return Families({s.id: s for s in sessions})


def walked(tied: Families, root: str) -> list[tuple[str, int]]:
    return list(tied.walk(root))


def test_a_chain_has_one_root() -> None:
    tied = families(session("a"), session("b", "a"), session("c", "b"))
    assert [tied.root(s) for s in "abc"] == ["a", "a", "a"]
    assert walked(tied, "a") == [("a", 0), ("b", 1), ("c", 2)]


def test_children_stand_after_their_parent_oldest_first() -> None:
    tied = families(
        session("a"),
        session("late", "a", started_at=9.0),
        session("early", "a", started_at=1.0),
        session("below", "early"),
        session("undated", "a"),
    )
    assert tied.children("a") == ["undated", "early", "late"]
    assert walked(tied, "a") == [("a", 0), ("undated", 1), ("early", 1), ("below", 2), ("late", 1)]


def test_a_parent_without_a_row_is_the_root() -> None:
    tied = families(session("a", "gone"), session("b", "gone"), session("c", "a"))
    assert [tied.root(s) for s in "abc"] == ["gone"] * 3
    assert walked(tied, "gone") == [("a", 1), ("c", 2), ("b", 1)]


def test_an_unknown_session_is_its_own_root() -> None:
    assert families().root("x") == "x"
    assert walked(families(), "x") == []


def test_a_session_that_is_its_own_parent() -> None:
    tied = families(session("a", "a"))
    assert tied.root("a") == "a"
    assert walked(tied, "a") == [("a", 0)]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdefx") | st.none()))
def test_any_ties_end(parents: dict[str, str | None]) -> None:
    tied = families(*(session(name, parent) for name, parent in parents.items()))
    for name in parents:
        root = tied.root(name)
        members = [member for member, _ in tied.walk(root)]
        assert name in members, "a session is in the tree of its own root"
        assert len(members) == len(set(members))


def marked(key: str) -> str:
    return '{"' + key + '": "a"}'


EDGES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"end_reason": "compression"}, {}, "compression"),
    ({"end_reason": "branched"}, {}, "branch"),
    ({"end_reason": "compression"}, {"model_config": marked("_branched_from")}, "branch"),
    ({}, {"model_config": marked("_delegate_from")}, "delegate"),
    ({"end_reason": "compression"}, {"source": "subagent"}, "delegate"),
    ({}, {"source": "kanban"}, "delegate"),
    ({}, {"model_config": marked("_reset_from")}, "reset"),
    ({}, {}, "delegate"),
    ({"end_reason": "cli_close"}, {}, "delegate"),
    *(({"end_reason": reason}, {}, "reset") for reason in sorted(RESET_REASONS)),
]


@pytest.mark.parametrize(("parent", "child", "edge"), EDGES)
def test_edges(parent: dict[str, Any], child: dict[str, Any], edge: str) -> None:
    tied = families(session("a", **parent), session("b", "a", **child))
    assert tied.edge("a") == "root"
    assert tied.edge("b") == edge


def test_the_recorded_lineages(copy_db: Callable[[str], Path]) -> None:
    with History.open(Place(str(copy_db("state-2026-08")))) as history:
        ids = sorted(history.families().sessions)

        def ending(end: str) -> str:
            return next(i for i in ids if i.endswith(end))

        compressed = history.lineage(ending("bbbb02"))
        assert compressed.root == ending("bbbb01")
        assert [n.edge for n in compressed.nodes] == ["root", "compression"]
        assert [n.messages for n in compressed.nodes] == [2, 2]
        assert compressed.index(ending("bbbb02")) == 1
        assert compressed.index("nobody") is None
        delegated = history.lineage(ending("cccc01"))
        assert [(n.session.id, n.edge, n.depth) for n in delegated.nodes] == [
            (ending("aaaa01"), "root", 0),
            (ending("cccc01"), "delegate", 1),
        ]
        assert [n.edge for n in history.lineage(ending("dddd01")).nodes] == ["root", "branch"]


def test_the_lineage_of_nobody_is_empty(copy_db: Callable[[str], Path]) -> None:
    with History.open(Place(str(copy_db("state-2026-08")))) as history:
        assert history.lineage("nobody").nodes == ()
