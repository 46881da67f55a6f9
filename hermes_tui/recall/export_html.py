"""A conversation as one HTML page: no scripts, nothing fetched, everything escaped. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hermes_tui.history.rows import Message
from hermes_tui.text.clean import clean, clean_line

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt, h3 small { opacity: .6; } dd { margin: 0; overflow-wrap: anywhere; }
article { border-left: 4px solid; padding-left: 1rem; margin: 1.5rem 0; }
article.user { border-color: #d98a00; } article.assistant { border-color: #2f7fd6; }
article.tool, article.system { border-color: #8888; }
article.archived, article.rewound { opacity: .75; }
h3 { font-size: 1rem; margin: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .5rem 0; }
details pre { font: .85rem/1.4 ui-monospace, monospace; }
"""
_OPEN_BELOW = 600
"""Characters up to which tool output is shown without a click."""


def html_head(title: str) -> str:
    """The page up to its first session."""
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head><body>\n"
    )


def html_tail() -> str:
    """The end of the page."""
    return "</body></html>\n"


def html_session(title: str, facts: Sequence[tuple[str, str]]) -> str:
    """The beginning of a session."""
    rows = "".join(f"<dt>{escape(name)}<dd>{escape(value)}" for name, value in facts)
    return f"<section><h1>{escape(title)}</h1><dl>{rows}</dl>\n"


def html_message(message: Message, heading: str) -> str:
    """One message."""
    known = message.role in ("user", "assistant", "tool")
    kind = f"{message.role if known else 'system'} {message.visibility}"
    body = []
    text = clean(message.text).rstrip("\n")
    if text and message.role == "tool":
        body.append(_folded("output", text))
    elif text:
        body.append(f"<pre>{escape(text)}</pre>")
    body += [f"<p>[{escape(clean_line(part, 40))}]</p>" for part in message.attachments]
    for call in message.calls:
        body.append(_folded(f"⚙ {clean_line(call.name, 80) or '?'}", clean(call.arguments)))
    return (
        f'<article id="m{message.id}" class="{kind}"><h3>{escape(heading)}</h3>'
        f"{''.join(body)}</article>\n"
    )


def _folded(summary: str, text: str) -> str:
    opened = " open" if len(text) <= _OPEN_BELOW else ""
    return (
        f"<details{opened}><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>"
    )
