"""A line of text that is drawn as it is: never wrapped, never read as markup."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.tui.drawing import Line, Piece, justified, width


class OneLine(Widget):
    """`left` and `right` at the two ends of a row.

    When it is tight the left is cut; with `keep_left` the right goes instead.

    A piece's style is a Rich style definition such as `bold` or `dim`; '' is the widget's own.
    """

    DEFAULT_CSS = "OneLine { height: 1; }"

    def __init__(self, *, keep_left: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keep_left = keep_left
        self._left: Sequence[Piece] = ()
        self._right: Sequence[Piece] = ()

    def put(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these pieces; their text must be clean already."""
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left, self._right = tuple(left), tuple(right)
            self.refresh(layout=self.styles.auto_dimensions)

    @property
    def text(self) -> str:
        """What the line says, uncut."""
        return "".join(piece.text for piece in (*self._left, *self._right))

    def line(self, cells: int) -> Line:
        """The pieces in `cells` cells."""
        return justified(self._left, self._right, cells, keep_left=self._keep_left)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Cells that the line needs, for `width: auto`."""
        return width((*self._left, *self._right))

    def render_line(self, y: int) -> Strip:
        """The row, cut to the width there is."""
        cells, base = self.size.width, self.rich_style
        if y:
            return Strip.blank(cells, base)
        segments = [
            Segment(piece.text, base + Style.parse(piece.style)) for piece in self.line(cells)
        ]
        return Strip(segments).adjust_cell_length(cells, base)
