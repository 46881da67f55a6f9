"""Copying from the conversation: a message, the window around it, a link, the resume command."""

from __future__ import annotations

from functools import partial

from hermes_tui.history.locate import session_link
from hermes_tui.recall.export import chapter, markdown_of
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.clipboard import OSC52_LIMIT, Sent, send
from hermes_tui.tui.files import file_name
from hermes_tui.tui.resuming import resume_command
from hermes_tui.tui.screens.narrowing import Narrowing
from hermes_tui.tui.widgets.conversation.texts import stored_text

GROUP = "copy"


class Copying(Narrowing, inherit_bindings=False):
    """What is copied is clean, and where it went is said."""

    def target(self) -> str | None:
        """The session meant by a key: the one that is read, else the entry under the cursor."""
        current = self.results.list.current
        if self.inside or current is None:
            return self.conversation.view.session_id
        return current.session_id

    def window_around(self) -> tuple[int, int] | None:
        """[low, high) of the messages around the one under the cursor, by their place."""
        layout, position = self.conversation.view.layout_of_session, self.conversation.view.position
        return layout.window_around(position - 1) if layout is not None and position else None

    def copy(self, text: str, what: str) -> None:
        """Copy clean text. what: its name for the reader."""
        outside, name = self.outside, file_name(what)
        if outside is None:
            self._sent(text, what, Sent("sent to the terminal, if it takes OSC 52", osc52=True))
            return
        self.in_thread(partial(send, text, outside, name), partial(self._sent, text, what), GROUP)

    def _sent(self, text: str, what: str, sent: Sent) -> None:
        if sent.osc52 and len(text) <= OSC52_LIMIT:
            self.app.copy_to_clipboard(text)
        self.toast(f"{what} {sent.told}", failed=sent.failed)

    def action_copy_message(self) -> None:
        """Copy the message under the cursor."""
        view = self.conversation.view
        shown, message_id = view.current_text(), view.current_id
        if shown and message_id is not None:
            self.in_thread(
                partial(self._message_text, message_id, shown),
                partial(self.copy, what=f"Message {view.position:,}"),
                GROUP,
            )
        else:
            self.toast("There is no message with a text under the cursor.", failed=True)

    def _message_text(self, message_id: int, shown: str) -> str:
        """The worker's thread. JSON is copied as it is stored: somebody may want to parse it."""
        return "".join(map(stored_text, self.pool.get().messages([message_id]))) or shown

    def action_copy_window(self) -> None:
        """Copy the window around the message under the cursor, as Markdown."""
        view, window = self.conversation.view, self.window_around()
        if window is None or view.session_id is None:
            return
        self.in_thread(
            partial(self._window_text, view.session_id, window, view.show_rewound),
            partial(self.copy, what=f"Messages {window[0] + 1:,} to {window[1]:,}"),
            GROUP,
        )

    def _window_text(self, session_id: str, window: tuple[int, int], rewound: bool) -> str:
        """The worker's thread."""
        history = self.pool.get()
        session = history.session(session_id)
        if session is None:
            return ""
        part = chapter(history, session, positions=window, rewound=rewound)
        return "".join(map(markdown_of, history.messages(part.ids))).strip() + "\n"

    def action_copy_link(self) -> None:
        """Copy the link to the session, as it is pasted into a prompt."""
        session_id = self.target()
        if session_id is not None:
            link = clean_line(session_link(self.pool.place.profile, session_id))
            self.copy(link, link)

    def action_resume(self) -> None:
        """Show and copy the command that goes on with the session."""
        session_id = self.target()
        if session_id is not None:
            environ = self.outside.environ if self.outside else {}
            command = resume_command(self.pool.place, session_id, environ)
            self.copy(command, command)
