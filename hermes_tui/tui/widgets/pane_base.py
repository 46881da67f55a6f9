"""The conversation pane: which session it is, where in its lineage, where one stands in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.worker import get_current_worker

from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.ids import sessions_of
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.messages import LineageRead, StopChosen
from hermes_tui.tui.service import Spans
from hermes_tui.tui.walking import (
    Stop,
    Walk,
    beside,
    onward,
    place_of,
    walk_of,
    with_hits,
)
from hermes_tui.tui.widgets.conversation.events import EdgeReached, Failed, Moved, Opened
from hermes_tui.tui.widgets.conversation.loader import failure_of
from hermes_tui.tui.widgets.lineage_strip import LineageStrip
from hermes_tui.tui.widgets.one_line import OneLine
from hermes_tui.tui.widgets.prompt_line import PromptLine
from hermes_tui.tui.widgets.reader import HitsEnd, HomeWanted, Reader
from hermes_tui.tui.widgets.results_drawing import root_of, title_of
from hermes_tui.tui.wording import border_text, position_text

At = Literal["start", "end", "first hit", "last hit"]
"""Where in another session of the lineage one arrives."""


class PaneBase(Vertical):
    """Heading, lineage strip and view. `hit` is the entry of the results that was opened."""

    def __init__(
        self,
        pool: HistoryPool,
        *,
        now: Callable[[], float],
        keymap: Mapping[str, str],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.border_title = "conversation"
        self._pool = pool
        self.view = Reader(pool, now=now, keymap=keymap, id="conversation")
        self.heading = OneLine(id="heading")
        self.strip = LineageStrip(id="lineage")
        self.prompt = PromptLine(id="prompt")
        self.hit: LineageHit | None = None
        self.walk: Walk = ()
        self._highlight: Callable[[str], Spans] | None = None
        self._asked: tuple[str, int | None, str] | None = None
        self._going: At | None = None

    def compose(self) -> ComposeResult:
        """The heading and the lineage above the view, the prompt below it."""
        yield self.heading
        yield self.strip
        yield self.view
        yield self.prompt

    def open(self, hit: LineageHit, query: str, highlight: Callable[[str], Spans] | None) -> None:
        """Show an entry at its hit; nothing happens when it is on view for this query already."""
        asked = (hit.session_id, hit.message_id, query)
        self.hit, self.view.home = hit, hit.session_id
        if asked != self._asked:
            self._asked, self._highlight = asked, highlight
            self.walk = ()
            self._open_at_its_hit(hit)
        self.update_heading()

    def _open_at_its_hit(self, hit: LineageHit) -> None:
        self._going = None
        self.view.open(
            hit.session_id, anchor=hit.message_id, hits=hit.hits, highlight=self._highlight
        )

    def on_home_wanted(self, event: HomeWanted) -> None:
        """Back from another session of the lineage."""
        event.stop()
        if self.hit is not None:
            self._open_at_its_hit(self.hit)

    def clear(self, reason: str) -> None:
        """Show no conversation, and why (clean text)."""
        self.hit = self._asked = self._going = None
        self.walk = ()
        self.strip.show((), None)
        self.view.clear(reason)
        self.update_heading()

    def forget(self) -> None:
        """Let the next `open` load again, after one that failed."""
        self._asked = None

    @property
    def stop(self) -> Stop | None:
        """The open session among those of its lineage, once that is known."""
        here = place_of(self.walk, self.view.session_id)
        return None if here is None else self.walk[here]

    @on(Moved)
    @on(Opened)
    def update_heading(self) -> None:
        """Say where one stands."""
        if self.hit is None:
            self.heading.put(())
            return
        view = self.view
        where = position_text(
            *(view.position, view.total, view.hit_index, view.hit_count), on_hit=view.on_hit
        )
        modes = " · ".join(view.modes)
        if self.border_subtitle != modes:
            self.border_subtitle = modes
        news = (Piece(f"{view.news:,} new · ", "bold"),) if view.news else ()
        self.heading.put(self._title(self.hit), (*news, Piece(where, "dim")))

    @property
    def title(self) -> str:
        """The title of the open session; '' when nothing is open."""
        return self._title(self.hit)[-1].text if self.hit is not None else ""

    def _title(self, hit: LineageHit) -> tuple[Piece, ...]:
        session_id = self.view.session_id
        if session_id is not None and session_id != hit.session_id:
            stop = self.stop
            own = one_line(stop.title or "") if stop else ""
            return (Piece(own or f"untitled {one_line(session_id)}", "bold"),)
        root, title = root_of(hit), Piece(title_of(hit), "bold")
        return (Piece(f"{root} ▸ ", "dim"), title) if root else (title,)

    # -- the lineage ------------------------------------------------------------------------

    @on(Opened)
    def arrive(self) -> None:
        """A session is on view: bring the strip up to date, and go to where one wanted to be."""
        going, self._going = self._going, None
        self._show_borders()
        if going == "end":
            self.view.action_last()
        elif going == "start":
            self.view.action_first()
        if self.stop is not None:
            self.strip.show(self.walk, self.view.session_id)
        elif self.hit is not None and self.view.session_id is not None:
            self.read_lineage()

    @on(Failed)
    def stay(self) -> None:
        """The session that one was going to cannot be read."""
        self._going = None

    def read_lineage(self) -> None:
        """Read, in a thread, which sessions the open one is tied to."""
        hits = self.hit.hits if self.hit else ()
        self.run_worker(
            partial(self._read_walk, self.view.session_id or "", hits),
            group="lineage",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def _read_walk(self, session_id: str, hits: tuple[int, ...]) -> None:
        """The worker's thread."""
        worker = get_current_worker()
        try:
            history = self._pool.get()
            walk = walk_of(history.lineage(session_id), sessions_of(history, hits))
        except Exception as error:
            self.post_message(Failed(failure_of(error)))
            return
        if not worker.is_cancelled:
            self.post_message(LineageRead(session_id, walk))

    def on_lineage_read(self, event: LineageRead) -> None:
        """Show the lineage, unless another session was opened meanwhile."""
        if event.session_id == self.view.session_id:
            self.walk = event.walk
            self.strip.show(self.walk, self.view.session_id)
            self._show_borders()
            self.update_heading()

    def _show_borders(self) -> None:
        """Where reading on leads, over the first message and under the last."""
        before, after = (onward(self.walk, self.view.session_id, step) for step in (-1, 1))
        self.view.set_borders(border_text(before, -1), border_text(after, 1))

    def go_to_stop(self, stop: Stop | None, at: At) -> bool:
        """Open another session of the lineage; False when there is none."""
        if stop is None or self.hit is None or self._going is not None:
            return False
        anchor = None
        if stop.hits and at in ("first hit", "last hit"):
            anchor = stop.hits[0 if at == "first hit" else -1]
        self._going, self._asked = at, None
        self.view.open(
            stop.session_id, anchor=anchor, hits=self.hit.hits, highlight=self._highlight
        )
        self.update_heading()
        return True

    def step_session(self, step: int) -> bool:
        """Open the next or previous session of the lineage."""
        return self.go_to_stop(beside(self.walk, self.view.session_id, step), "first hit")

    def on_conversation_view_edge_reached(self, event: EdgeReached) -> None:
        """Scrolling on goes on in the session that continues this one."""
        event.stop()
        at: At = "start" if event.direction > 0 else "end"
        self.go_to_stop(onward(self.walk, self.view.session_id, event.direction), at)

    def on_hits_end(self, event: HitsEnd) -> None:
        """The next hit may be in another session of the lineage; where there is none at all, the
        screen says so.
        """
        stop = with_hits(self.walk, self.view.session_id, event.direction)
        if stop is not None:
            event.stop()
            self.go_to_stop(stop, "first hit" if event.direction > 0 else "last hit")

    def on_stop_chosen(self, event: StopChosen) -> None:
        """A session of the strip was clicked."""
        event.stop()
        stop = self.walk[event.place]
        if stop.session_id != self.view.session_id:
            self.go_to_stop(stop, "first hit")
