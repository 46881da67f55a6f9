"""Judgements laid over rankings: which conversations were judged, and how each route does.

What cannot be counted is told and never counted as 0: a judgement whose conversation is gone, a
query without anything relevant, a route that failed, a list that is shorter than k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hermes_tui.history.errors import Interrupted
from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall import measures
from hermes_tui.recall.judge import Judgement, Topic
from hermes_tui.recall.measures import DEPTH, Score
from hermes_tui.recall.ranking import Ranking, rank, route_names

POOL_DEPTH = 3
"""How far down every route an unjudged conversation is worth judging: what an agent is given."""


@dataclass(slots=True)
class Judged:
    """The judgements of one query, as far as the history still has what was judged.

    grades: by today's root of the lineage. topics: the arguments it was judged with. gone:
    judgements whose session the history has no more; without_message: those whose message is
    gone and whose session is there, which still count.
    """

    query: str
    topics: list[Topic] = field(default_factory=list)
    grades: dict[str, int] = field(default_factory=dict)
    gone: int = 0
    without_message: int = 0

    def relevant(self, least: int = 1) -> int:
        """How many conversations are relevant."""
        return sum(1 for grade in self.grades.values() if grade >= least)


def settle(history: History, judgements: Sequence[Judgement]) -> list[Judged]:
    """The judgements by query, in the order in which queries were first judged.

    Of two about the same query and lineage the later one holds, also when the two sessions came
    to be one lineage only afterwards.
    """
    last: dict[tuple[str, str, bool], Judgement] = {}
    for judgement in judgements:
        root = current_root(history, judgement.root, judgement.session_id)
        key = (judgement.topic.query, root or judgement.session_id, root is not None)
        if judgement.grade is None:
            last.pop(key, None)
        else:
            last[key] = judgement
    stored = _stored(history, [j.message_id for j in last.values() if j.message_id is not None])
    found: dict[str, Judged] = {}
    for (query, root, there), judgement in last.items():
        judged = found.setdefault(query, Judged(query))
        if judgement.topic not in judged.topics:
            judged.topics.append(judgement.topic)
        if not there:
            judged.gone += 1
            continue
        judged.grades[root] = judgement.grade or 0
        judged.without_message += judgement.message_id not in stored
    return list(found.values())


def current_root(history: History, root: str, session_id: str) -> str | None:
    """The lineage that a session belongs to today; None when neither it nor its root is there."""
    families = history.families()
    for known in (session_id, root):
        if known in families.sessions:
            return families.root(known)
    return None


def _stored(history: History, ids: Sequence[int]) -> set[int | None]:
    """Which of these messages exist; None, for a judgement that names none, does."""
    rows = history.rows_among("select id from messages where id in (@ids)", ids)
    return {None, *(row[0] for row in rows)}


@dataclass(frozen=True, slots=True)
class Line:
    """One route on one topic. unjudged of the first `looked` have no grade.

    score: None when nothing is relevant, or the route gave no ranking.
    """

    route: str
    ranking: Ranking
    looked: int
    unjudged: int
    score: Score | None


@dataclass(frozen=True, slots=True)
class Result:
    """All routes on one topic. to_judge: what no one judged of the first three of any route."""

    topic: Topic
    judged: Judged
    lines: tuple[Line, ...]
    to_judge: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overall:
    """One route over all topics. n: topics with a score; short: of them, lists shorter than k.

    means and intervals: in the order of `measures.names`; None for no value, or too few.
    """

    route: str
    n: int
    failed: int
    short: int
    looked: int
    unjudged: int
    means: tuple[float | None, ...]
    intervals: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every route on every judged topic. depth: k of recall@k. least: the relevant grade."""

    results: tuple[Result, ...]
    routes: tuple[str, ...]
    depth: int = DEPTH
    least: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """What the measures are called."""
        return measures.names(self.depth)

    def overall(self) -> tuple[Overall, ...]:
        """The means, a row a route."""
        return tuple(overall(route, self.results, self.depth) for route in self.routes)

    def notes(self) -> list[str]:
        """Sentences about everything that the numbers leave out."""
        return [*self.left_out(), *_ranking_notes(self)]

    def left_out(self) -> list[str]:
        """Sentences about judgements that are not counted, or not as they were made."""
        return _judgement_notes(self.results, self.least)


