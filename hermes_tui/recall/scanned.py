"""How many rows a search has to scan beside an index, and why: the doctor's count of gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.coverage import Coverage, Kind
from hermes_tui.recall.rowflags import SLICE_IDS, flags_of


@dataclass(frozen=True, slots=True)
class Scanned:
    """Rows by index that it cannot answer for; and the rows for which none can, by what they are.

    messages: all rows. A row of several kinds counts for the first of them.
    """

    messages: int
    beside: dict[Kind, int]
    uncovered: int
    kinds: tuple[tuple[str, int], ...]


def count_scanned(
    history: History, coverages: Sequence[Coverage], stop: Stop | None = None
) -> Scanned:
    """Count the gaps of usable indexes. Reads every message once; Interrupted by `stop`."""
    messages = int(history.rows("select count(*) from messages", (), stop)[0][0])
    usable = [known for known in coverages if known.usable and not known.whole]
    if not usable:
        return Scanned(messages, {}, messages, (("every message", messages),) if messages else ())
    beside: Counter[Kind] = Counter({known.kind: 0 for known in usable})
    kinds: Counter[str] = Counter()
    top = history.rows("select max(id) from messages", (), stop)[0][0] or 0
    for number in range(-(-top // SLICE_IDS)):
        gaps = [_gaps_of_slice(history, known, number, stop) for known in usable]
        for known, inside in zip(usable, gaps, strict=True):
            beside[known.kind] += len(inside)
        kinds.update(what for row, what in gaps[0].items() if all(row in g for g in gaps[1:]))
    return Scanned(messages, dict(beside), kinds.total(), tuple(kinds.most_common()))


def _gaps_of_slice(
    history: History, known: Coverage, number: int, stop: Stop | None
) -> dict[int, str]:
    """The rows of a slice that are in a gap, with the name of the first such gap."""
    start = number * SLICE_IDS
    bits = flags_of(history).of_slice(history, number, stop)
    inside: dict[int, str] = {}
    for gap in known.gaps:
        rows = [start + place + 1 for place, bit in enumerate(bits) if bit & gap.flags]
        if gap.where:
            sql = f"select m.id from messages m where m.id > ? and m.id <= ? and ({gap.where})"
            values = (start, start + SLICE_IDS, *gap.params)
            rows += [row for (row,) in history.rows(sql, values, stop)]
        for row in rows:
            inside.setdefault(row, gap.name)
    return inside
