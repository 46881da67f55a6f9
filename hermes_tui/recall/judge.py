"""Judgements: what a person says about a conversation as an answer to a query.

They are kept in the user's data directory, never in the history: one file of JSON lines for every
history, told apart by its path. A line is appended in one write and never changed, so two programs
may judge at once; for a query and a conversation the last line holds.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import platformdirs

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place
from hermes_tui.history.rows import parse_json
from hermes_tui.history.statements import bindable
from hermes_tui.recall.matching import Sort
from hermes_tui.text.clean import clean_line

Grade = Literal[0, 1, 2]
GRADES: dict[int, str] = {0: "miss", 1: "related", 2: "right"}
"""What the grades mean."""

PROBLEMS_SHOWN = 5
_BIGGEST = 2**63 - 1
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_NO_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Topic:
    """What was asked: a query, and the arguments of session_search that change its answer.

    Blanks in the query are single ones, so that a query is not counted twice. A judgement is
    about the query alone; a topic with other arguments shares it.
    """

    query: str
    sort: Sort | None = None
    roles: tuple[str, ...] = ()
    current_session: str | None = None
    rewound: bool = False

    def arguments(self) -> dict[str, Any]:
        """The arguments that are not as usual, by the tool's names."""
        named: dict[str, Any] = {
            "sort": self.sort,
            "role_filter": ",".join(self.roles),
            "current_session_id": self.current_session,
            "rewound": self.rewound,
        }
        return {name: value for name, value in named.items() if value}


def topic_of(query: object, arguments: object = None) -> Topic:
    """A topic from values of anywhere. ValueError when they are none."""
    if not isinstance(query, str) or not query.strip():
        raise ValueError("the query is no text, or empty")
    given = {} if arguments is None else arguments
    if not isinstance(given, Mapping):
        raise ValueError("the arguments are no object")
    sort = given.get("sort") or None
    if sort not in (None, "newest", "oldest"):
        raise ValueError("sort is neither newest nor oldest")
    roles = given.get("role_filter") or ""
    current = given.get("current_session_id") or None
    if not isinstance(roles, str) or not isinstance(current, str | None):
        raise ValueError("an argument is no text")
    named = tuple(role.strip() for role in bindable(roles).split(",") if role.strip())
    return Topic(
        " ".join(bindable(query).split()),
        cast("Sort | None", sort),
        named,
        bindable(current),
        given.get("rewound") is True,
    )


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement. grade None takes an earlier one back. time: Unix seconds.

    root: the lineage as it was then. message_id: the hit that was looked at, when there was one.
    """

    topic: Topic
    root: str
    session_id: str
    message_id: int | None
    grade: Grade | None
    time: float


def line_of(judgement: Judgement) -> str:
    """A judgement as its line of the file, without the newline; plain ASCII."""
    return json.dumps(
        {
            "query": judgement.topic.query,
            "arguments": judgement.topic.arguments(),
            "root": judgement.root,
            "session_id": judgement.session_id,
            "message_id": judgement.message_id,
            "grade": judgement.grade,
            "time": judgement.time,
        }
    )


def judgement_of(line: str) -> Judgement:
    """The judgement of a line. ValueError says why it is none."""
    value = parse_json(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    topic = topic_of(value.get("query"), value.get("arguments"))
    root, session = value.get("root"), value.get("session_id")
    if not isinstance(root, str) or not isinstance(session, str) or not root or not session:
        raise ValueError("it names no conversation")
    message = value.get("message_id")
    if message is not None and not is_id(message):
        raise ValueError("message_id is no number of a message")
    return Judgement(
        topic,
        bindable(root),
        bindable(session),
        message,
        None if value.get("grade") is None else grade_of(value.get("grade")),
        _time(value.get("time")),
    )


def is_id(value: object) -> bool:
    """Whether a value can be the id of a message."""
    return type(value) is int and abs(value) <= _BIGGEST


def grade_of(value: object) -> Grade:
    """A grade; ValueError when it is none of 0, 1, 2."""
    if type(value) is int and value in GRADES:
        return cast("Grade", value)
    raise ValueError("the grade is none of 0, 1, 2")


def _time(value: object) -> float:
    """Unix seconds; 0 for an odd one, since nothing is decided by it."""
    try:
        seconds = float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file of judgements holds, in its order; problems: a sentence a line that is none."""

    judgements: tuple[Judgement, ...] = ()
    problems: tuple[str, ...] = ()

    def marks(self, query: str) -> dict[str, Grade]:
        """The grades given for a query, by root and by session id."""
        wanted = " ".join(bindable(query).split())
        marks: dict[str, Grade] = {}
        for judgement in self.judgements:
            if judgement.topic.query != wanted:
                continue
            for name in {judgement.root, judgement.session_id}:
                if judgement.grade is None:
                    marks.pop(name, None)
                else:
                    marks[name] = judgement.grade
        return marks


