"""The plain and the JSON form of judgements and evaluations, for stdout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hermes_tui.history.locate import session_link
from hermes_tui.recall.evaluation import Evaluation, Judged, Line, Overall, Result
from hermes_tui.recall.evaluation_text import (
    headline,
    line_text,
    plot_lines,
    route_text,
    table_lines,
    topic_text,
)
from hermes_tui.recall.judge import GRADES, Judgement
from hermes_tui.recall.regression import Comparison, MeasureChange, RankChange
from hermes_tui.text.clean import clean_line

TO_JUDGE_SHOWN = 3
CHANGES_SHOWN = 20
_TITLE_CHARS = 60


@dataclass(frozen=True, slots=True)
class Report:
    """What `eval` tells. notes: about files read. worse: means that fell too far."""

    evaluation: Evaluation
    profile: str
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None
    worse: tuple[MeasureChange, ...] = ()

    @property
    def every_note(self) -> list[str]:
        """All that has to be known about the numbers, clean."""
        compared = self.comparison.notes if self.comparison else ()
        return [clean_line(n) for n in (*self.notes, *self.evaluation.notes(), *compared)]


def judged_lines(judgement: Judgement, title: str | None, judged: Judged | None) -> Iterator[str]:
    """What was kept, and how many judgements the query has now."""
    what = "taken back" if judgement.grade is None else f"{judgement.grade} "
    what += GRADES.get(-1 if judgement.grade is None else judgement.grade, "")
    name = clean_line(title or judgement.session_id, _TITLE_CHARS)
    count = len(judged.grades) if judged else 0
    has = "1 judgement" if count == 1 else f"{count:,} judgements"
    yield f"{what} · {name} · {topic_text(judgement.topic)} has {has}"


def report_lines(report: Report) -> Iterator[str]:
    """An evaluation as text: what was judged, a row a route, bars, each query, what changed."""
    evaluation = report.evaluation
    if not evaluation.results:
        yield "No judgement of this history yet: there is nothing to measure."
        yield "`hermes-tui judge QUERY SESSION 2` makes one, as does x in the application."
    else:
        yield headline(evaluation)
        yield ""
        yield from table_lines(evaluation)
    for note in report.every_note:
        yield f"! {note}"
    if not evaluation.results:
        return
    yield ""
    yield from plot_lines(evaluation)
    for each in evaluation.results:
        yield ""
        yield from _result_lines(each, evaluation, report.profile)
    if report.comparison:
        yield ""
        yield from _comparison_lines(report.comparison, report.worse, report.profile)


def _result_lines(each: Result, evaluation: Evaluation, profile: str) -> Iterator[str]:
    gone = f", {each.judged.gone:,} gone" if each.judged.gone else ""
    counts = ", ".join(
        f"{number:,} {GRADES[grade]}"
        for grade in sorted(GRADES, reverse=True)
        if (number := sum(1 for g in each.judged.grades.values() if g == grade))
    )
    yield f"{topic_text(each.topic)}  [{counts or 'nothing here'}{gone}]"
    width = max(len(route_text(line.route)) for line in each.lines)
    for line in each.lines:
        yield f"  {route_text(line.route):<{width}}  {line_text(line, each, evaluation)}"
    if each.to_judge:
        links = [_link(profile, root) for root in each.to_judge[:TO_JUDGE_SHOWN]]
        more = len(each.to_judge) - len(links)
        yield f"  to judge: {', '.join(links)}" + (f" and {more:,} more" if more else "")


def _comparison_lines(
    comparison: Comparison, worse: tuple[MeasureChange, ...], profile: str
) -> Iterator[str]:
    name = comparison.saved.name
    if not comparison.ranks and not comparison.measures:
        yield f"Nothing has changed since '{name}' ({comparison.topics:,} compared)."
        return
    yield f"Changed since '{name}' ({comparison.topics:,} compared):"
    for change in comparison.measures:
        mark = "  worse" if change in worse else ""
        difference = f"{change.now - change.before:+.2f}"
        yield (
            f"  {route_text(change.route)} {change.measure} "
            f"{change.before:.2f} -> {change.now:.2f} ({difference}){mark}"
        )
    for moved in comparison.ranks[:CHANGES_SHOWN]:
        yield f"  {_rank_text(moved, profile)}"
    if len(comparison.ranks) > CHANGES_SHOWN:
        yield f"  and {len(comparison.ranks) - CHANGES_SHOWN:,} more ranks"


def _rank_text(moved: RankChange, profile: str) -> str:
    places = [f"#{place}" if place else "not listed" for place in (moved.before, moved.now)]
    return (
        f"{route_text(moved.route)} {' -> '.join(places)}: {_link(profile, moved.root)} "
        f"({GRADES[moved.grade]}) for {topic_text(moved.topic)}"
    )


def _link(profile: str, root: str) -> str:
    return clean_line(session_link(profile, root), 80)


# -- JSON -------------------------------------------------------------------------------------


def report_json(report: Report) -> dict[str, Any]:
    """An evaluation in its documented form; a mean without a value is null."""
    evaluation = report.evaluation
    answer: dict[str, Any] = {
        "depth": evaluation.depth,
        "at_least": evaluation.least,
        "routes": [_overall_json(row, evaluation) for row in evaluation.overall()],
        "queries": [_result_json(each, evaluation) for each in evaluation.results],
        "notes": report.every_note,
    }
    if report.comparison:
        answer["against"] = _comparison_json(report.comparison, report.worse)
    return answer


def _overall_json(row: Overall, evaluation: Evaluation) -> dict[str, Any]:
    names = evaluation.names
    return {
        "route": row.route,
        "n": row.n,
        "failed": row.failed,
        "short_lists": row.short,
        "looked_at": row.looked,
        "unjudged": row.unjudged,
        "measures": dict(zip(names, row.means, strict=True)),
        "intervals": dict(zip(names, row.intervals, strict=True)),
    }


def _result_json(each: Result, evaluation: Evaluation) -> dict[str, Any]:
    return {
        "query": each.topic.query,
        "arguments": each.topic.arguments(),
        "judged": dict(each.judged.grades),
        "gone": each.judged.gone,
        "without_message": each.judged.without_message,
        "to_judge": list(each.to_judge),
        "routes": [_line_json(line, each, evaluation) for line in each.lines],
    }


def _line_json(line: Line, each: Result, evaluation: Evaluation) -> dict[str, Any]:
    values = line.score.values() if line.score else (None,) * len(evaluation.names)
    places = {root: place for place, root in enumerate(line.ranking.roots, start=1)}
    return {
        "route": line.route,
        "listed": len(line.ranking.roots),
        "ranks": {root: places.get(root) for root in each.judged.grades},
        "unjudged": line.unjudged,
        "problem": line.ranking.problem or None,
        "measures": dict(zip(evaluation.names, values, strict=True)),
    }


def _comparison_json(comparison: Comparison, worse: tuple[MeasureChange, ...]) -> dict[str, Any]:
    return {
        "name": comparison.saved.name,
        "saved_at": comparison.saved.time,
        "compared": comparison.topics,
        "measures": [
            {
                "route": change.route,
                "measure": change.measure,
                "before": change.before,
                "now": change.now,
                "n": change.n,
                "worse": change in worse,
            }
            for change in comparison.measures
        ],
        "ranks": [
            {
                "query": moved.topic.query,
                "arguments": moved.topic.arguments(),
                "route": moved.route,
                "session_id": moved.root,
                "grade": moved.grade,
                "before": moved.before,
                "now": moved.now,
            }
            for moved in comparison.ranks
        ],
    }
