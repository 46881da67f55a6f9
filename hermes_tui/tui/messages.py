"""Messages that cross from workers and widgets to the main screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from hermes_tui.recall.outcome import LineageHit, Outcome
from hermes_tui.recall.vocabulary import Vocabulary
from hermes_tui.tui.service import Question
from hermes_tui.tui.walking import Walk


@dataclass
class Answered(Message):
    """A search worker has an answer, maybe with fuller ones to follow.

    generation: the question it belongs to, to drop stale answers.
    """

    generation: int
    question: Question
    outcome: Outcome


@dataclass
class SearchFailed(Message):
    """A search worker could not answer; sentence is clean."""

    generation: int
    sentence: str


@dataclass
class ResultHighlighted(Message):
    """The results cursor stands on another entry; None when there is no entry."""

    hit: LineageHit | None


@dataclass
class ResultChosen(Message):
    """An entry of the results is to be opened and read."""

    hit: LineageHit


@dataclass
class StopChosen(Message):
    """A session of the lineage is to be opened; place: where in its walk it stands."""

    place: int


class LeaveQuery(Message):
    """The query bar hands the keyboard to the results."""


@dataclass
class PromptTyped(Message):
    """The text of the prompt line has changed."""

    text: str


@dataclass
class PromptAccepted(Message):
    """What stands in the prompt line is to be done."""

    text: str


class PromptCancelled(Message):
    """The prompt line is left without doing anything."""


@dataclass
class PromptStepped(Message):
    """The next (1) or previous (-1) match is wanted while the text is still typed."""

    step: int


@dataclass
class LineageRead(Message):
    """The sessions tied to one, and their hits."""

    session_id: str
    walk: Walk


class BarChanged(Message):
    """The text of the query bar, or the place of its cursor, has changed."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts."""
        return isinstance(message, BarChanged)


@dataclass
class VocabularyRead(Message):
    """What the filters can be given; None, and why, when it could not be read."""

    vocabulary: Vocabulary | None
    failure: str = ""
