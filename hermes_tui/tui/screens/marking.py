"""Bookmarks, and one message by itself: rendered, or as it is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from hermes_tui.recall.export import cleaned, message_json
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.ages import age
from hermes_tui.tui.bookmarks import Bookmark, Bookmarks, BookmarksError
from hermes_tui.tui.drawing import Piece, one_line
from hermes_tui.tui.rendering import Render, json_strips, json_text, markdown_strips
from hermes_tui.tui.screens.choice import ChoiceScreen
from hermes_tui.tui.screens.exporting import Exporting
from hermes_tui.tui.screens.lines import LinesScreen

GROUP = "bookmarks"


class Marking(Exporting, inherit_bindings=False):
    """Bookmarks are kept in the user's data folder, never in the history."""

    bookmarks: Bookmarks | None = None

    def _with_bookmarks(self, work: Callable[[Bookmarks], None]) -> None:
        if self.bookmarks is None:
            self.toast("There is no folder to keep bookmarks in.", failed=True)
            return
        try:
            work(self.bookmarks)
        except BookmarksError as error:
            self.toast(str(error), failed=True)

    def show_bookmarks(self) -> None:
        """Mark the bookmarked messages of the open session."""
        if self.bookmarks is not None:
            try:
                self.conversation.view.set_bookmarks(m.message_id for m in self.bookmarks.all())
            except BookmarksError as error:
                self.toast(str(error), failed=True)

    def action_toggle_bookmark(self) -> None:
        """Set a bookmark at the message under the cursor, or take it away."""
        view = self.conversation.view
        session_id, message_id = view.session_id, view.current_id
        if session_id is None or message_id is None:
            return

        def work(bookmarks: Bookmarks) -> None:
            now_set = bookmarks.toggle(
                session_id,
                message_id,
                self.conversation.title,
                view.current_text(),
                self.now(),
            )
            which = f"at message {view.position:,}"
            self.toast(f"Bookmark {which}" if now_set else f"No bookmark {which} any more")
            self.show_bookmarks()

        self._with_bookmarks(work)

    def action_choose_bookmark(self) -> None:
        """Show the bookmarks of this history and open the one that is chosen."""

        def work(bookmarks: Bookmarks) -> None:
            marks = bookmarks.all()
            if not marks:
                self.toast("There is no bookmark yet: m sets one in a conversation.")
                return
            rows = [
                (
                    (Piece(one_line(m.title), "bold"), Piece(f"  {one_line(m.text)}")),
                    (Piece(age(m.at, self.now()), "dim"),),
                )
                for m in marks
            ]
            self.app.push_screen(ChoiceScreen("bookmarks", rows), partial(self._chosen, marks))

        self._with_bookmarks(work)

    def _chosen(self, marks: tuple[Bookmark, ...], place: int | None) -> None:
        if place is not None:
            self.open_message(marks[place].session_id, marks[place].message_id, marks[place].title)

    def open_message(self, session_id: str, message_id: int | None, title: str) -> None:
        """Open a session at a message, or where its entry in the results does (None).

        Its hits are those of the entry, if there is one.
        """
        entries = self.results.list.hits
        entry = next((h for h in entries if session_id in (h.session_id, h.root)), None)
        hit = entry or LineageHit(
            rank=0,
            root=session_id,
            session_id=session_id,
            message_id=message_id,
            hits=(),
            matched=0,
            total=0,
            agent_rank=None,
            unseen=None,
            title=title,
            root_title=title,
            when=None,
            root_when=None,
            source="",
            role="",
            snippet="",
            marks=(),
            link="",
        )
        if message_id is not None:
            hit = replace(hit, session_id=session_id, message_id=message_id, title=title)
        self._open_marked(hit)
        self._go("conversation")

    def _open_marked(self, hit: LineageHit) -> None:
        """Open a conversation with what the query matches marked in it."""
        query = self.outcome.query if self.outcome else ""
        highlight = None
        if self.outcome is not None and query.strip():
            highlight = self.service.highlighter(query, hit, self.outcome.route)
        self.conversation.open(hit, query, highlight)

    # -- one message ------------------------------------------------------------------------

    def action_rendered(self) -> None:
        """Show the message under the cursor as rendered Markdown."""
        text = self.conversation.view.current_text()
        if text:
            self._show_lines("rendered", partial(markdown_strips, text), lambda: text)
        else:
            self.toast("There is no message with a text under the cursor.", failed=True)

    def action_raw(self) -> None:
        """Show the message under the cursor as it is stored, as JSON."""
        message_id = self.conversation.view.current_id
        if message_id is not None:
            text = partial(self._raw_text, message_id)
            self._show_lines("stored", lambda width: json_strips(text(), width), text)

    def _raw_text(self, message_id: int) -> str:
        """The worker's thread."""
        found = self.pool.get().messages([message_id])
        return json_text(message_json(found[0]) if found else cleaned({"gone": message_id}))

    def _show_lines(self, kind: str, render: Render, text: Callable[[], str]) -> None:
        title = f"message {self.conversation.view.position:,}, {kind}"

        def copied(copy: bool | None) -> None:
            if copy:
                self.in_thread(text, partial(self.copy, what=title.capitalize()), GROUP)

        self.app.push_screen(LinesScreen(title, render), copied)
