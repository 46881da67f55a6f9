"""The one registry of commands.

Bindings, the key hints at the bottom, the palette, the help screen and the README's key table are
all made from `COMMANDS`; a user's keymap changes keys by command id. A command that does nothing
yet is not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding

Scope = Literal["anywhere", "query", "results", "conversation"]
Pane = Literal["query", "results", "conversation"]

SCOPE_TITLES: dict[Scope, str] = {
    "anywhere": "Anywhere (letters: outside the query bar)",
    "query": "In the query bar",
    "results": "In the results",
    "conversation": "In the conversation",
}


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether a command applies. rows: entries in the results pane."""

    pane: Pane
    query: str = ""
    rows: int = 0
    opened: bool = False


def always(_: Situation) -> bool:
    """Applies in every situation."""
    return True


def has_rows(situation: Situation) -> bool:
    """Applies when the results pane has an entry."""
    return situation.rows > 0


def has_conversation(situation: Situation) -> bool:
    """Applies when a conversation is open."""
    return situation.opened


def has_query(situation: Situation) -> bool:
    """Applies when something stands in the query bar."""
    return bool(situation.query.strip())


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the user can do.

    keys: Textual key names, the first is the one that is shown; () is reachable by the palette
    only. label: two or three words. help: a sentence. action: a Textual action string, read by
    the widget of the scope. hint: stands in the key hints at the bottom. priority: works even
    while a text field or another screen has the keyboard.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    scope: Scope
    action: str
    when: Callable[[Situation], bool] = always
    hint: bool = False
    priority: bool = False


def _results(
    name: str, keys: tuple[str, ...], label: str, help_: str, hint: bool = False
) -> Command:
    return Command(f"results.{name}", keys, label, help_, "results", name, has_rows, hint)


def _conversation(
    name: str, keys: tuple[str, ...], label: str, help_: str, hint: bool = False
) -> Command:
    return Command(
        f"conversation.{name}", keys, label, help_, "conversation", name, has_conversation, hint
    )


ANYWHERE: tuple[Command, ...] = (
    Command(
        "query.focus",
        ("/",),
        "query",
        "Go to the query bar.",
        "anywhere",
        "screen.focus_query",
        hint=True,
    ),
    Command(
        "pane.next",
        ("tab",),
        "next pane",
        "Go to the next pane: query, results, conversation.",
        "anywhere",
        "screen.next_pane",
    ),
    Command(
        "pane.previous",
        ("shift+tab",),
        "previous pane",
        "Go to the pane before.",
        "anywhere",
        "screen.previous_pane",
    ),
    Command(
        "back",
        ("escape",),
        "back",
        "Go back one level: conversation, results, query bar; there it empties the query.",
        "anywhere",
        "screen.back",
        hint=True,
    ),
    Command(
        "sort",
        ("s",),
        "sort",
        "Change the order: relevance, newest, oldest.",
        "anywhere",
        "screen.cycle_sort",
        has_query,
        hint=True,
    ),
    Command(
        "help",
        ("?", "f1"),
        "help",
        "Show the keys and how a query is written.",
        "anywhere",
        "screen.help",
        hint=True,
    ),
    Command(
        "palette",
        ("ctrl+p",),
        "palette",
        "Find a command by its name.",
        "anywhere",
        "app.command_palette",
        priority=True,
    ),
    Command(
        "theme",
        (),
        "theme",
        "Choose the colours.",
        "anywhere",
        "app.change_theme",
    ),
    Command(
        "copy.selection",
        ("ctrl+c",),
        "copy selection",
        "Copy the text that is selected with the mouse.",
        "anywhere",
        "screen.copy_selection",
    ),
    Command(
        "leave",
        ("q",),
        "back or quit",
        "Leave the conversation; from the results, quit.",
        "anywhere",
        "screen.leave",
        hint=True,
    ),
    Command(
        "quit",
        ("ctrl+q",),
        "quit",
        "Quit at once, from anywhere.",
        "anywhere",
        "app.quit",
        priority=True,
    ),
)

QUERY: tuple[Command, ...] = (
    Command(
        "query.open",
        ("enter",),
        "open",
        "Search at once and open the first result at its hit.",
        "query",
        "screen.open_from_query",
        hint=True,
    ),
    Command(
        "query.results",
        ("down",),
        "results",
        "Go to the results; while walking through older queries, to the newer one.",
        "query",
        "newer",
        hint=True,
    ),
    Command(
        "query.older",
        ("up",),
        "older query",
        "Bring back the query before this one.",
        "query",
        "older",
    ),
)

RESULTS: tuple[Command, ...] = (
    _results("open", ("enter", "l", "right"), "open", "Open the conversation at its hit.", True),
    _results("line_down", ("j", "down"), "next result", "Go to the next result."),
    _results("line_up", ("k", "up"), "previous result", "Go to the previous result."),
    _results("page_down", ("pagedown", "space", "ctrl+d"), "page down", "Go down one page."),
    _results("page_up", ("pageup", "b", "ctrl+u"), "page up", "Go up one page."),
    _results("first", ("g", "home"), "first result", "Go to the first result."),
    _results("last", ("G", "end"), "last result", "Go to the last result."),
)

