"""The agent's eye: the very answer of session_search, and what other arguments would give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.recall.asking import DEFAULT_LIMIT
from hermes_tui.recall.explain.eye import Eye
from hermes_tui.recall.explain.eye_text import eye_lines
from hermes_tui.recall.explain.showing import Line
from hermes_tui.recall.policy import AGENT_ROLES
from hermes_tui.tui.screens.panel import Panel, cancelled
from hermes_tui.tui.service import SORTS
from hermes_tui.tui.workbench import Workbench

KEYS = "0-9 limit · s order · t tools · r JSON · y copy"
KEYS_WITH_DETAIL = KEYS.replace("t tools", "t tools · d detail")


class PayloadScreen(Panel):
    """Stands over the results, so that the conversation can be read beside it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"limit({n or 10})", show=False) for n in range(10)),
        Binding("s", "order", show=False),
        Binding("t", "tools", show=False),
        Binding("d", "detail", show=False),
        Binding("r", "raw", show=False),
        Binding("v", "close", show=False),
    ]

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._limit = DEFAULT_LIMIT
        self._sort = bench.question.sort
        self._roles: tuple[str, ...] = AGENT_ROLES
        self._full = False
        self._raw = False
        self.eye: Eye | None = None

    def on_mount(self) -> None:
        """What the agent is given without being told more."""
        self._show()

    def _show(self) -> None:
        roles = "+".join(self._roles)
        detail = " · detail full" if self._full else ""
        title = f"session_search · limit {self._limit}{detail} · {self._sort} · {roles}"
        self.put(title, KEYS_WITH_DETAIL if self._has_detail else KEYS, self._lines)

    @property
    def _has_detail(self) -> bool:
        """Whether these rules give less of some results unless they are told not to (56)."""
        return self._bench.rules.compact_results

    def _lines(self) -> Iterable[Line]:
        """The worker's thread."""
        self.eye = self._bench.eye(
            limit=self._limit,
            sort=self._sort,
            roles=self._roles,
            full_detail=self._full,
            stop=cancelled,
        )
        return [Line(self.eye.text)] if self._raw else eye_lines(self.eye)

    def action_limit(self, limit: int) -> None:
        """Another limit."""
        self._limit = limit
        self._show()

    def action_order(self) -> None:
        """The next order."""
        self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self._show()

    def action_tools(self) -> None:
        """With tool output, or without."""
        self._roles = AGENT_ROLES if "tool" in self._roles else (*AGENT_ROLES, "tool")
        self._show()

    def action_detail(self) -> None:
        """Every result whole, or what these rules take for enough."""
        if not self._has_detail:
            self.say("This Hermes knows no detail: every result is whole")
            return
        self._full = not self._full
        self._show()

    def action_raw(self) -> None:
        """As the agent gets it, or message by message."""
        self._raw = not self._raw
        self._show()

    def action_copy(self) -> None:
        """Close, and copy the answer itself."""
        if self.eye is not None:
            self.dismiss(("copy", self.eye.text))
