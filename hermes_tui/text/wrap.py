"""Wrapping clean text to a width in terminal cells.

The result is offsets, not strings: a drawn line is a span of the text, so that matches found in
the whole text, a selection, and a position all mean the same characters at every width.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable

from rich.cells import get_character_cell_size

from hermes_tui.text.clean import stable

TAB = 4
"""Cells between tab stops, counted from the start of a drawn line."""
LEAST_WIDTH = 2
"""No text can be wrapped narrower: a wide character needs two cells."""

_PAUSE_EVERY = 1 << 14
_BLANKS = re.compile("[ ]*")
# Characters that do not begin or end a line where wide text may be cut between any two.
_NEVER_FIRST = frozenset(
    "、。，．・：；！？）］｝」』】》〉〕〗ー々…ぁぃぅぇぉっゃゅょァィゥェォッャュョ％"
)
_NEVER_LAST = frozenset("（［｛「『【《〈〔〖")


class _Widths(dict[str, int]):
    """Cells of a character as `stable` leaves it."""

    def __missing__(self, character: str) -> int:
        drawn = stable(character)
        width = get_character_cell_size(drawn) if drawn else 0
        self[character] = width
        return width


WIDTHS = _Widths()
"""Cells a character takes when drawn; 0 for those that are dropped or combine."""


class Wrapped:
    """Where the lines of a text begin.

    The spans of the lines follow each other without a hole: a line's span takes in the newline or
    the blanks it was broken at, which are not drawn.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str, starts: array[int]) -> None:
        self.text = text
        self._starts = starts

    def __len__(self) -> int:
        """Number of lines; at least 1."""
        return len(self._starts)

    @property
    def octets(self) -> int:
        """Bytes of memory the places of the lines take."""
        return len(self._starts) * self._starts.itemsize

    def span(self, line: int) -> tuple[int, int]:
        """(start, end) of a line, with what it was broken at."""
        after = line + 1
        end = self._starts[after] if after < len(self._starts) else len(self.text)
        return self._starts[line], end

    def shown(self, line: int) -> tuple[int, int]:
        """(start, end) of what is drawn of a line: its span without blanks at its end."""
        start, end = self.span(line)
        return start, start + len(self.text[start:end].rstrip(" \t\n"))

    def line_at(self, offset: int) -> int:
        """The line that holds a character; offsets outside the text give the nearest line."""
        return max(bisect_right(self._starts, offset) - 1, 0)


def wrap(text: str, width: int, pause: Callable[[], object] | None = None) -> Wrapped:
    """Wrap clean text at words, or between wide characters, to at most `width` cells a line.

    `pause` is called about every 16,000 characters, so that a thread can let others run, or stop
    by raising. Widths under `LEAST_WIDTH` count as that.
    """
    width = max(width, LEAST_WIDTH)
    starts = array("I")
    plain = text.isascii() and "\t" not in text
    start, rest = 0, _PAUSE_EVERY
    while True:
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        starts.append(start)
        if end - start > width // 2:
            line = text if plain else text[start:end]
            if plain or (line.isascii() and "\t" not in line):
                _wrap_plain(text, start, end, width, starts, pause)
            else:
                _wrap_any(text, start, end, width, starts, pause)
        elif not plain and "\t" in text[start:end]:
            _wrap_any(text, start, end, width, starts, pause)
        rest -= end - start + 1
        if pause and rest < 0:
            pause()
            rest = _PAUSE_EVERY
        if newline < 0:
            return Wrapped(text, starts)
        start = end + 1


def _wrap_plain(
    text: str,
    start: int,
    end: int,
    width: int,
    starts: array[int],
    pause: Callable[[], object] | None,
) -> None:
    """Add the breaks of one ASCII line without tabs, where a character is a cell."""
    steps = 0
    while end - start > width:
        blank = text.rfind(" ", start, start + width + 1)
        indent = _match_blanks(text, start, end)
        if blank > indent or indent - start >= width:
            start = _match_blanks(text, max(blank, indent), end)
        else:
            start += width
        if start >= end:
            return
        starts.append(start)
        steps += width
        if pause and steps > _PAUSE_EVERY:
            pause()
            steps = 0


def _match_blanks(text: str, start: int, end: int) -> int:
    match = _BLANKS.match(text, start, end)
    return match.end() if match else start


def _wrap_any(
    text: str,
    start: int,
    end: int,
    width: int,
    starts: array[int],
    pause: Callable[[], object] | None,
) -> None:
    """Add the breaks of one line of any characters."""
    index, column = start, 0  # the character that is looked at, and where it would stand
    place, place_column = start, 0  # the latest place to break at, and its column
    text_seen = False  # whether anything but blanks stands on the line
    wide_before = ""  # the character before, if it is a wide one
    while index < end:
        character = text[index]
        if pause and not index % _PAUSE_EVERY:
            pause()
        if character in " \t":
            column += 1 if character == " " else TAB - column % TAB
            if text_seen or column >= width:
                place, place_column = index + 1, column
            wide_before = ""
            index += 1
            continue
        cells = WIDTHS[character]
        if cells == 2 or (wide_before and cells):
            if index > start and text_seen and _may_break(wide_before, character, cells):
                place, place_column = index, column
            wide_before = character if cells == 2 else ""
        if column + cells > width and index > start:
            start = place if place > start else index
            column -= place_column if start == place else column
            starts.append(start)
            place, place_column = start, 0
            text_seen = start < index
            continue
        column += cells
        text_seen = True
        index += 1


def _may_break(before: str, character: str, cells: int) -> bool:
    """Whether a line may end between two characters of which one is wide."""
    if character in _NEVER_FIRST or before in _NEVER_LAST:
        return False
    # Korean is written with spaces between words and is broken there.
    return not ("가" <= character <= "힣" if cells == 2 else "가" <= before <= "힣")


def expand(text: str, column: int = 0) -> str:
    """Clean text as it is drawn from `column` of a line on: stable, tabs as spaces."""
    text = stable(text)
    if "\t" not in text:
        return text
    drawn = []
    for character in text:
        piece = " " * (TAB - column % TAB) if character == "\t" else character
        drawn.append(piece)
        column += len(piece) if character == "\t" else WIDTHS[character]
    return "".join(drawn)
