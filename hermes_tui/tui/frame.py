"""The lines around the two panes: order and roles, status, notices, key hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widgets import Static

from hermes_tui.recall.outcome import Notice, Outcome
from hermes_tui.tui import wording
from hermes_tui.tui.commands import BY_ID, Situation, hints, key_text, keys_of
from hermes_tui.tui.completing import Offer
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.service import Question
from hermes_tui.tui.widgets.hint_line import Hint, HintLine
from hermes_tui.tui.widgets.one_line import OneLine


@dataclass(frozen=True, slots=True)
class Told:
    """What the lines tell. slow: the newest question waits for its answer for a while already.
    offers: what may follow in the query bar; they stand in the place of the status."""

    question: Question
    roles: str
    outcome: Outcome | None
    situation: Situation
    error: str = ""
    notices: Sequence[Notice] = ()
    narrow: bool = False
    slow: bool = False
    offers: Sequence[Offer] = ()


class Frame:
    """The widgets of those lines, and how they are brought up to date."""

    def __init__(self, *, place: str, keymap: Mapping[str, str]) -> None:
        self._place = Piece(place, "dim")
        self._keymap = keymap
        self.state = OneLine(id="state")
        self.status = OneLine(keep_left=True, id="status")
        self.notices = Static("", id="notices", markup=False)
        self.notices.display = False
        self.hints = HintLine(id="hints")

    def tell(self, told: Told) -> None:
        """Draw all of it."""
        state = wording.state_text(told.question, told.roles, short=told.narrow)
        self.state.put((Piece(state, "dim"),))
        if told.offers:
            self.status.put(_offers(told.offers, told.situation, self._keymap))
        else:
            self.status.put((Piece(_status(told)),), (self._place,))
        text = wording.notices_text(told.error, told.notices)
        self.notices.display = bool(text)
        self.notices.update(Content(text))
        self._tell_hints(told.situation)

    def say(self, text: str) -> None:
        """Put a few words in the place of the key hints, until the next key."""
        self.hints.say(text)

    @property
    def saying(self) -> bool:
        """Whether words stand in the place of the key hints."""
        return self.hints.saying

    def _tell_hints(self, situation: Situation) -> None:
        """The way back and help stand at the right end, where they stay when others go."""
        left: list[Hint] = []
        last: dict[str, Hint] = {"back": (), "help": ()}
        for command, key in hints(situation, self._keymap):
            hint = (Piece(f" {key}", "bold"), Piece(f" {command.label} "))
            if command.id in last:
                last[command.id] = hint
            else:
                left.append(hint)
        self.hints.offer(left, (*last["back"], *last["help"]))


def _offers(
    offers: Sequence[Offer], situation: Situation, keymap: Mapping[str, str]
) -> list[Piece]:
    """`Tab source:cli 210 · telegram 88`: the first is what the key takes."""
    keys = keys_of(BY_ID["query.complete"], keymap)
    pieces = [Piece(f"{key_text(keys[0])} " if keys else "", "dim")]
    for place, offer in enumerate(offers):
        pieces.append(Piece(" · " if place else "", "dim"))
        pieces.append(Piece(one_line(offer.shown), "" if place else "bold underline"))
        pieces.append(Piece(f" {offer.note}" if offer.note else "", "dim"))
    return pieces


def _status(told: Told) -> str:
    if told.slow:
        return f"searching {one_line(told.question.text)} …"
    if told.outcome is None:
        return "reading the history …"
    return wording.status_text(Question(told.outcome.query), told.outcome)