class Judgements:
    """The file of one history's judgements. Raises HistoryError when it cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[tuple[int, int], Kept] | None = None

    @classmethod
    def of(cls, place: Place, folder: Path | None = None) -> Judgements:
        """The judgements of a history, in `folder` or in the user's data directory."""
        return cls((folder or data_folder()) / "judgements" / f"{identity(place)}.jsonl")

    def read(self) -> Kept:
        """All of it; an unreadable line is a problem and not an error."""
        try:
            state = os.stat(self.path)
            stamp = (state.st_mtime_ns, state.st_size)
            if self._read is None or self._read[0] != stamp:
                text = self.path.read_bytes().decode("utf-8", "replace")
                self._read = (stamp, parse_lines(text, self.path.name))
        except (FileNotFoundError, NotADirectoryError):
            return Kept()
        except OSError as error:
            raise HistoryError(_cannot("read", self.path, error)) from error
        return self._read[1]

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Append judgements, in one write."""
        text = "".join(f"{line_of(judgement)}\n" for judgement in judgements)
        if not text:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self.path, _APPEND, 0o600)
            with open(handle, "r+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    # A last line that was cut off stays a line of its own.
                    text = text if file.read(1) == b"\n" else f"\n{text}"
                data = text.encode()
                if file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
        except OSError as error:
            raise HistoryError(_cannot("written", self.path, error)) from error


def parse_lines(text: str, name: str) -> Kept:
    """The judgements of a file's text; what is none is named by the number of its line."""
    judgements, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            judgements.append(judgement_of(line))
        except ValueError as error:
            problems.append(problem(name, number, str(error)))
    return Kept(tuple(judgements), tuple(problems))


def problem(name: str, number: int, why: str) -> str:
    """The sentence for a line of a file that is not what it should be."""
    return f"Line {number:,} of {clean_line(name, 60)} is left out: {clean_line(why, 80)}."


def shown_problems(problems: Iterable[str]) -> list[str]:
    """The first of them, and how many more there are."""
    every = list(problems)
    if len(every) <= PROBLEMS_SHOWN:
        return every
    return [*every[:PROBLEMS_SHOWN], f"{len(every) - PROBLEMS_SHOWN:,} more lines are left out."]


def data_folder() -> Path:
    """Where this program keeps what a person said."""
    return Path(platformdirs.user_data_dir("hermes-tui"))


def identity(place: Place) -> str:
    """A file name for a history: the end of its path to read, a hash of all of it to be sure."""
    path = os.path.normcase(os.path.realpath(place.path))
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    words = _NO_FILE_NAME.sub("-", "-".join(Path(path).parts[-2:])).strip("-.")[-40:]
    return f"{words}-{digest}" if words else digest


def _cannot(what: str, path: Path, error: OSError) -> str:
    why = clean_line(error.strerror or type(error).__name__, 80)
    return f"The judgements cannot be {what} ({clean_line(str(path), 200)}): {why}."