def evaluate(
    history: History,
    judged: Iterable[Judged],
    *,
    depth: int = DEPTH,
    least: int = 1,
    runs: Mapping[str, Mapping[Topic, Sequence[str]]] | None = None,
    stop: Stop | None = None,
) -> Evaluation:
    """Ask every route about every topic. Raises Interrupted when `stop` turns true.

    runs: rankings of other programs, by name and topic; a topic that one lacks found nothing.
    """
    runs = runs or {}
    routes = (*route_names(), *runs)
    known = history.families().sessions
    results = []
    for each in judged:
        for topic in each.topics:
            rankings = {}
            for route in routes:
                if stop is not None and stop():
                    raise Interrupted
                own = runs.get(route)
                rankings[route] = (
                    rank(history, topic, route, stop=stop)
                    if own is None
                    else Ranking(tuple(own.get(topic, ())))
                )
            measured = result(topic, each, rankings, depth=depth, least=least)
            # A run from elsewhere may name what this history does not have.
            here = tuple(root for root in measured.to_judge if root in known)
            results.append(replace(measured, to_judge=here))
    return Evaluation(tuple(results), routes, depth, least)


def result(
    topic: Topic,
    judged: Judged,
    rankings: Mapping[str, Ranking],
    *,
    depth: int = DEPTH,
    least: int = 1,
) -> Result:
    """The measures of rankings of one topic."""
    lines = []
    for route, ranking in rankings.items():
        scored = None
        if not ranking.problem:
            scored = measures.score(ranking.roots, judged.grades, depth=depth, least=least)
        missing = measures.unjudged(ranking.roots, judged.grades, depth)
        lines.append(Line(route, ranking, min(depth, len(ranking.roots)), missing, scored))
    pool = [root for line in lines for root in line.ranking.roots[:POOL_DEPTH]]
    to_judge = tuple(dict.fromkeys(root for root in pool if root not in judged.grades))
    return Result(topic, judged, tuple(lines), to_judge)


def overall(route: str, results: Iterable[Result], depth: int = DEPTH) -> Overall:
    """The means of one route over the topics where it has a score."""
    lines = [line for each in results for line in each.lines if line.route == route]
    scored = [line for line in lines if line.score is not None]
    columns = list(zip(*(line.score.values() for line in scored if line.score), strict=True))
    columns = columns or [()] * len(measures.names())
    return Overall(
        route=route,
        n=len(scored),
        failed=sum(1 for line in lines if line.ranking.problem),
        short=sum(1 for line in scored if len(line.ranking.roots) < depth),
        looked=sum(line.looked for line in lines),
        unjudged=sum(line.unjudged for line in lines),
        means=tuple(measures.mean(column) for column in columns),
        intervals=tuple(measures.interval(column) for column in columns),
    )


def _judgement_notes(results: Sequence[Result], least: int) -> list[str]:
    notes = []
    queries = list({id(each.judged): each.judged for each in results}.values())
    gone = sum(judged.gone for judged in queries)
    if gone:
        notes.append(
            f"{_count(gone, 'judgement')} not counted: the conversation is gone from this history."
        )
    moved = sum(judged.without_message for judged in queries)
    if moved:
        notes.append(
            f"{_count(moved, 'judgement')} counted although the message is gone: "
            "the conversation is there."
        )
    without = sum(1 for judged in queries if not judged.relevant(least))
    if without:
        what = "right" if least > 1 else "related or right"
        notes.append(
            f"{_count(without, 'query', 'queries')} without a measure: nothing in this history "
            f"is judged {what}."
        )
    return notes


def _ranking_notes(evaluation: Evaluation) -> list[str]:
    notes = []
    rows = evaluation.overall()
    for row in rows:
        if row.failed:
            problem = next(
                line.ranking.problem
                for each in evaluation.results
                for line in each.lines
                if line.route == row.route and line.ranking.problem
            )
            notes.append(f"{row.route}: no answer to {_count(row.failed, 'topic')}. {problem}")
    short = [f"{row.route} {row.short} of {row.n}" for row in rows if row.short]
    if short and all(row.short == row.n for row in rows):
        notes.append(f"* Every list is shorter than {evaluation.depth}.")
    elif short:
        notes.append(f"* Lists shorter than {evaluation.depth}: {', '.join(short)}.")
    if any(row.unjudged for row in rows):
        notes.append("What is unjudged counts as a miss.")
    return notes


def _count(number: int, what: str, plural: str = "") -> str:
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
