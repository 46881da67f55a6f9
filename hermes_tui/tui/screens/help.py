"""The help screen, made from the registry: the keys of the focused pane first, then the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.tui.commands import COMMANDS, SCOPE_TITLES, Pane, Scope, keys_text
from hermes_tui.tui.widgets.conversation import track

QUERY_SYNTAX: tuple[tuple[str, str], ...] = (
    ("docker network", "messages that hold both words"),
    ('"bridge network"', "the words side by side, in this order"),
    ("deploy*", "words that begin so"),
    ("docker OR podman", "either word; AND and NOT work too"),
    ("gateway/run.py", "words joined by . - / _ are read as one"),
    ("東京 観光", "Chinese, Japanese and Korean need no spaces"),
    ("source:cli", "only from there; role: tool: title: cwd: session: profile: too"),
    ("after:30d", "only newer; before: too, with 2w, yesterday, 2026-03 or 2026-03-31"),
)

SIGNS: tuple[tuple[str, str], ...] = (
    ("[2/75]", "in the results: messages that match, of those in the lineage"),
    ("▌ █", "the message under the cursor, and the line in it"),
    (track.ANCHOR, "on the track at the right: where the conversation was opened"),
    (f"{track.HIT} {track.HIT_HERE}", "messages that match; the second is on the screen"),
    (track.BOOKMARK, "a bookmark"),
    (f"{track.BEFORE} {track.AFTER}", "the session goes on from another one, or in one: scroll on"),
    ("┄ 20 messages ┄", "messages between: Enter shows them, scrolling on does, too"),
)
_KEY_COLUMN = 18


class HelpScreen(ModalScreen[None]):
    """Closed by Esc, q, Enter or ?."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,f1", "dismiss", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
        Binding("space", "page(1)", show=False),
        Binding("b", "page(-1)", show=False),
    ]

    def __init__(self, pane: Pane, keymap: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._pane = pane
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help") as box:
            box.border_title = "help"
            box.border_subtitle = "Esc closes"
            yield Static(help_content(self._pane, self._keymap), markup=False)

    def action_scroll(self, step: int) -> None:
        """A line down or up."""
        self.query_one("#help", VerticalScroll).scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page down or up."""
        box = self.query_one("#help", VerticalScroll)
        box.scroll_relative(y=step * max(1, box.size.height - 1), animate=False)


def help_content(pane: Pane, keymap: Mapping[str, str] | None = None) -> Group:
    """All of the help: keys by scope, `pane` first, then how a query is written."""
    scopes: list[Scope] = [pane, *(scope for scope in SCOPE_TITLES if scope != pane)]
    parts: list[RenderableType] = []
    for scope in scopes:
        rows = [
            (keys_text(command, keymap) or "palette", command.help)
            for command in COMMANDS
            if command.scope == scope
        ]
        parts += _section(SCOPE_TITLES[scope], rows)
    parts += _section("Signs", SIGNS)
    parts += _section("How a query is written", QUERY_SYNTAX)
    return Group(*parts)


def _section(title: str, rows: Sequence[tuple[str, str]]) -> tuple[RenderableType, ...]:
    """A title, and rows whose second column wraps under itself."""
    table = Table.grid(padding=(0, 2))
    table.add_column(width=_KEY_COLUMN)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(f" {left}", "bold"), Text(right))
    return (Text(title, "bold underline"), table, Text(""))
