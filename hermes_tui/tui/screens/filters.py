"""The filter panel: sources, roles and times to choose from; what is chosen edits the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from hermes_tui.recall.editing import values_of, with_filter, without_filters
from hermes_tui.recall.filtering import ROLE_NAMES
from hermes_tui.recall.vocabulary import ROLES, Vocabulary
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.widgets.menu import Menu, Row
from hermes_tui.tui.widgets.one_line import OneLine
from hermes_tui.tui.wording import count

TIMES = (
    ("any time", ""),
    ("the last 7 days", "7d"),
    ("the last 30 days", "30d"),
    ("the last 90 days", "90d"),
    ("the last year", "1y"),
)
_LABEL = 8


@dataclass(frozen=True, slots=True)
class Option:
    """A row: a value of a filter, on or off; name '' takes all filters away."""

    name: str
    value: str
    shown: str
    note: str
    on: bool


def options(text: str, vocabulary: Vocabulary) -> tuple[Option, ...]:
    """The rows for a query."""
    sources = {value.lower() for value in values_of(text, "source")}
    roles = {ROLE_NAMES.get(v.lower(), v.lower()) for v in values_of(text, "role")}
    after = (values_of(text, "after") or ("",))[-1].lower()
    rows = [
        Option("source", name, name, count(held, "session"), name.lower() in sources)
        for name, held in vocabulary.sources
    ]
    rows += [Option("role", role, role, "", role in roles) for role in ROLES]
    times = list(TIMES)
    if after not in (value for _, value in TIMES):
        times.append((f"after {after}", after))
    rows += [Option("after", value, shown, "", value == after) for shown, value in times]
    rows.append(Option("", "", "remove all filters", "", False))
    return tuple(rows)


def toggled(text: str, option: Option) -> str:
    """The query after a row was chosen."""
    if not option.name:
        return without_filters(text)
    if option.name == "after":
        return with_filter(text, "after", [option.value] if option.value else [])
    name, value = option.name, option.value
    held = [other for other in values_of(text, name) if _same(name, other) != value.lower()]
    if not option.on:
        held.append(value)
    return with_filter(text, name, held)


def _same(name: str, value: str) -> str:
    return ROLE_NAMES.get(value.lower(), value.lower()) if name == "role" else value.lower()


class FilterScreen(ModalScreen[None]):
    """Calls `changed` with the new query after each choice."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f", "dismiss", show=False)]

    def __init__(self, text: str, vocabulary: Vocabulary, changed: Callable[[str], None]) -> None:
        super().__init__()
        self._text = text
        self._vocabulary = vocabulary
        self._changed = changed
        self._options = options(text, vocabulary)
        self._query = OneLine(id="filtered")
        self.menu = Menu(self._rows(), id="menu")

    def compose(self) -> ComposeResult:
        """The query and the rows."""
        with Vertical(id="choice") as box:
            box.border_title = Content("filters")
            box.border_subtitle = Content("Space turns on and off · Esc closes")
            yield self._query
            yield self.menu

    def on_mount(self) -> None:
        """The keyboard is for the rows."""
        self.menu.focus()
        self._tell()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        """Change the query."""
        self._text = toggled(self._text, self._options[event.index])
        self._options = options(self._text, self._vocabulary)
        self.menu.show(self._rows())
        self._tell()
        self._changed(self._text)

    def _tell(self) -> None:
        self._query.put((Piece("query ", "bold"), Piece(one_line(self._text) or "…")))

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        labels = {"source": "source", "role": "role", "after": "time", "": ""}
        before = None
        for option in self._options:
            label = labels[option.name] if option.name != before else ""
            before = option.name
            marks = ("(•) ", "( ) ") if option.name == "after" else ("[x] ", "[ ] ")
            mark = marks[not option.on] if option.name else ""
            left = (
                Piece(label.ljust(_LABEL), "bold"),
                Piece(f"{mark}{one_line(option.shown)}", "bold" if option.on else ""),
            )
            rows.append((left, (Piece(option.note, "dim"),)))
        return rows
