"""An evaluation kept under a name, and what has changed since: ranks, and measures.

What is kept are the rankings, not the numbers: both sides are measured with today's judgements,
so a difference is the ranking's and not the judge's.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.rows import parse_json
from hermes_tui.recall.evaluation import Evaluation, Result, current_root, overall, result
from hermes_tui.recall.judge import Topic, data_folder, identity
from hermes_tui.recall.ranking import NEWEST, Ranking
from hermes_tui.recall.trec import query_id, topic_of_id
from hermes_tui.text.clean import clean_line

KEPT_ROOTS = 1_000
"""Places of a ranking that are kept."""

_FORM = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_EPSILON = 1e-9

Rankings = Mapping[Topic, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Saved:
    """A kept evaluation. time: Unix seconds. rankings: by topic and route."""

    name: str
    time: float
    rankings: Rankings


@dataclass(frozen=True, slots=True)
class RankChange:
    """A judged conversation that stands elsewhere now; None where it is not on the list."""

    topic: Topic
    route: str
    root: str
    grade: int
    before: int | None
    now: int | None


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """A mean that differs, over the n topics that both sides have."""

    route: str
    measure: str
    before: float
    now: float
    n: int

    @property
    def baseline(self) -> bool:
        """Whether this is no search but what searches are compared with."""
        return self.route == NEWEST


@dataclass(frozen=True, slots=True)
class Comparison:
    """What has changed since `saved`, and sentences about what could not be compared.

    broken: routes that answered then and fail now.
    """

    saved: Saved
    topics: int
    ranks: tuple[RankChange, ...]
    measures: tuple[MeasureChange, ...]
    notes: tuple[str, ...]
    broken: tuple[str, ...] = ()

    def worse(self, by: float) -> tuple[MeasureChange, ...]:
        """The means that fell by at least `by`, and at all; the baseline's do not count."""
        return tuple(
            change
            for change in self.measures
            if not change.baseline and change.before - change.now >= max(by - _EPSILON, _EPSILON)
        )


def saved_path(place: Place, name: str, folder: Path | None = None) -> Path:
    """Where an evaluation of a history is kept. HistoryError when it cannot have that name."""
    if not _NAME.fullmatch(name):
        raise HistoryError(
            f"'{clean_line(name, 40)}' is no name for an evaluation: use letters, digits, "
            "'.', '-' and '_'."
        )
    return (folder or data_folder()) / "evaluations" / identity(place) / f"{name}.json"


def save(path: Path, evaluation: Evaluation) -> None:
    """Keep the rankings of an evaluation, in one step; an older one of the name is replaced."""
    rankings = {
        query_id(each.topic): {
            line.route: line.ranking.roots[:KEPT_ROOTS]
            for line in each.lines
            if not line.ranking.problem
        }
        for each in evaluation.results
    }
    text = json.dumps({"form": _FORM, "time": time.time(), "rankings": rankings})
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(prefix=".saving-", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, path)
        finally:
            with suppress(OSError):
                os.unlink(temporary)
    except OSError as error:
        raise HistoryError(
            f"The evaluation cannot be kept in {clean_line(str(path.parent), 200)}: "
            f"{clean_line(error.strerror or '', 80)}."
        ) from error


