from __future__ import annotations

from collections import Counter

import pytest
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from hermes_tui.tui.commands import (
    BY_ID,
    COMMANDS,
    SCOPE_TITLES,
    Command,
    Scope,
    Situation,
    applicable,
    bindings,
    hints,
    is_allowed,
    key_table_markdown,
    key_text,
    keys_of,
    unknown_ids,
)
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.widgets.prompt_line import PromptField
from hermes_tui.tui.widgets.query_bar import QueryBar
from hermes_tui.tui.widgets.reader import Reader
from hermes_tui.tui.widgets.results import ResultsList

WIDGETS: dict[Scope, type] = {
    "query": QueryBar,
    "results": ResultsList,
    "conversation": Reader,
    "prompt": PromptField,
}


def test_ids_are_unique() -> None:
    assert len(BY_ID) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_has_an_action_that_exists(command: Command) -> None:
    where, _, name = command.action.rpartition(".")
    owner = {"screen": MainScreen, "app": App}.get(where) or WIDGETS[command.scope]
    method = getattr(owner, f"action_{name.partition('(')[0]}", None)
    assert callable(method), f"{owner.__name__} has no {command.action}"


@pytest.mark.parametrize("scope", SCOPE_TITLES)
def test_no_key_means_two_things_in_one_place(scope: Scope) -> None:
    keys = Counter(key for c in COMMANDS if c.scope == scope for key in c.keys)
    assert [key for key, times in keys.items() if times > 1] == []


def test_no_key_that_old_terminals_cannot_tell_apart() -> None:
    keys = {key for command in COMMANDS for key in command.keys}
    assert not keys & {"ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m"}


def test_nothing_is_reachable_by_function_or_alt_keys_only() -> None:
    for command in COMMANDS:
        plain = [key for key in command.keys if not key.startswith(("alt+", "f1"))]
        assert plain or not command.keys, command.id


def test_bindings_are_the_registry() -> None:
    for scope in SCOPE_TITLES:
        made = {key.id: key for key in bindings(scope)}
        assert set(made) == {c.id for c in COMMANDS if c.scope == scope and c.keys}
    bound = {b.id for b in Binding.make_bindings(ResultsList.BINDINGS)}
    assert bound == {c.id for c in COMMANDS if c.scope == "results"}


def test_the_key_table_is_the_registry() -> None:
    table = key_table_markdown()
    rows = [line for line in table.splitlines() if line.startswith("| `") or "| palette" in line]
    assert len(rows) == len(COMMANDS)
    for command in COMMANDS:
        assert any(command.help in row for row in rows)
        for key in command.keys:
            assert f"`{key_text(key)}`" in table


def test_key_names() -> None:
    assert [
        key_text(key)
        for key in ("ctrl+p", "j", "J", "+", "pagedown", "shift+tab", "f1", "f10", "f")
    ] == [
        "Ctrl+P",
        "j",
        "J",
        "+",
        "PgDn",
        "Shift+Tab",
        "F1",
        "F10",
        "f",
    ]


def test_conditions() -> None:
    empty = Situation("query")
    assert not is_allowed("screen", "cycle_sort", empty)
    assert is_allowed("screen", "cycle_sort", Situation("results", query="docker", rows=1))
    assert not is_allowed("conversation", "hit_next", empty)
    assert not is_allowed("results", "last", Situation("results"))
    assert is_allowed("conversation", "last", Situation("conversation", opened=True))
    assert is_allowed("screen", "no_such_action", empty)
    assert "results.open" not in {command.id for command in applicable(empty)}


def keys_hinted(situation: Situation, keymap=None) -> dict[str, str]:
    return {command.id: key for command, key in hints(situation, keymap)}


def test_hints_in_the_query_bar_are_keys_that_do_not_type() -> None:
    shown = keys_hinted(Situation("query", query="x", rows=3))
    assert shown["help"] == "F1"
    assert "leave" not in shown
    assert "sort" not in shown
    assert keys_hinted(Situation("results", query="x", rows=3))["sort"] == "s"


def test_a_keymap_changes_what_is_shown() -> None:
    keymap = {"conversation.hit_next": "f7, right", "nonsense": "x"}
    assert keys_of(BY_ID["conversation.hit_next"], keymap) == ("f7", "right")
    assert unknown_ids(keymap) == ["nonsense"]
    there = Situation("conversation", opened=True)
    assert keys_hinted(there, keymap)["conversation.hit_next"] == "F7"


def test_the_screen_adds_no_keys_of_its_own() -> None:
    assert "BINDINGS" not in MainScreen.__dict__
    assert not MainScreen._inherit_bindings
    assert issubclass(MainScreen, Screen)
