"""Commands of everywhere, of query bar and results, and all together. Read through `commands`."""

from __future__ import annotations

from hermes_tui.tui.command import (
    Command,
    Scope,
    can_judge,
    has_offers,
    has_query,
    has_rows,
    has_session,
)
from hermes_tui.tui.command_conversation import CONVERSATION, PROMPT

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


def _session(name: str, key: str, label: str, help_: str, action: str) -> Command:
    return Command(name, (key,), label, help_, "anywhere", f"screen.{action}", has_session)


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
        "why",
        ("w", "ctrl+g"),
        "why",
        "Say why the query finds what it finds, or why not what is under the cursor.",
        "anywhere",
        "screen.why",
        has_query,
        hint=True,
    ),
    Command(
        "payload",
        ("v",),
        "agent's eye",
        "Show exactly what the agent is given for the query, with every cut.",
        "anywhere",
        "screen.payload",
        has_query,
    ),
    Command(
        "compare",
        ("c",),
        "compare",
        "Put the answers of several rules and routes side by side.",
        "anywhere",
        "screen.compare",
        has_query,
    ),
    Command(
        "report",
        ("W",),
        "report",
        "Copy a bug report about the query: rules and counts, no word of a conversation.",
        "anywhere",
        "screen.report",
        has_query,
    ),
    Command(
        "as_session",
        ("@",),
        "as this agent",
        "Ask as the agent in this session does; a second time, as no session's.",
        "anywhere",
        "screen.as_session",
        has_session,
    ),
    _session("copy.link", "I", "copy link", "Copy the link to the session.", "copy_link"),
    _session("export", "e", "export", "Write window, session or lineage to a file.", "export"),
    _session(
        "open.pager",
        "o",
        "pager",
        "Read the session in $PAGER, as Markdown.",
        "open_outside('PAGER')",
    ),
    _session(
        "open.editor",
        "O",
        "editor",
        "Open a copy of the session in $EDITOR, as Markdown.",
        "open_outside('EDITOR')",
    ),
    _session(
        "resume",
        "r",
        "resume",
        "Show and copy the command that goes on with the session.",
        "resume",
    ),
    Command(
        "bookmark.choose",
        ("B",),
        "bookmarks",
        "Choose a bookmark and open it.",
        "anywhere",
        "screen.choose_bookmark",
    ),
    Command(
        "profile.choose",
        ("P",),
        "profile",
        "Go to the history of another profile.",
        "anywhere",
        "screen.choose_profile",
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

COMMANDS: tuple[Command, ...] = ANYWHERE + QUERY + RESULTS + CONVERSATION + PROMPT
