"""Explaining from the main screen: why, the agent's eye, rules side by side, whose eyes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.tui.screens.compare import CompareScreen
from hermes_tui.tui.screens.judged import Judged
from hermes_tui.tui.screens.panel import Wish
from hermes_tui.tui.screens.payload import PayloadScreen
from hermes_tui.tui.screens.why import WhyScreen
from hermes_tui.tui.service import Question
from hermes_tui.tui.workbench import Subject, Workbench

GROUP = "explain"


class Explained(Judged, inherit_bindings=False):
    """The answer on the screen, explained.

    as_session: whose agent asks at the start. rules: those of the agent.
    """

    as_session: str | None = None
    rules: Policy = HERMES

    def _bench(self) -> Workbench | None:
        """For the question on the screen; None, and said, when nothing is asked."""
        question = self.searching.question
        if question.blank:
            self.frame.say("There is no query to explain.")
            return None
        return Workbench(self.pool, question, self.rules)

    def _subject(self) -> Subject | None:
        """What a why-not is about: the message that is read, else the entry under the cursor."""
        view, current = self.conversation.view, self.results.list.current
        if self.inside and view.session_id is not None:
            return Subject(view.session_id, view.current_id)
        if self.pane == "results" and current is not None:
            return Subject(current.session_id)
        return None

    def action_why(self) -> None:
        """Why the query finds what it finds, and why not what is under the cursor."""
        bench, subject = self._bench(), self._subject()
        if bench is not None:
            self.app.push_screen(WhyScreen(bench, subject), partial(self._wished, bench, subject))

    def action_payload(self) -> None:
        """What the agent is given."""
        bench = self._bench()
        if bench is not None:
            self.app.push_screen(PayloadScreen(bench), partial(self._wished, bench, None))

    def action_compare(self) -> None:
        """The same query by several rules."""
        bench = self._bench()
        if bench is not None:
            self.app.push_screen(CompareScreen(bench), partial(self._wished, bench, None))

    def action_report(self) -> None:
        """Copy a bug report about the query, without a word of a conversation."""
        bench = self._bench()
        if bench is not None:
            self._report(bench, self._subject())

    def action_as_session(self) -> None:
        """Ask as the agent in the session under the cursor does; a second time, as nobody."""
        session_id = self.target()
        if session_id is None:
            return
        question = self.searching.question
        again = session_id == question.current_session
        self._ask(replace(question, current_session=None if again else session_id))

    def _wished(self, bench: Workbench, subject: Subject | None, wish: Wish | None) -> None:
        """Do what a panel ended with."""
        kind, text = wish or ("", "")
        if kind == "ask":
            self.bar.fill(text)
        elif kind == "copy":
            self.copy(text, "Explanation")
        elif kind == "report":
            self._report(bench, subject)
        elif kind == "open":
            self._open_root(text)

    def _report(self, bench: Workbench, subject: Subject | None) -> None:
        self.in_thread(partial(bench.report, subject), partial(self.copy, what="Report"), GROUP)

    def _open_root(self, root: str) -> None:
        """Open a lineage: at its hit where the results have it, else at its beginning."""
        for place, hit in enumerate(self.results.list.hits):
            if hit.root == root:
                self.results.list.cursor = place
                self._read(hit)
                self._go("conversation")
                return
        self.open_message(root, None, "")

    def _ask(self, question: Question, *, delay: float = 0.0) -> None:
        """Ask; the main screen says how."""
        raise NotImplementedError
