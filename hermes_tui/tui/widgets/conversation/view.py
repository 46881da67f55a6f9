"""The conversation as it is drawn: a line at a time, only what is on the screen."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from hermes_tui.text.clean import stable
from hermes_tui.text.wrap import LEAST_WIDTH, expand, wrap
from hermes_tui.tui.widgets.conversation import paint, select, track
from hermes_tui.tui.widgets.conversation.base import MARGINS, NARROW
from hermes_tui.tui.widgets.conversation.document import Body
from hermes_tui.tui.widgets.conversation.layout import Position
from hermes_tui.tui.widgets.conversation.paint import Piece
from hermes_tui.tui.widgets.conversation.pointer import Pointed
from hermes_tui.tui.widgets.conversation.search import spans_near

_PREFIX = "conversation--"
_LAST_COLUMN = 1 << 30


class _Styles(dict[str, Style]):
    """Styles of a view by their short names."""

    def __init__(self, view: ConversationView) -> None:
        super().__init__({"": view.rich_style})
        self._view = view

    def __missing__(self, name: str) -> Style:
        if name == "selection":
            style = self._view.screen.get_component_rich_style("screen--selection")
        else:
            style = self._view.get_component_rich_style(_PREFIX + name, partial=True)
        self[name] = style
        return style


class ConversationView(Pointed, can_focus=True):
    """Any session, at any length: see `open`. The cursor is a line; its message is marked ▌."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"{_PREFIX}{name}"
        for name in (
            *("role-user", "role-assistant", "role-tool", "role-system", "dim", "anchor", "mark"),
            *("match", "find", "code", "code-row", "link", "host", "url", "output", "call"),
            *("reasoning", "rule", "gap", "cursor"),
            *("thumb", "track", "tick"),
        )
    }
    DEFAULT_CSS = """
    ConversationView {
        width: 1fr; height: 1fr;
        & > .conversation--role-user { color: $text-accent; text-style: bold; }
        & > .conversation--role-assistant { color: $text-primary; text-style: bold; }
        & > .conversation--role-tool { text-style: bold dim; }
        & > .conversation--role-system { text-style: bold italic; }
        & > .conversation--dim { text-style: dim; }
        & > .conversation--anchor { color: $text-warning; text-style: bold; }
        & > .conversation--mark { text-style: italic; }
        & > .conversation--match { background: $warning 35%; text-style: bold underline; }
        & > .conversation--find { text-style: bold reverse; }
        & > .conversation--code { color: $text-secondary; }
        & > .conversation--code-row { background: $boost; }
        & > .conversation--link { text-style: underline; }
        & > .conversation--host { color: $text-secondary; text-style: bold; }
        & > .conversation--url { text-style: dim; }
        & > .conversation--output { text-style: dim; }
        & > .conversation--reasoning { text-style: italic dim; }
        & > .conversation--call { color: $text-secondary; }
        & > .conversation--rule { text-style: dim; }
        & > .conversation--gap { color: $text-secondary; text-style: italic; }
        & > .conversation--cursor { color: $accent; text-style: bold; }
        & > .conversation--thumb { color: $primary; }
        & > .conversation--track { text-style: dim; }
        & > .conversation--tick { color: $text-warning; text-style: bold; }
    }
    """

    _palette: _Styles | None = None
    _hit_rows: tuple[tuple[int, int, frozenset[int]], set[int]] | None = None
    _column: list[tuple[str, str]]

    def notify_style_update(self) -> None:
        """Colours have changed."""
        super().notify_style_update()
        self._palette = None

    def palette(self) -> paint.Palette:
        """Rich styles by short name; '' is the view's own. A style is worked out when used."""
        if self._palette is None:
            self._palette = _Styles(self)
        return self._palette

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width, palette = self.size.width, self.palette()
        if self._viewport is None:
            return self._reason_row(y, width)
        frame = self._lay_out()
        margins = width >= NARROW
        inner = width - MARGINS if margins else width
        if y < len(frame):
            row = self._row(frame[y], inner)
            mark = "▌" if frame[y][0] == self._viewport.cursor[0] else " "
            mark = "█" if frame[y] == self._viewport.cursor else mark
        else:
            row, mark = Strip.blank(inner, palette[""]), " "
        if not margins:
            return row
        base = palette[""]
        tick, style = self._column[y] if y < len(self._column) else (" ", "track")
        blank = Segment(" ", base)
        left = Segment(mark, base + palette["cursor"])
        return Strip([left, blank, *row, blank, Segment(tick, base + palette[style])], width)

    def _reason_row(self, y: int, width: int) -> Strip:
        """A row of the sentence that says why nothing is shown, in the middle."""
        said, base = wrap(self._reason, max(width - MARGINS, LEAST_WIDTH)), self.palette()[""]
        line = y - (self.size.height - len(said)) // 2
        shown = slice(*said.shown(line)) if 0 <= line < len(said) else slice(0)
        text = expand(stable(self._reason[shown]))
        lead = Segment(" " * ((width - cell_len(text)) // 2), base)
        row = Strip([lead, Segment(text, base + self.palette()["dim"])])
        return row.adjust_cell_length(width, base)

    def _lay_out(self) -> list[Position]:
        """The positions on the screen, found once after each change."""
        if self._frame is None and self._viewport is not None:
            frame = self._frame = self._viewport.frame()
            total, height = self.total, self.size.height
            key = (total, height, self._hit_set)
            if self._hit_rows is None or self._hit_rows[0] != key:
                self._hit_rows = key, track.rows_of(self._hits, total, height)
            shown = (frame[0][0], frame[-1][0])
            anchor = self._viewport.layout.anchor
            self._column = track.column(
                *(height, total, shown, self._hit_rows[1], anchor, self.bookmark_places),
                borders=self._viewport.layout.borders,
            )
        return self._frame or []

    def _row(self, position: Position, width: int) -> Strip:
        """What stands on a row between the margins."""
        assert self._viewport is not None
        (unit, line), layout, palette = position, self._viewport.layout, self.palette()
        pieces, row_style = self._pieces(unit, line, width)
        base = palette[""] + palette[row_style] if row_style else palette[""]
        y = select.encode(unit, line)
        selection = self.text_selection
        selected = selection.get_span(y) if selection is not None and line >= 0 else None
        if layout.is_gap(unit) or line < 0:
            selected = None
        return paint.strip_of(pieces, palette, width, base=base, y=y, selected=selected)

    def _pieces(self, unit: int, line: int, width: int) -> tuple[list[Piece], str]:
        assert self._viewport is not None
        layout = self._viewport.layout
        if line < 0:
            return [Piece(self._above(unit, line, width), "rule", 0)], ""
        if layout.is_border_below(unit, line):
            return [Piece(paint.rule(self.borders[1], width), "rule", 0)], ""
        if layout.is_gap(unit):
            return [Piece(paint.gap_label(layout.gap(unit)), "gap", 0)], ""
        body = self._bodies.get(unit)
        if line == 0:
            known = body or self._outlined(unit)
            anchor, bookmark = unit == layout.anchor, self.is_bookmarked(unit)
            return paint.header(known, anchor=anchor, bookmark=bookmark), ""
        if body is None:
            return [Piece("┄", "dim", 0)], ""
        level = self.level_of(unit)
        here = body.at(level, line)
        if here is None:
            return [], ""
        find = self._find
        if find is None or not find.text:
            return paint.body_row(body, level, *here)
        part = body.parts[here[0]]
        spans = spans_near(part, *part.wrapped.shown(here[1]), find.pattern)
        return paint.body_row(body, level, *here, spans)

    def _above(self, unit: int, line: int, width: int) -> str:
        """The text of a row over a message's header."""
        assert self._viewport is not None
        layout = self._viewport.layout
        kind = layout.above(unit)[line]
        if kind == "space":
            return ""
        if kind == "border":
            return paint.rule(self.borders[0], width)
        day = layout.day(unit)
        return paint.rule(paint.day_label(day) if kind == "date" and day else kind, width)

    def _outlined(self, unit: int) -> Body:
        """What is known of a message that is not loaded."""
        assert self._reading is not None
        outline = self._reading.outline
        visibility = ("live", "archived", "rewound")[outline.visibility[unit]]
        role = stable(outline.roles[unit])
        return Body(0, role, "", outline.timestamps[unit], visibility, "", False, (), 0)

    # -- selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The original text under a selection."""
        if self._viewport is None:
            return None
        return select.text_of(selection, self._viewport.layout, self._bodies, self.level_of), "\n"

    def text_select_all(self) -> None:
        """Select the message under the cursor: what a double click does."""
        if self._viewport is not None:
            unit, _ = self._viewport.cursor
            end = self._viewport.layout.height(unit) - 1
            selection = Selection(
                Offset(0, select.encode(unit, min(1, end))),
                Offset(_LAST_COLUMN, select.encode(unit, end)),
            )
            self.screen.selections = {self: selection}

    def selection_updated(self, selection: Selection | None) -> None:
        """The selection has changed."""
        self.refresh()
