"""One message drawn by itself: as rendered Markdown, or as JSON. Slow for a large one: workers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

from hermes_tui.text.clean import clean, drawable, stable
from hermes_tui.text.wrap import expand, wrap

Render = Callable[[int], list[Strip]]
"""From a width in cells to the lines."""

RENDERED_LIMIT = 200_000
"""Characters of Markdown that are rendered; what follows is named, not shown."""


def markdown_strips(text: str, width: int) -> list[Strip]:
    """Clean Markdown, rendered. Links are text with their target, images their names."""
    from rich.markdown import Markdown  # takes a tenth of the start, and few ever need it

    shown = drawable(text[:RENDERED_LIMIT])
    console = Console(
        width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    document = Markdown(shown, hyperlinks=False, code_theme="ansi_dark", inline_code_theme=None)
    lines = console.render_lines(document, console.options.update_width(width), pad=False)
    strips = [_safe(line, width) for line in lines]
    if len(text) > RENDERED_LIMIT:
        rest = len(text) - RENDERED_LIMIT
        strips.append(Strip([Segment(f"… {rest:,} more characters".ljust(width)[:width])]))
    return strips


def _safe(line: list[Segment], width: int) -> Strip:
    """Rendered segments without anything that acts: Markdown can name characters by number."""
    segments = [
        Segment(stable(clean(segment.text)).replace("\n", " "), segment.style)
        for segment in line
        if not segment.control
    ]
    return Strip(segments).adjust_cell_length(width)


def json_text(value: Any) -> str:
    """Clean JSON values as indented text."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def json_strips(text: str, width: int) -> list[Strip]:
    """Clean text, wrapped and otherwise as it is."""
    wrapped = wrap(text, width)
    return [
        Strip([Segment(expand(text[slice(*wrapped.shown(line))]))]) for line in range(len(wrapped))
    ]