def load(path: Path) -> Saved:
    """A kept evaluation. HistoryError, naming the others, when there is none of this name."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError as error:
        others = sorted(p.stem for p in path.parent.glob("*.json") if not p.name.startswith("."))
        known = ", ".join(clean_line(name, 64) for name in others[:20]) or "none"
        raise HistoryError(
            f"No evaluation '{path.stem}' of this history was saved. Saved: {known}."
        ) from error
    except OSError as error:
        why = clean_line(error.strerror or "", 80)
        raise HistoryError(f"The evaluation '{path.stem}' cannot be read: {why}.") from error
    return saved_of(text, path.stem)


def saved_of(text: str, name: str) -> Saved:
    """A kept evaluation from its text. HistoryError when it is none."""
    try:
        value = parse_json(text)
        if value["form"] != _FORM:
            raise ValueError("it has another form")
        rankings = {
            topic_of_id(topic): {
                str(route): tuple(str(root) for root in roots) for route, roots in routes.items()
            }
            for topic, routes in value["rankings"].items()
        }
        return Saved(name, float(value["time"]), rankings)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise HistoryError(
            f"The file of the evaluation '{clean_line(name, 64)}' cannot be read "
            f"({clean_line(str(error), 80)}). Save it anew with --save."
        ) from error


def compare(history: History, evaluation: Evaluation, saved: Saved) -> Comparison:
    """What changed between a kept evaluation and one of now."""
    now = {each.topic: each for each in evaluation.results}
    common = [each for topic, each in now.items() if topic in saved.rankings]
    before = {each.topic: _before(history, each, saved, evaluation) for each in common}
    ranks: list[RankChange] = []
    measures: list[MeasureChange] = []
    broken: list[str] = []
    for route in evaluation.routes:
        both = [(before[each.topic], each) for each in common if _has(before[each.topic], route)]
        if not all(_has(new, route) for _, new in both):
            broken.append(route)
            both = [(old, new) for old, new in both if _has(new, route)]
        ranks += [change for old, new in both for change in _rank_changes(route, old, new)]
        measures += _measure_changes(route, both, evaluation)
    notes = _notes(evaluation, saved, now)
    notes += [f"{route} answered when '{saved.name}' was saved, and fails now." for route in broken]
    return Comparison(
        saved, len(common), tuple(ranks), tuple(measures), tuple(notes), tuple(broken)
    )


def _before(history: History, each: Result, saved: Saved, evaluation: Evaluation) -> Result:
    """A topic's kept rankings under today's judgements and lineages."""
    rankings = {}
    for route, roots in saved.rankings[each.topic].items():
        today = dict.fromkeys(current_root(history, root, root) or root for root in roots)
        rankings[route] = Ranking(tuple(today))
    return result(each.topic, each.judged, rankings, depth=evaluation.depth, least=evaluation.least)


def _has(each: Result, route: str) -> bool:
    return any(line.route == route and not line.ranking.problem for line in each.lines)


def _rank_changes(route: str, old: Result, new: Result) -> list[RankChange]:
    places = []
    for each in (old, new):
        (line,) = (line for line in each.lines if line.route == route)
        roots = line.ranking.roots[:KEPT_ROOTS]
        places.append({root: place for place, root in enumerate(roots, start=1)})
    before, now = places
    return [
        RankChange(new.topic, route, root, grade, before.get(root), now.get(root))
        for root, grade in new.judged.grades.items()
        if before.get(root) != now.get(root)
    ]


def _measure_changes(
    route: str, both: list[tuple[Result, Result]], evaluation: Evaluation
) -> list[MeasureChange]:
    old = overall(route, [old for old, _ in both], evaluation.depth)
    new = overall(route, [new for _, new in both], evaluation.depth)
    return [
        MeasureChange(route, name, before, now, new.n)
        for name, before, now in zip(evaluation.names, old.means, new.means, strict=True)
        if before is not None and now is not None and abs(before - now) > _EPSILON
    ]


def _notes(evaluation: Evaluation, saved: Saved, now: Mapping[Topic, Result]) -> list[str]:
    notes = []
    added = sum(1 for topic in now if topic not in saved.rankings)
    if added:
        notes.append(f"Not compared: {added:,} asked only since '{saved.name}'.")
    dropped = sum(1 for topic in saved.rankings if topic not in now)
    if dropped:
        notes.append(f"Not compared: {dropped:,} of '{saved.name}' that have no judgement now.")
    known = {route for routes in saved.rankings.values() for route in routes}
    fresh = [route for route in evaluation.routes if route not in known]
    if fresh and saved.rankings:
        notes.append(f"Not compared: {', '.join(fresh)}, which '{saved.name}' does not have.")
    return notes
