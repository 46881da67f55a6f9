"""Rules side by side: one row for each lineage, its rank by each, and what they have in common."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.history.errors import Interrupted
from hermes_tui.recall.explain.compare import COLUMNS, Comparison
from hermes_tui.recall.explain.comparing import (
    column_text,
    header_text,
    row_kind,
    row_text,
)
from hermes_tui.text.clean import drawable
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.screens.panel import STYLES, Wish, cancelled
from hermes_tui.tui.widgets.conversation.loader import failure_of
from hermes_tui.tui.widgets.menu import Menu, Row
from hermes_tui.tui.workbench import Workbench

GROUP = "compare"


class CompareScreen(ModalScreen[Wish | None]):
    """Digits put a column in or take it out; Enter opens the lineage under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,c", "close", show=False),
        *(Binding(str(n), f"column({n})", show=False) for n in range(1, len(COLUMNS) + 1)),
    ]

    class _Compared(Message):
        """The columns are there. error: why not, clean."""

        def __init__(self, comparison: Comparison | None, error: str = "") -> None:
            super().__init__()
            self.comparison = comparison
            self.error = error

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.columns: list[str] = list(bench.columns)
        self.comparison: Comparison | None = None
        self._header = Static("Searching by all of them …", id="compare-header", markup=False)
        self._notes = Static("", id="compare-notes", markup=False)
        self.menu = Menu((), id="menu")

    def compose(self) -> ComposeResult:
        """Names, rows, and what each column found."""
        with Vertical(id="compare") as box:
            box.border_title = Content("side by side")
            box.border_subtitle = Content("1-9 columns · Enter opens · Esc closes")
            yield self._header
            yield self.menu
            yield self._notes

    def on_mount(self) -> None:
        """Search by the first columns."""
        self.menu.focus()
        self._compare()

    def on_unmount(self) -> None:
        """Nobody waits for the columns any more."""
        self.workers.cancel_node(self)

    def _compare(self) -> None:
        self.run_worker(self._work, group=GROUP, thread=True, exclusive=True, exit_on_error=False)

    def _work(self) -> None:
        """Runs in a thread: only posts a message."""
        try:
            done = self._Compared(self._bench.comparison(tuple(self.columns), cancelled))
        except Interrupted:
            return
        except Exception as error:  # whatever it was, the screen says so and goes on
            done = self._Compared(None, failure_of(error))
        if not cancelled():
            self.post_message(done)

    def on_compare_screen__compared(self, event: _Compared) -> None:
        """Show the columns."""
        self.comparison = event.comparison
        if event.comparison is None:
            self._header.update(Content(event.error))
            return
        found = event.comparison
        self._header.update(Content(f"  {header_text(found)}"))
        self.menu.show([_row(found, place) for place in range(len(found.rows))])
        notes = [column_text(found, place) for place in range(len(found.columns))]
        if not found.rows:
            notes.insert(0, "No column finds anything.")
        self._notes.update(Content("\n".join(["", *map(drawable, notes), "", self._legend()])))

    def _legend(self) -> str:
        """Every column with its digit; those that are in are marked."""
        names = [
            f"{number}{'*' if name in self.columns else ' '}{name}"
            for number, name in enumerate(COLUMNS, start=1)
        ]
        half = -(-len(names) // 2)
        return "\n".join("  ".join(row) for row in (names[:half], names[half:]))

    def action_column(self, number: int) -> None:
        """Put a column in, or take it out; one stays."""
        name = list(COLUMNS)[number - 1]
        if name not in self.columns:
            self.columns.append(name)
        elif len(self.columns) > 1:
            self.columns.remove(name)
        self._compare()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        """End with the wish to open the lineage, where the first column has its hit."""
        if self.comparison is not None and event.index < len(self.comparison.rows):
            self.dismiss(("open", self.comparison.rows[event.index].root))

    def action_close(self) -> None:
        """Close without a wish."""
        self.dismiss(None)


def _row(comparison: Comparison, place: int) -> Row:
    row = comparison.rows[place]
    text = drawable(row_text(comparison, row))
    return (Piece(text, STYLES[row_kind(row)]),), ()
