"""Progress of a long run: a bar on a terminal, else a line now and then; and how to stop it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hermes_tui.storage.optimize import Progress as Step

LABELS = {
    "index": "indexing messages",
    "words": "indexing two-character words",
    "clean": "dropping old parts",
    "compact": "rewriting the file",
}
LINE_EVERY_SECONDS = 5.0
"""How often plain output says how far it is."""

Report = Callable[[Step], None]


@contextmanager
def progress_for(console: Console | None = None) -> Iterator[Report]:
    """Where to report steps to: a bar when stdout is a terminal, plain lines otherwise."""
    console = console or Console(highlight=False, markup=False)
    if not console.is_terminal:
        yield PlainLines()
        return
    with _Bars(console) as bars:
        yield bars


class PlainLines:
    """Says at the start and end of each kind of work, and now and then, how far it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kind = ""
        self._said = 0.0

    def __call__(self, step: Step) -> None:
        """Print a line when one is due."""
        now = self._clock()
        begins, ends = step.kind != self._kind, step.done >= step.total
        if begins or ends or now - self._said >= LINE_EVERY_SECONDS:
            self._kind, self._said = step.kind, now
            print(plain_line(step), flush=True)


def plain_line(step: Step) -> str:
    """`indexing messages: 500 of 1,500 · 900/s · 1 s left`."""
    parts = [f"{LABELS.get(step.kind, step.kind)}: {step.done:,} of {step.total:,}"]
    if step.done >= step.total:
        parts.append(f"done in {step.seconds:,.1f} s")
    elif step.remaining is not None:
        parts += [f"{step.rate:,.0f}/s", f"{step.remaining:,.0f} s left"]
    return " · ".join(parts)


class _Rate(TextColumn):
    """The rate that the step itself reports."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task: Any) -> Text:
        rate = task.fields.get("rate", 0.0)
        return Text(f"{rate:,.0f}/s" if rate else "", "dim")


class _Bars:
    """One bar for each kind of work."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=console,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Bars:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Move a bar, making it first."""
        if step.kind not in self._tasks:
            label = LABELS.get(step.kind, step.kind)
            self._tasks[step.kind] = self._bars.add_task(label, total=step.total, rate=0.0)
        task = self._tasks[step.kind]
        self._bars.update(task, completed=step.done, total=step.total, rate=step.rate)


class Wish:
    """Whether Ctrl+C was pressed: the run ends after the transaction it is in.

    A second Ctrl+C ends the program at once, which is safe too: what was not committed is rolled
    back when the file is opened next.
    """

    def __init__(self) -> None:
        self.made = False
        self._before: Any = None

    def __call__(self) -> bool:
        """What `optimize` asks between two transactions."""
        return self.made

    def __enter__(self) -> Wish:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._wish)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _wish(self, number: int, frame: FrameType | None) -> None:
        if self.made:
            raise KeyboardInterrupt
        self.made = True
        print("Stopping after this step; Ctrl+C again stops at once.", file=sys.stderr)