CONVERSATION: tuple[Command, ...] = (
    _conversation("hit_next", ("n",), "next hit", "Go to the next message that matches.", True),
    _conversation("hit_prev", ("N",), "previous hit", "Go to the match before.", True),
    _conversation("anchor", ("a",), "anchor", "Go back to the hit it was opened at.", True),
    Command(
        "result.next",
        (">",),
        "next result",
        "Open the next result without leaving the conversation.",
        "conversation",
        "screen.step_result(1)",
        has_rows,
        hint=True,
    ),
    Command(
        "result.previous",
        ("<",),
        "previous result",
        "Open the result before without leaving the conversation.",
        "conversation",
        "screen.step_result(-1)",
        has_rows,
    ),
    _conversation("line_down", ("j", "down"), "line down", "Scroll down one line."),
    _conversation("line_up", ("k", "up"), "line up", "Scroll up one line."),
    _conversation("page_down", ("space", "pagedown"), "page down", "Scroll down one page."),
    _conversation("page_up", ("b", "pageup"), "page up", "Scroll up one page."),
    _conversation("half_down", ("ctrl+d",), "half page down", "Scroll down half a page."),
    _conversation("half_up", ("ctrl+u",), "half page up", "Scroll up half a page."),
    _conversation("message_next", ("J",), "next message", "Go to the next message."),
    _conversation("message_prev", ("K",), "previous message", "Go to the message before."),
    _conversation("turn_next", ("}",), "next turn", "Go to the next message of the user."),
    _conversation("turn_prev", ("{",), "previous turn", "Go to the user's message before."),
    _conversation("first", ("g", "home"), "first message", "Go to the start of the session."),
    _conversation("last", ("G", "end"), "last message", "Go to the end of the session."),
    _conversation("wider", ("+", "="), "wider", "Show more messages around the hit."),
    _conversation("narrower", ("-",), "narrower", "Show fewer messages around the hit."),
    _conversation("open_fold", ("enter", "z"), "fold", "Open or close a fold; load a gap."),
    _conversation("toggle_tools", ("t",), "tools", "Tool output: off, one line, cut, full.", True),
    _conversation("toggle_rewound", ("u",), "rewound", "Show or hide messages that were rewound."),
    _conversation("unfold_all", ("R",), "unfold all", "Open all folds."),
    _conversation("fold_all", ("M",), "fold all", "Close all folds."),
)

COMMANDS: tuple[Command, ...] = ANYWHERE + QUERY + RESULTS + CONVERSATION
BY_ID: dict[str, Command] = {command.id: command for command in COMMANDS}

_KEY_NAMES = {
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "space": "Space",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "shift": "Shift",
    "ctrl": "Ctrl",
    "question_mark": "?",
    "slash": "/",
}


def key_text(key: str) -> str:
    """A Textual key name as people write it: `ctrl+p` is `Ctrl+P`."""
    if key == "+":
        return key
    *modifiers, last = key.split("+")
    if modifiers and len(last) == 1:
        last = last.upper()
    return "+".join(_KEY_NAMES.get(part, part) for part in (*modifiers, last)).replace("f1", "F1")


def keys_of(command: Command, keymap: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The keys of a command after the user's keymap (`id -> "key,key"`)."""
    own = (keymap or {}).get(command.id)
    if own is None:
        return command.keys
    return tuple(key.strip() for key in own.split(",") if key.strip())


def keys_text(command: Command, keymap: Mapping[str, str] | None = None) -> str:
    """All keys of a command for a table: `j ↓`."""
    return " ".join(key_text(key) for key in keys_of(command, keymap))


def unknown_ids(keymap: Mapping[str, str]) -> list[str]:
    """Ids of a keymap that are no command."""
    return sorted(set(keymap) - set(BY_ID))


def bindings(scope: Scope) -> list[Binding]:
    """Textual bindings of a scope; ids are command ids, so `App.set_keymap` works on them."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label,
            show=False,
            priority=command.priority,
            tooltip=command.help,
            id=command.id,
        )
        for command in COMMANDS
        if command.scope == scope and command.keys
    ]


def applicable(situation: Situation) -> Iterable[Command]:
    """Commands that do something now: those of the focused pane first, then those of anywhere."""
    for command in (*(c for c in COMMANDS if c.scope == situation.pane), *ANYWHERE):
        if command.when(situation):
            yield command


def _addressee(command: Command) -> tuple[str, str]:
    """(who runs the action: `screen`, `app` or the scope's own widget; the action's bare name)."""
    where, _, name = command.action.rpartition(".")
    return where or command.scope, name.partition("(")[0]


_CONDITIONS = {_addressee(command): command.when for command in COMMANDS}


def is_allowed(addressee: str, action: str, situation: Situation) -> bool:
    """Whether an action applies now; actions that are not in the registry always do.

    addressee: `screen`, or the scope of the widget that runs it.
    """
    return _CONDITIONS.get((addressee, action), always)(situation)


def hints(
    situation: Situation, keymap: Mapping[str, str] | None = None
) -> Iterable[tuple[str, str]]:
    """What the bottom line offers, as (key, label): each command with a key that works here.

    In the query bar a letter is text, so a command shows another of its keys there, or nothing.
    """
    for command in applicable(situation):
        keys = keys_of(command, keymap)
        if situation.pane == "query":
            keys = tuple(key for key in keys if len(key) > 1)
        if command.hint and keys:
            yield key_text(keys[0]), command.label


def key_table_markdown() -> str:
    """The README's key table: one line per command, in the order of the registry."""
    lines: list[str] = []
    for scope, title in SCOPE_TITLES.items():
        lines += [f"**{title}**", "", "| key | does |", "|---|---|"]
        for command in COMMANDS:
            if command.scope == scope:
                keys = " ".join(f"`{key_text(key)}`" for key in command.keys)
                lines.append(f"| {keys or 'palette'} | {command.help} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"
