"""All commands, by the place where their keys work. Read through `commands`."""

from __future__ import annotations

from hermes_tui.tui.command import (
    Command,
    Scope,
    can_judge,
    has_conversation,
    has_lineage,
    has_offers,
    has_query,
    has_rows,
)

SCOPE_TITLES: dict[Scope, str] = {
    "anywhere": "Anywhere (letters: outside the query bar)",
    "query": "In the query bar",
    "results": "In the results",
    "conversation": "In the conversation",
    "prompt": "While a text to find, or a number, is typed",
}


def _results(
    name: str, keys: tuple[str, ...], label: str, help_: str, hint: bool = False
) -> Command:
    return Command(f"results.{name}", keys, label, help_, "results", name, has_rows, hint)


def _conversation(
    name: str, keys: tuple[str, ...], label: str, help_: str, hint: bool = False
) -> Command:
    return Command(
        f"conversation.{name}", keys, label, help_, "conversation", name, has_conversation, hint
    )


ANYWHERE: tuple[Command, ...] = (
    Command(
        "query.focus",
        ("/",),
        "query",
        "Go to the query bar.",
        "anywhere",
        "screen.focus_query",
        hint=True,
    ),
    Command(
        "pane.next",
        ("tab",),
        "next pane",
        "Go to the next pane: query, results, conversation.",
        "anywhere",
        "screen.next_pane",
    ),
    Command(
        "pane.previous",
        ("shift+tab",),
        "previous pane",
        "Go to the pane before.",
        "anywhere",
        "screen.previous_pane",
    ),
    Command(
        "back",
        ("escape",),
        "back",
        "Go back one level: conversation, results, query bar; there it empties the query.",
        "anywhere",
        "screen.back",
        hint=True,
    ),
    Command(
        "sort",
        ("s",),
        "sort",
        "Change the order: relevance, newest, oldest.",
        "anywhere",
        "screen.cycle_sort",
        has_query,
        hint=True,
    ),
    Command(
        "filters",
        ("f",),
        "filters",
        "Choose sources, roles and times; they are written into the query.",
        "anywhere",
        "screen.filters",
        hint=True,
    ),
    Command(
        "rewound",
        ("u",),
        "rewound",
        "Find messages that were rewound, too, or no longer.",
        "anywhere",
        "screen.toggle_rewound",
        has_query,
    ),
    Command(
        "judge",
        ("x",),
        "judge",
        "Judge the result: x, then 0 miss, 1 related or 2 right; shows how every route does.",
        "anywhere",
        "screen.judge",
        can_judge,
    ),
    Command(
        "help",
        ("?", "f1"),
        "help",
        "Show the keys and how a query is written.",
        "anywhere",
        "screen.help",
        hint=True,
    ),
    Command(
        "doctor",
        ("D",),
        "doctor",
        "Show how whole the search indexes are, and what to do.",
        "anywhere",
        "screen.doctor",
    ),
    Command(
        "palette",
        ("ctrl+p",),
        "palette",
        "Find a command by its name.",
        "anywhere",
        "app.command_palette",
        priority=True,
    ),
    Command(
        "theme",
        (),
        "theme",
        "Choose the colours.",
        "anywhere",
        "app.change_theme",
    ),
    Command(
        "copy.selection",
        ("ctrl+c",),
        "copy selection",
        "Copy the text that is selected with the mouse.",
        "anywhere",
        "screen.copy_selection",
    ),
    Command(
        "leave",
        ("q",),
        "back or quit",
        "Leave the conversation; from the results, quit.",
        "anywhere",
        "screen.leave",
        hint=True,
    ),
    Command(
        "quit",
        ("ctrl+q",),
        "quit",
        "Quit at once, from anywhere.",
        "anywhere",
        "app.quit",
        priority=True,
    ),
)

QUERY: tuple[Command, ...] = (
    Command(
        "query.open",
        ("enter",),
        "open",
        "Search at once and open the first result at its hit.",
        "query",
        "screen.open_from_query",
        hint=True,
    ),
    Command(
        "query.complete",
        ("tab",),
        "complete",
        "Take the first of the filters or values that are offered.",
        "query",
        "complete",
        has_offers,
        hint=True,
    ),
    Command(
        "query.results",
        ("down",),
        "results",
        "Go to the results; while walking through older queries, to the newer one.",
        "query",
        "newer",
        hint=True,
    ),
    Command(
        "query.older",
        ("up",),
        "older query",
        "Bring back the query before this one.",
        "query",
        "older",
    ),
)

RESULTS: tuple[Command, ...] = (
    _results("open", ("enter", "l", "right"), "open", "Open the conversation at its hit.", True),
    _results("line_down", ("j", "down"), "next result", "Go to the next result."),
    _results("line_up", ("k", "up"), "previous result", "Go to the previous result."),
    _results("page_down", ("pagedown", "space", "ctrl+d"), "page down", "Go down one page."),
    _results("page_up", ("pageup", "b", "ctrl+u"), "page up", "Go up one page."),
    _results("first", ("g", "home"), "first result", "Go to the first result."),
    _results("last", ("G", "end"), "last result", "Go to the last result."),
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
        hint=True,
    ),
    Command(
        "prompt.previous", ("up",), "previous match", "Show the match before.", "prompt", "step(-1)"
    ),
)

COMMANDS: tuple[Command, ...] = ANYWHERE + QUERY + RESULTS + CONVERSATION + PROMPT
