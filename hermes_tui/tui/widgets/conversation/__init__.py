"""The conversation viewer: reads, wraps and draws only what is near the screen."""

from hermes_tui.tui.widgets.conversation.view import ConversationView

__all__ = ["ConversationView"]
