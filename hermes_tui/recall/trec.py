"""Judgements and rankings as files that other programs read: TREC qrels, TREC runs, JSON lines.

A query stands in a TREC file as its own id: percent-encoded UTF-8, with its arguments behind a
`?`, so that it can be read back. A conversation is its session id, encoded in the same way.
Nothing here reads a history, and no text makes a parser raise: what is no such line is a problem,
named by its number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, unquote

from hermes_tui.history.rows import parse_json
from hermes_tui.recall.judge import Grade, Topic, grade_of, is_id, problem, topic_of

Format = Literal["qrels", "run", "jsonl"]
FORMATS: tuple[Format, ...] = ("qrels", "run", "jsonl")
Name = str | int
"""A conversation in a file: a session id or a link to one, or the id of a message in it."""

_SAFE_IN_IDS = "@:/"
_BLANKS = re.compile("[ \t\r\v\f]+")
_ARGUMENTS = ("sort", "role_filter", "current_session_id", "rewound")


@dataclass(frozen=True, slots=True)
class Graded:
    """A judgement of a file: line is its number, from 1."""

    line: int
    topic: Topic
    name: Name
    grade: Grade


@dataclass(slots=True)
class Parsed:
    """What a file holds. graded: its judgements. runs: by tag, then topic, the score of a name."""

    format: Format
    graded: list[Graded] = field(default_factory=list)
    runs: dict[str, dict[Topic, dict[str, float]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether not one line could be read."""
        return not self.graded and not self.runs


def query_id(topic: Topic) -> str:
    """A topic as a word without blanks, in ASCII."""
    arguments = topic.arguments()
    if "rewound" in arguments:
        arguments["rewound"] = 1
    tail = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in arguments.items())
    return quote(topic.query, safe="", errors="replace") + (f"?{tail}" if tail else "")


def topic_of_id(text: str) -> Topic:
    """The topic of a word that `query_id` made; any other word is a query. May raise ValueError."""
    query, mark, tail = text.partition("?")
    arguments: dict[str, Any] = {}
    for part in tail.split("&") if mark else ():
        name, equals, value = part.partition("=")
        if not equals or name not in _ARGUMENTS:
            return topic_of(unquote(text))
        arguments[name] = unquote(value) if name != "rewound" else value == "1"
    return topic_of(unquote(query), arguments)


def name_id(session_id: str) -> str:
    """A session id as a word without blanks, in ASCII."""
    return quote(session_id, safe=_SAFE_IN_IDS, errors="replace")


# -- writing ----------------------------------------------------------------------------------


def qrels_lines(topics: Iterable[tuple[Topic, Mapping[str, int]]]) -> Iterator[str]:
    """`query 0 session grade`, a line a judgement."""
    for topic, grades in topics:
        for name, grade in _best_first(grades).items():
            yield f"{query_id(topic)} 0 {name_id(name)} {grade}"


def run_lines(rankings: Iterable[tuple[Topic, Iterable[str]]], tag: str) -> Iterator[str]:
    """`query Q0 session rank score tag`; the scores fall by 1, so that there are no ties."""
    for topic, ranking in rankings:
        names = list(ranking)
        for place, name in enumerate(names):
            score = len(names) - place
            yield f"{query_id(topic)} Q0 {name_id(name)} {place + 1} {score} {tag}"


def json_lines(topics: Iterable[tuple[Topic, Mapping[str, int]]]) -> Iterator[str]:
    """`{"query": …, "relevant": [session ids]}`, the best first, with every grade beside them."""
    for topic, grades in topics:
        grades = _best_first(grades)
        relevant = [name for name, grade in grades.items() if grade > 0]
        line = {"query": topic.query, "relevant": relevant, "grades": grades}
        arguments = topic.arguments()
        yield json.dumps({**line, "arguments": arguments} if arguments else line)


def _best_first(grades: Mapping[str, int]) -> dict[str, int]:
    """In an order that does not depend on when something was judged."""
    return {name: grades[name] for name in sorted(grades, key=lambda name: (-grades[name], name))}


# -- reading ----------------------------------------------------------------------------------


def parse(text: str, name: str) -> Parsed:
    """A file's text in whichever of the three forms its first line has.

    name: what to call the file where a line of it is a problem.
    """
    lines = [(n, line.strip()) for n, line in enumerate(text.lstrip("\ufeff").split("\n"), start=1)]
    lines = [(number, line) for number, line in lines if line]
    parsed = Parsed(_format_of(lines[0][1]) if lines else "qrels")
    read = {"qrels": _read_qrels, "run": _read_run, "jsonl": _read_json}[parsed.format]
    for number, line in lines:
        try:
            read(parsed, number, line)
        except ValueError as error:
            parsed.problems.append(problem(name, number, str(error)))
    return parsed


def _format_of(line: str) -> Format:
    if line.startswith("{"):
        return "jsonl"
    return "run" if len(_BLANKS.split(line)) == 6 else "qrels"


def _read_qrels(parsed: Parsed, number: int, line: str) -> None:
    fields = _BLANKS.split(line)
    if len(fields) != 4:
        raise ValueError(f"a qrels line has 4 fields, this one {len(fields):,}")
    query, _, name, grade = fields
    if grade not in ("0", "1", "2"):
        raise ValueError("the grade is none of 0, 1, 2")
    parsed.graded.append(Graded(number, topic_of_id(query), name, grade_of(int(grade))))


def _read_run(parsed: Parsed, number: int, line: str) -> None:
    fields = _BLANKS.split(line)
    if len(fields) != 6:
        raise ValueError(f"a run line has 6 fields, this one {len(fields):,}")
    query, _, name, _, score, tag = fields
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("the score is no number")
    scores = parsed.runs.setdefault(tag, {}).setdefault(topic_of_id(query), {})
    if name in scores:
        raise ValueError("its query has this conversation already")
    scores[name] = value


def _read_json(parsed: Parsed, number: int, line: str) -> None:
    value = parse_json(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    topic = topic_of(value.get("query"), value.get("arguments"))
    relevant, grades = value.get("relevant", []), value.get("grades", {})
    if not isinstance(relevant, list) or not isinstance(grades, dict):
        raise ValueError("relevant is no list, or grades no object")
    found: dict[Name, Grade] = {}
    for name in relevant:
        if not (isinstance(name, str) and name) and not is_id(name):
            raise ValueError("relevant holds what is no id")
        found[name] = 2
    found |= {name: grade_of(grade) for name, grade in grades.items()}
    if not found:
        raise ValueError("it judges nothing")
    parsed.graded += [Graded(number, topic, name, grade) for name, grade in found.items()]
