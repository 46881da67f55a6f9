"""The commands of the conversation and of its prompt line. Read through `commands`."""

from __future__ import annotations

from hermes_tui.tui.command import Command, has_conversation, has_lineage, has_rows, is_finding


def _conversation(
    name: str, keys: tuple[str, ...], label: str, help_: str, hint: bool = False
) -> Command:
    return Command(
        f"conversation.{name}", keys, label, help_, "conversation", name, has_conversation, hint
    )


def _message(
    name: str, key: str, label: str, help_: str, action: str, hint: bool = False
) -> Command:
    return Command(
        name, (key,), label, help_, "conversation", f"screen.{action}", has_conversation, hint
    )


CONVERSATION: tuple[Command, ...] = (
    _conversation("hit_next", ("n",), "next hit", "Go to the next message that matches.", True),
    _conversation("hit_prev", ("N",), "previous hit", "Go to the match before."),
    Command(
        "conversation.find",
        ("/",),
        "find",
        "Find a text in this conversation; n and N walk the matches, Esc ends it.",
        "conversation",
        "screen.find",
        has_conversation,
        hint=True,
    ),
    _conversation("anchor", ("a", "z z"), "anchor", "Go back to the hit it was opened at.", True),
    Command(
        "result.next",
        (">",),
        "next result",
        "Open the next result without leaving the conversation.",
        "conversation",
        "screen.step_result(1)",
        has_rows,
        hint=True,
    ),
    Command(
        "result.previous",
        ("<",),
        "previous result",
        "Open the result before without leaving the conversation.",
        "conversation",
        "screen.step_result(-1)",
        has_rows,
    ),
    Command(
        "session.next",
        ("]",),
        "next session",
        "Open the next session of the lineage, at its first hit if it has one.",
        "conversation",
        "screen.step_session(1)",
        has_lineage,
        hint=True,
    ),
    Command(
        "session.previous",
        ("[",),
        "previous session",
        "Open the session of the lineage before.",
        "conversation",
        "screen.step_session(-1)",
        has_lineage,
    ),
    Command(
        "session.choose",
        ("L",),
        "lineage",
        "Choose a session of the lineage: continuations, branches, delegates.",
        "conversation",
        "screen.choose_session",
        has_lineage,
    ),
    _conversation("line_down", ("j", "down"), "line down", "Scroll down one line."),
    _conversation("line_up", ("k", "up"), "line up", "Scroll up one line."),
    _conversation("page_down", ("space", "pagedown"), "page down", "Scroll down one page."),
    _conversation("page_up", ("b", "pageup"), "page up", "Scroll up one page."),
    _conversation("half_down", ("ctrl+d",), "half page down", "Scroll down half a page."),
    _conversation("half_up", ("ctrl+u",), "half page up", "Scroll up half a page."),
    _conversation("message_next", ("J",), "next message", "Go to the next message."),
    _conversation("message_prev", ("K",), "previous message", "Go to the message before."),
    _conversation("turn_next", ("}",), "next turn", "Go to the next message of the user."),
    _conversation("turn_prev", ("{",), "previous turn", "Go to the user's message before."),
    _conversation("first", ("g", "home"), "first message", "Go to the start of the session."),
    _conversation("last", ("G", "end"), "last message", "Go to the end of the session."),
    Command(
        "conversation.go_to",
        (":",),
        "go to",
        "Go to a message by its number, or to a percent such as 40%.",
        "conversation",
        "screen.go_to",
        has_conversation,
    ),
    _message("copy.message", "y", "copy", "Copy the message.", "copy_message", True),
    _message("copy.window", "Y", "copy window", "Copy the messages around it.", "copy_window"),
    _message(
        "message.rendered", "M", "rendered", "Show the message as rendered Markdown.", "rendered"
    ),
    _message("message.raw", "R", "raw", "Show the message as it is stored, as JSON.", "raw"),
    _message(
        "bookmark.toggle", "m", "bookmark", "Set a bookmark, or take it away.", "toggle_bookmark"
    ),
    _conversation("bookmark_next", ("'",), "next bookmark", "Go to the next bookmark here."),
    _conversation(
        "only_matches", ("!",), "only matches", "Show the messages that match alone, or all again."
    ),
    _conversation("wider", ("+", "="), "wider", "Show more messages around the hit."),
    _conversation("narrower", ("-",), "narrower", "Show fewer messages around the hit."),
    _conversation("open_fold", ("enter", "z a"), "fold", "Open or close a fold; load a gap."),
    _conversation("toggle_tools", ("t",), "tools", "Tool output: off, one line, cut, full.", True),
    _conversation(
        "toggle_rewound", ("u",), "rewound", "Show or hide this session's rewound messages."
    ),
    _conversation("unfold_all", ("z R",), "unfold all", "Open all folds."),
    _conversation("fold_all", ("z M",), "fold all", "Close all folds."),
)

PROMPT: tuple[Command, ...] = (
    Command(
        "prompt.accept",
        ("enter",),
        "done",
        "Stay at this match, or go there.",
        "prompt",
        "accept",
        hint=True,
    ),
    Command(
        "prompt.cancel",
        ("escape",),
        "cancel",
        "Go back to where you were.",
        "prompt",
        "cancel",
        hint=True,
    ),
    Command(
        "prompt.next",
        ("down",),
        "next match",
        "Show the next match.",
        "prompt",
        "step(1)",
        is_finding,
        hint=True,
    ),
    Command(
        "prompt.previous",
        ("up",),
        "previous match",
        "Show the match before.",
        "prompt",
        "step(-1)",
        is_finding,
    ),
)
