"""The panel that judges a result: three grades, and how every route does on what was judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.recall.evaluation import Evaluation
from hermes_tui.recall.evaluation_text import headline, plot_lines, table_lines
from hermes_tui.recall.judge import GRADES, Grade
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.drawing import one_line
from hermes_tui.tui.judging import Judging
from hermes_tui.tui.service import Question
from hermes_tui.tui.widgets.results_drawing import title_of

Verdict = Grade | Literal["none"]
"""What the panel answers: a grade, or that an earlier one is taken back."""

GROUP = "measures"
_KEYS = "0 miss   1 related   2 right"


class JudgingScreen(ModalScreen[Verdict | None]):
    """Answers with a verdict, or None. given: the grade the result has."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("0", "judge(0)", show=False),
        Binding("1", "judge(1)", show=False),
        Binding("2", "judge(2)", show=False),
        Binding("minus,backspace,delete", "take_back", show=False),
        Binding("escape,q,x,enter", "close", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    class _Measured(Message):
        """An evaluation has ended. error: why there is none, clean."""

        def __init__(self, evaluation: Evaluation | None, error: str = "") -> None:
            super().__init__()
            self.evaluation = evaluation
            self.error = error

    def __init__(
        self, judging: Judging, question: Question, hit: LineageHit, given: Grade | None
    ) -> None:
        super().__init__()
        self._judging = judging
        self._question = question
        self._given = given
        self._hit = hit
        self._evaluations: list[Evaluation] = []
        self._measures = Static("Measuring …", markup=False)

    def compose(self) -> ComposeResult:
        """What is judged and the keys; below, the measures when they are there."""
        with VerticalScroll(id="judging") as box:
            box.border_title = "judge"
            box.border_subtitle = "0 1 2 judges · Esc closes"
            yield Static(self._head(), markup=False)
            yield self._measures

    def on_mount(self) -> None:
        """Measure what was judged so far."""
        self.run_worker(
            self._measure, group=GROUP, thread=True, exclusive=True, exit_on_error=False
        )

    def on_unmount(self) -> None:
        """Nobody waits for the measures any more."""
        self.workers.cancel_node(self)

    def action_judge(self, grade: Grade) -> None:
        """Answer with a grade."""
        self.dismiss(grade)

    def action_take_back(self) -> None:
        """Answer that the grade is taken back, if there is one."""
        self.dismiss("none" if self._given is not None else None)

    def action_close(self) -> None:
        """Leave it as it is."""
        self.dismiss(None)

    def action_scroll(self, step: int) -> None:
        """A line down or up."""
        box = self.query_one("#judging", VerticalScroll)
        box.scroll_relative(y=step, animate=False)

    def _head(self) -> Text:
        given = "not yet" if self._given is None else GRADES[self._given]
        back = "" if self._given is None else "   - take it back"
        return Text.assemble(
            (f"{one_line(self._question.text)}\n", "bold"),
            f"{title_of(self._hit)}\n",
            ("judged: ", "dim"),
            (f"{given}\n\n", "bold"),
            f"{_KEYS}{back}\n",
        )

    def _measure(self) -> None:
        """Runs in a thread: only posts messages."""
        worker = get_current_worker()
        try:
            for evaluation in self._judging.measure(self._question, lambda: worker.is_cancelled):
                self.post_message(self._Measured(evaluation))
        except Interrupted:
            return
        except (HistoryError, QueryError) as error:
            self.post_message(self._Measured(None, str(error)))

    def on_judging_screen__measured(self, event: _Measured) -> None:
        """Show the measures, of this query first."""
        if event.evaluation is None:
            self._measures.update(Text(f"There are no measures: {one_line(event.error)}"))
            return
        self._evaluations.append(event.evaluation)
        self._measures.update(_measures_text(self._evaluations))


_TITLES = ("This query", "All queries")


def _measures_text(evaluations: Sequence[Evaluation]) -> Text:
    """A table for each, under its title; notes and bars under the last."""
    text = Text()
    for title, evaluation in zip(_TITLES, evaluations, strict=False):
        text.append("\n\n" if text else "").append(f"{title}\n", "bold underline")
        text.append(_table(evaluation))
    last = evaluations[-1]
    notes = [f"! {one_line(note)}" for note in last.notes()]
    bars = ["", *plot_lines(last)] if last.results else []
    return text.append("".join(f"\n{line}" for line in (*notes, *bars)))


def _table(evaluation: Evaluation) -> str:
    if not evaluation.results:
        return "Nothing is judged yet."
    return "\n".join([headline(evaluation), "", *table_lines(evaluation)])
