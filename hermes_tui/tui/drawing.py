"""Lines made of cleaned, styled pieces that fill an exact number of terminal cells. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from hermes_tui.text.clean import drawable

_BREAKS = re.compile(r"[\n\t][\n\t ]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Clean text and the name of its style; '' is the line's own."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]


def one_line(text: str) -> str:
    """Stored text as one drawable line, without spaces at its ends."""
    return flat(text).strip()


def flat(text: str) -> str:
    """Stored text as one drawable line; spaces at its ends are kept."""
    return _BREAKS.sub(" ", drawable(text))


def width(pieces: Iterable[Piece]) -> int:
    """Cells that the pieces take."""
    return sum(cell_len(piece.text) for piece in pieces)


def cut(text: str, cells: int) -> str:
    """`text` in at most `cells` cells; what was cut ends in `…`."""
    if cells <= 0:
        return ""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, cells - 1).rstrip() + "…"


def fit(pieces: Iterable[Piece], cells: int) -> Line:
    """The pieces cut to at most `cells` cells."""
    fitted: list[Piece] = []
    left = cells
    for piece in pieces:
        text = cut(piece.text, left)
        if text:
            fitted.append(Piece(text, piece.style))
        left -= cell_len(text)
        if text != piece.text or left <= 0:
            break
    return tuple(fitted)


def justified(
    left: Sequence[Piece], right: Sequence[Piece], cells: int, *, keep_left: bool = False
) -> Line:
    """`left` and `right` at the ends of a line.

    When it is tight `left` is cut, and where that leaves little of it `right` goes; with
    `keep_left`, `right` goes at once.
    """
    needed = width(right)
    least = width(left) + 1 if keep_left else 12
    if not needed or needed + least > cells:
        return fit(left, cells)
    shown = fit(left, cells - needed - 1)
    gap = cells - needed - width(shown)
    return (*shown, Piece(" " * gap), *right)


def marked(snippet: str, marks: Sequence[tuple[int, int]], style: str) -> list[Piece]:
    """A snippet as pieces, the marked spans in `style`.

    Spans count characters of the stored snippet, so each stretch is cleaned on its own: cleaning
    the whole would move the spans, and a sequence that a span cuts in two is no sequence any more.
    """
    pieces: list[Piece] = []
    position = 0
    for start, end in sorted(marks):
        start, end = max(start, position), min(end, len(snippet))
        if start >= end:
            continue
        pieces += (
            Piece(flat(snippet[position:start])),
            Piece(flat(snippet[start:end]), style),
        )
        position = end
    pieces.append(Piece(flat(snippet[position:])))
    return [piece for piece in pieces if piece.text]


def reveal(pieces: Sequence[Piece], cells: int) -> Line:
    """A line of `cells` cells in which the first styled piece is on view.

    Text before it goes from the left, with `…` in its place, when it would push the piece out.
    """
    before: list[Piece] = []
    for piece in pieces:
        if piece.style:
            break
        before.append(piece)
    rest = list(pieces[len(before) :])
    room = cells - min(width(rest[:1]), cells // 2) - cells // 4
    lead = "".join(piece.text for piece in before)
    if rest and cell_len(lead) > room:
        while lead and cell_len(lead) > room - 1:
            lead = lead[max(1, (cell_len(lead) - room) // 2) :]
        lead = "…" + lead.lstrip("…")
    return fit([Piece(lead), *rest], cells)
