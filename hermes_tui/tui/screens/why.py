"""Why the agent sees what it sees: the query, or why not the entry under the cursor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.recall.explain.showing import Line, explanation_lines, verdict_lines
from hermes_tui.recall.explain.verdict import Verdict
from hermes_tui.recall.explain.why import Explanation
from hermes_tui.tui.screens.lines import Lines
from hermes_tui.tui.screens.panel import Panel, cancelled
from hermes_tui.tui.workbench import Subject, Workbench


class WhyScreen(Panel):
    """`w` goes between the subject and the query; the other keys end the panel with a wish."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "turn", show=False),
        Binding("o", "ask('either')", show=False),
        Binding("p", "ask('phrase')", show=False),
        Binding("t", "ask('advice')", show=False),
        Binding("W", "report", show=False),
    ]

    def __init__(self, bench: Workbench, subject: Subject | None) -> None:
        super().__init__()
        self._bench = bench
        self._subject = subject
        self._of_subject = subject is not None
        self.explanation: Explanation | None = None
        self.verdict: Verdict | None = None

    def on_mount(self) -> None:
        """The subject first, if there is one."""
        self._show()

    def _show(self) -> None:
        if self._of_subject:
            self.put(*self._verdict_head(), self._verdict)
        else:
            self.put(*self._why_head(), self._explanation)

    def _verdict_head(self) -> tuple[str, str]:
        """(title, keys) of the verdict: whether something is missing is known when it is there."""
        keys = "w the query · W report · y copies"
        if self.verdict is None:
            return "does the agent see it?", keys
        if self.verdict.cause == "seen":
            return f"seen · place {self.verdict.rank} of {self._bench.ask().limit}", keys
        return "why not", f"t takes the advice · {keys}" if self.verdict.try_query else keys

    def _why_head(self) -> tuple[str, str]:
        """(title, keys) of the explanation: what may be asked instead is known when it is there."""
        found = self.explanation
        keys = (
            "o any word" if found and found.either else "",
            "p phrase" if found and found.phrase else "",
            "w the result" if self._subject else "",
            "W report · y copies",
        )
        return "why", " · ".join(filter(None, keys))

    def on_lines_made(self, event: Lines.Made) -> None:
        """Say what it is about, and what can be done."""
        super().on_lines_made(event)
        if not event.failure:
            self.head(*(self._verdict_head() if self._of_subject else self._why_head()))

    def _explanation(self) -> Iterable[Line]:
        """The worker's thread."""
        if self.explanation is None:
            self.explanation = self._bench.explanation(cancelled)
        return explanation_lines(self.explanation)

    def _verdict(self) -> Iterable[Line]:
        """The worker's thread."""
        if self.verdict is None and self._subject is not None:
            self.verdict = self._bench.verdict(self._subject, cancelled)
        if self.verdict is None:
            return [Line("It is not in the history any more.", "bad")]
        return verdict_lines(self.verdict)

    def action_turn(self) -> None:
        """From the subject to the query, and back."""
        if self._subject is not None:
            self._of_subject = not self._of_subject
            self._show()

    def action_ask(self, which: str) -> None:
        """Ask another query: any of the words, the phrase, or what the verdict advises."""
        query = None
        if which == "advice":
            query = self.verdict.try_query if self.verdict and self._of_subject else None
        elif self.explanation is not None:
            found = self.explanation.either if which == "either" else self.explanation.phrase
            query = found.query if found else None
        if query:
            self.dismiss(("ask", query))

    def action_report(self) -> None:
        """End with the wish for a report."""
        self.dismiss(("report", ""))
