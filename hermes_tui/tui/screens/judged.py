"""Judging from the main screen: marks on the rows that were judged, and the panel."""

from __future__ import annotations

from functools import partial

from textual.message import Message

from hermes_tui.history.errors import HistoryError
from hermes_tui.recall.judge import Grade
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.judging import Judging, Marks
from hermes_tui.tui.screens.judging import JudgingScreen, Verdict
from hermes_tui.tui.screens.reading import Reading
from hermes_tui.tui.service import Question

GROUP = "judgements"


class Judged(Reading, inherit_bindings=False):
    """The judgements of the answer on the screen. `judging` None: they are kept nowhere."""

    judging: Judging | None = None
    _question = Question("")

    class _Marked(Message):
        """The judgements of a query have been read; error: why not, clean."""

        def __init__(self, query: str, marks: Marks, error: str = "") -> None:
            super().__init__()
            self.query = query
            self.marks = marks
            self.error = error

    def mark_judged(self, question: Question) -> None:
        """Mark the rows of the answer to a question that were judged."""
        if question.text != self._question.text:
            self.results.list.mark({})
        self._question = question
        if self.judging is not None and not question.blank:
            self._work(partial(self._marks, self.judging, question))

    def action_judge(self) -> None:
        """Show the panel for the entry under the cursor."""
        hit = self.results.list.current
        if self.judging is None or hit is None or self._question.blank:
            self.frame.say("There is no answer to judge.")
            return
        question, given = self._question, self.results.list.grade_of(hit)
        panel = JudgingScreen(self.judging, question, hit, given)
        self.app.push_screen(panel, partial(self._keep, self.judging, question, hit))

    def _keep(
        self, judging: Judging, question: Question, hit: LineageHit, verdict: Verdict | None
    ) -> None:
        if verdict is not None:
            grade = None if verdict == "none" else verdict
            self._work(partial(self._judge, judging, question, hit, grade))

    def _work(self, work: partial[None]) -> None:
        self.run_worker(work, group=GROUP, thread=True, exit_on_error=False)

    def _judge(
        self, judging: Judging, question: Question, hit: LineageHit, grade: Grade | None
    ) -> None:
        """Runs in a thread: only posts a message."""
        try:
            self.post_message(self._Marked(question.text, judging.judge(question, hit, grade)))
        except HistoryError as error:
            self.post_message(self._Marked(question.text, {}, str(error)))

    def _marks(self, judging: Judging, question: Question) -> None:
        """Runs in a thread: only posts a message."""
        try:
            self.post_message(self._Marked(question.text, judging.marks(question.text)))
        except HistoryError as error:
            self.post_message(self._Marked(question.text, {}, str(error)))

    def on_judged__marked(self, event: _Marked) -> None:
        """Show the marks, unless another query has its answer meanwhile."""
        if event.error:
            self.complain(event.error)
        elif event.query == self._question.text:
            self.results.list.mark(event.marks)
