"""The one registry of commands.

Bindings, the key hints at the bottom, the palette, the help screen and the README's key table are
all made from `COMMANDS`; a user's keymap changes keys by command id. A command that does nothing
yet is not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding

from hermes_tui.tui.command import TEXT_PANES, Command, Pane, Scope, Situation, always
from hermes_tui.tui.command_table import ANYWHERE, COMMANDS, SCOPE_TITLES

__all__ = [
    "BY_ID",
    "COMMANDS",
    "SCOPE_TITLES",
    "Command",
    "Pane",
    "Scope",
    "Situation",
    "applicable",
    "bindings",
    "chord",
    "hints",
    "is_allowed",
    "key_table_markdown",
    "key_text",
    "keys_of",
    "keys_text",
    "starts_chord",
    "unknown_ids",
]

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
    if " " in key:
        return "".join(map(key_text, key.split()))
    *modifiers, last = key.split("+")
    if (modifiers and len(last) == 1) or (last[:1] == "f" and last[1:].isdigit()):
        last = last.upper()
    return "+".join(_KEY_NAMES.get(part, part) for part in (*modifiers, last))


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
    """Commands that do something now: those of the focused pane first, then those of anywhere.

    Left out are those of anywhere whose keys all mean something else in this pane.
    """
    mine = (command for command in COMMANDS if command.scope == situation.pane)
    here = [command for command in mine if command.when(situation)]
    taken = {key for command in here for key in command.keys}
    for command in (*here, *(c for c in ANYWHERE if not c.keys or set(c.keys) - taken)):
        if command.when(situation):
            yield command


def starts_chord(key: str, scope: Scope, keymap: Mapping[str, str] | None = None) -> bool:
    """Whether a key waits for another one: `z` in `z R`."""
    keys = (key for c in COMMANDS if c.scope == scope for key in keys_of(c, keymap))
    return any(chord.startswith(f"{key} ") for chord in keys)


def chord(chord: str, scope: Scope, keymap: Mapping[str, str] | None = None) -> Command | None:
    """The command of two keys after each other, such as `z R`."""
    return next((c for c in COMMANDS if c.scope == scope and chord in keys_of(c, keymap)), None)


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
) -> Iterable[tuple[Command, str]]:
    """What the bottom line offers: each hinted command with a key that works here.

    Where a letter is text, a command shows another of its keys, or nothing.
    """
    for command in applicable(situation):
        keys = keys_of(command, keymap)
        if situation.pane in TEXT_PANES:
            keys = tuple(key for key in keys if len(key) > 1)
        if command.hint and keys:
            yield command, key_text(keys[0])


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
