"""An evaluation as lines of plain, clean text: the table, the bars, a route on one topic."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.recall.evaluation import Evaluation, Line, Overall, Result
from hermes_tui.recall.judge import Topic
from hermes_tui.text.clean import clean_line

BAR = 24
"""Characters of a full bar of the plot."""

NO_VALUE = "–"
QUERY_CHARS = 70
PLACES_SHOWN = 8
_CELL = len("0.25*")


def topic_text(topic: Topic) -> str:
    """A topic for reading: the query, and its arguments in brackets."""
    arguments = ", ".join(f"{name} {value}" for name, value in topic.arguments().items())
    query = clean_line(topic.query, QUERY_CHARS)
    return f"{query} ({clean_line(arguments, QUERY_CHARS)})" if arguments else query


def headline(evaluation: Evaluation) -> str:
    """How much was judged."""
    queries = {id(each.judged): each.judged for each in evaluation.results}.values()
    count = sum(len(judged.grades) for judged in queries)
    parts = [
        "1 query" if len(queries) == 1 else f"{len(queries):,} queries",
        f"{count:,} judged",
        f"{sum(judged.relevant(evaluation.least) for judged in queries):,} "
        + ("right" if evaluation.least > 1 else "related or right"),
    ]
    return " · ".join(parts)


def table_lines(evaluation: Evaluation) -> Iterator[str]:
    """A row a route; `*` where a list was shorter than the k of recall@k."""
    rows = evaluation.overall()
    width = max(len("route"), *(len(route_text(row.route)) for row in rows))
    heads = "".join(f"  {name:>{_CELL}}" for name in evaluation.names)
    yield f"{'route':<{width}}    n{heads}  unjudged"
    for row in rows:
        cells = "".join(
            f"  {_number(value) + _star(name, row):>{max(_CELL, len(name))}}"
            for name, value in zip(evaluation.names, row.means, strict=True)
        )
        share = f"{row.unjudged:,}/{row.looked:,}"
        yield f"{route_text(row.route):<{width}}  {row.n:>3,}{cells}  {share:>8}"


def _star(name: str, row: Overall) -> str:
    return "*" if name.startswith("recall") and row.short else ""


def plot_lines(evaluation: Evaluation) -> Iterator[str]:
    """The means as bars, route by route under each measure."""
    rows = evaluation.overall()
    width = max(len(route_text(row.route)) for row in rows)
    names = evaluation.names
    head = max(map(len, names))
    for place, name in enumerate(names):
        for number, row in enumerate(rows):
            lead = name if number == 0 else ""
            yield f"{lead:<{head}}  {route_text(row.route):<{width}}  {_bar(row, place)}".rstrip()


def _bar(row: Overall, place: int) -> str:
    value, interval = row.means[place], row.intervals[place]
    if value is None:
        return NO_VALUE
    filled = round(value * BAR)
    between = f"  95 %: {interval[0]:.2f} to {interval[1]:.2f}" if interval else ""
    return f"{'█' * filled}{'░' * (BAR - filled)} {value:.2f}{between}"


def line_text(line: Line, each: Result, evaluation: Evaluation) -> str:
    """Ranks of what is relevant, the measures, the length of the list."""
    if line.ranking.problem:
        return f"{NO_VALUE} no answer"
    least = evaluation.least
    places = [
        f"{place}"
        for place, root in enumerate(line.ranking.roots, start=1)
        if each.judged.grades.get(root, 0) >= least
    ]
    missing = each.judged.relevant(least) - len(places)
    found = (
        f"at {' '.join(places[:PLACES_SHOWN])}{' …' if len(places) > PLACES_SHOWN else ''}"
        if places
        else "none found"
    )
    parts = [found, *([f"{missing:,} missing"] if missing and places else [])]
    if line.score is None:
        parts = ["nothing relevant is judged"]
    else:
        named = zip(evaluation.names, line.score.values(), strict=True)
        parts += [f"{name} {value:.2f}" for name, value in named]
    return " · ".join([*parts, f"list {len(line.ranking.roots):,}"])


def route_text(name: str) -> str:
    """The name of a route; that of a run may be anything."""
    return clean_line(name, 24)


def _number(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.2f}"
