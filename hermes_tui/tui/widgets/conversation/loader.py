"""Fetching and wrapping messages away from the screen's thread.

`Loader` is handed what the screen needs now and what it may need next, and publishes bodies in
that order. It knows nothing of Textual: `work` runs in a thread the widget starts when `want` says
that none is running, and `publish` is called from there.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.reader import Outline
from hermes_tui.history.rows import Message, Session
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.widgets.conversation.document import Body, Highlight, build, missing

BATCH_MESSAGES = 32
BATCH_OCTETS = 256_000
WORK_SECONDS, REST_SECONDS, WAIT_SECONDS = 0.003, 0.0005, 0.030
CACHE_OCTETS = 6_000_000
"""Bytes of bodies that are kept, about: some thousand messages of a talk."""


class Reader(Protocol):
    """What the view asks of a history."""

    def session(self, session_id: str) -> Session | None: ...  # noqa: D102
    def outline(self, session_id: str) -> Outline: ...  # noqa: D102
    def sketch(  # noqa: D102
        self, session_id: str, message_id: int | None = None
    ) -> Outline | None: ...
    def messages(  # noqa: D102
        self, ids: Sequence[int], *, sift: Callable[[bytes], bool] | None = None
    ) -> list[Message]: ...


class Pool(Protocol):
    """One reader for each thread."""

    def get(self) -> Reader: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Context:
    """What bodies depend on; those made in another context, even an equal one, are worthless."""

    outline: Outline
    width: int
    highlight: Highlight | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Bodies by index, made in a context; or the sentence that says why there are none."""

    context: Context
    bodies: dict[int, Body]
    failure: str = ""


class Superseded(Exception):  # noqa: N818 - an event, not a failure
    """What is being made is not wanted any more."""


class Pace:
    """Lets the screen's thread have the interpreter every few milliseconds of work.

    Without it, two busy threads of Python take turns of 5 ms, and a frame takes twice as long.
    The work also waits while a frame is being made, but not for ever.
    """

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()
        self._rested = 0.0

    def drawing(self) -> None:
        """A frame is about to be made."""
        self._free.clear()

    def drawn(self) -> None:
        """The frame is on the screen."""
        self._free.set()

    def rest(self) -> None:
        """Called often by the thread that works."""
        if time.monotonic() - self._rested < WORK_SECONDS:
            return
        time.sleep(REST_SECONDS)
        self._free.wait(WAIT_SECONDS)
        self._rested = time.monotonic()


def failure_of(error: Exception) -> str:
    """An error as a sentence on one line."""
    if isinstance(error, (HistoryError, QueryError)):
        return clean_line(str(error), 200)
    return clean_line(f"Messages could not be shown: {type(error).__name__}: {error}", 200)


class Loader:
    """Makes wanted bodies, the most wanted first."""

    def __init__(self, pool: Pool, publish: Callable[[Batch], object]) -> None:
        self.pace = Pace()
        self._pool = pool
        self._publish = publish
        self._lock = threading.Lock()
        self._wanted: tuple[Context, list[int]] | None = None
        self._running = False

    def want(self, context: Context, indexes: Iterable[int]) -> bool:
        """Replace what is wanted, the most urgent first. True when `work` has to be started."""
        with self._lock:
            self._wanted = (context, list(indexes))
            start = not self._running and bool(self._wanted[1])
            self._running = self._running or start
            return start

    def work(self, cancelled: Callable[[], bool]) -> None:
        """Make bodies until nothing is wanted; runs in its own thread."""
        while True:
            with self._lock:
                batch = None if cancelled() else self._next()
                if batch is None:
                    self._running = False
                    return
            context, indexes = batch
            try:
                bodies = self._make(context, indexes, cancelled)
            except (Superseded, Interrupted):
                continue
            except Exception as error:  # whatever a message holds, the view goes on
                bodies = {i: self._unread(context, i) for i in indexes}
                self._publish(Batch(context, bodies, failure_of(error)))
            else:
                self._publish(Batch(context, bodies))
            self._done(context, indexes)

    def _next(self) -> tuple[Context, list[int]] | None:
        if self._wanted is None or not self._wanted[1]:
            return None
        context, wanted = self._wanted
        return context, list(batch_of(context.outline, wanted))

    def _done(self, context: Context, indexes: Container[int]) -> None:
        with self._lock:
            if self._wanted and self._wanted[0] is context:
                rest = [i for i in self._wanted[1] if i not in indexes]
                self._wanted = (self._wanted[0], rest)

    def _still_wanted(self, context: Context, indexes: Sequence[int]) -> bool:
        wanted = self._wanted
        return wanted is not None and wanted[0] is context and indexes[0] in wanted[1]

    def _make(
        self, context: Context, indexes: list[int], cancelled: Callable[[], bool]
    ) -> dict[int, Body]:
        def pause() -> None:
            self.pace.rest()
            if cancelled() or not self._still_wanted(context, indexes):
                raise Superseded

        return bodies_of(self._pool.get(), context, indexes, pause)

    @staticmethod
    def _unread(context: Context, index: int) -> Body:
        return missing(context.outline.ids[index], context.outline.roles[index], context.width)


def batch_of(
    outline: Outline, wanted: Iterable[int], messages: int = BATCH_MESSAGES
) -> Iterator[int]:
    """The first of what is wanted, as much as is read in one go; at least one."""
    octets = 0
    for count, index in enumerate(wanted):
        octets += outline.octets[index]
        if count and (count >= messages or octets > BATCH_OCTETS):
            return
        yield index


def bodies_of(
    reader: Reader, context: Context, indexes: Sequence[int], pause: Callable[[], object]
) -> dict[int, Body]:
    """Bodies of some messages of a session; a row that is gone gets one that says so."""
    outline = context.outline
    found = {m.id: m for m in reader.messages([outline.ids[i] for i in indexes])}
    bodies = {}
    for index in indexes:
        message = found.get(outline.ids[index])
        pause()
        if message is None:
            bodies[index] = Loader._unread(context, index)
        else:
            bodies[index] = build(message, context.width, context.highlight, pause)
    return bodies


class Bodies:
    """The bodies at hand, the least used of which go first when they cost too much together."""

    def __init__(self, limit: int = CACHE_OCTETS) -> None:
        self._limit = limit
        self._kept: OrderedDict[int, Body] = OrderedDict()
        self.cost = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, index: int) -> bool:
        return index in self._kept

    def get(self, index: int) -> Body | None:
        """A body, counted as used; None when it is not at hand."""
        body = self._kept.get(index)
        if body is not None:
            self._kept.move_to_end(index)
        return body

    def items(self) -> list[tuple[int, Body]]:
        """All at hand, the least used first."""
        return list(self._kept.items())

    def put(self, index: int, body: Body, needed: Container[int] = ()) -> None:
        """Keep a body, and drop others than the `needed` until the cost is within the limit."""
        self.drop(index)
        self._kept[index] = body
        self.cost += body.cost
        if self.cost > self._limit:
            for old in [i for i in self._kept if i not in needed and i != index]:
                if self.cost <= self._limit:
                    break
                self.drop(old)

    def drop(self, index: int) -> None:
        """Forget a body."""
        body = self._kept.pop(index, None)
        if body is not None:
            self.cost -= body.cost

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self.cost = 0
