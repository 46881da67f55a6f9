"""Give a writing connection the tokenizer of the CJK index, where there is one."""

from __future__ import annotations

import apsw


def register(connection: apsw.Connection) -> str | None:
    """Register `cjk_unicode61`; 'c' or 'python' says which one answers, None that none does."""
    try:
        from hermes_tui.history import tokenizer
    except ImportError:
        return None
    return tokenizer.register(connection)
