"""What the view tells others, and what its threads tell it."""

from __future__ import annotations

from textual.message import Message

from hermes_tui.tui.widgets.conversation.loader import Batch
from hermes_tui.tui.widgets.conversation.opening import Opened as OpenedSession


class Moved(Message, namespace="conversation_view"):
    """The position, the hit or what is known of the session has changed."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest of several in the queue counts."""
        return isinstance(message, type(self))


class Opened(Message, namespace="conversation_view"):
    """A session is on the screen. notice: a sentence when it is not as asked, or ''."""

    def __init__(self, notice: str = "") -> None:
        super().__init__()
        self.notice = notice


class Failed(Message, namespace="conversation_view"):
    """Something could not be read."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class EdgeReached(Message, namespace="conversation_view"):
    """The reader scrolls on at the end (1) or the beginning (-1) of the session."""

    def __init__(self, direction: int) -> None:
        super().__init__()
        self.direction = direction


class SessionRead(Message, namespace="conversation_base"):
    """From the thread: everything for the first paint."""

    def __init__(self, opened: OpenedSession) -> None:
        super().__init__()
        self.opened = opened


class BodiesMade(Message, namespace="conversation_base"):
    """From the thread: more bodies."""

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self.batch = batch
