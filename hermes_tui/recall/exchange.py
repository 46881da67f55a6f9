"""Files of judgements and rankings, brought into one history: names become its conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from hermes_tui.history.locate import parse_link
from hermes_tui.history.reader import History
from hermes_tui.recall import measures, trec
from hermes_tui.recall.evaluation import Evaluation
from hermes_tui.recall.judge import Judgement, Topic, problem, shown_problems
from hermes_tui.recall.trec import Format, Name, Parsed

Runs = dict[str, dict[Topic, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file brought: judgements that say something new, runs by name, and sentences."""

    judgements: tuple[Judgement, ...]
    runs: Runs
    notes: tuple[str, ...]


def imported(
    history: History, parsed: Parsed, name: str, known: Sequence[Judgement], now: float
) -> Imported:
    """What a parsed file says about this history; what it has not is named and left out.

    name: what to call the file. known: the judgements there are, which are not repeated.
    now: when the new ones were made, Unix seconds.
    """
    problems = list(parsed.problems)
    grades = _newest_grades(known)
    added: list[Judgement] = []
    for graded in parsed.graded:
        place = find(history, graded.name)
        if place is None:
            why = "this history does not have its conversation"
            problems.append(problem(name, graded.line, why))
            continue
        root, session_id, message_id = place
        key = (graded.topic, root)
        if grades.get(key) != graded.grade:
            grades[key] = graded.grade
            added.append(Judgement(graded.topic, root, session_id, message_id, graded.grade, now))
    runs, strangers = _runs(history, parsed)
    notes = [_summary(parsed, len(added))]
    if strangers:
        notes.append(
            "1 line of a run names a conversation that is not here."
            if strangers == 1
            else f"{strangers:,} lines of a run name conversations that are not here."
        )
    return Imported(tuple(added), runs, (*notes, *shown_problems(problems)))


def _newest_grades(known: Sequence[Judgement]) -> dict[tuple[Topic, str], int | None]:
    return {(judgement.topic, judgement.root): judgement.grade for judgement in known}


def find(history: History, name: Name) -> tuple[str, str, int | None] | None:
    """(root, session, message) of an id as files have it, or None: nothing is guessed here."""
    families = history.families()
    if isinstance(name, int):
        rows = history.messages([name])
        if not rows:
            return None
        session_id = rows[0].session_id
        return families.root(session_id), session_id, name
    for text in (name, unquote(name)):
        link = parse_link(text)
        for session_id in (text, link.session_id if link else ""):
            if session_id in families.sessions:
                return families.root(session_id), session_id, None
    return None


def _runs(history: History, parsed: Parsed) -> tuple[Runs, int]:
    """The rankings of a run file by roots, and how many names are no conversation of here.

    A name that is none keeps its place in the ranking, where it pushes the others down.
    """
    runs: Runs = {}
    strangers = 0
    for tag, topics in parsed.runs.items():
        rankings = runs.setdefault(f"{tag} (file)", {})
        for topic, scores in topics.items():
            roots = []
            for name in measures.by_score(scores):
                place = find(history, name)
                strangers += place is None
                roots.append(name if place is None else place[0])
            rankings[topic] = tuple(dict.fromkeys(roots))
    return runs, strangers


def _summary(parsed: Parsed, added: int) -> str:
    if parsed.format == "run":
        return f"Read {_count(len(parsed.runs), 'run')}."
    read = _count(len(parsed.graded), "judgement")
    return f"Read {read}, {added:,} of them new."


def exported(evaluation: Evaluation, form: Format, route: str) -> Iterator[str]:
    """The lines of a file: the judgements that count here, or the ranking of one route."""
    if form == "run":
        rankings = [
            (each.topic, line.ranking.roots)
            for each in evaluation.results
            for line in each.lines
            if line.route == route
        ]
        return trec.run_lines(rankings, route)
    topics = [(each.topic, each.judged.grades) for each in evaluation.results]
    return trec.qrels_lines(topics) if form == "qrels" else trec.json_lines(topics)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
