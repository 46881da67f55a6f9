"""Hermes' recorded answers beside ours, reduced to what both sides record."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(path: Path) -> Iterator[Record]:
    """The records of a .jsonl or .jsonl.gz file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def comparable(answer: Record) -> Record:
    """An answer without what may differ: a link's profile, and marks where two runs touch."""
    answer = json.loads(json.dumps(answer))
    _reduce(answer)
    return answer


def _reduce(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _reduce(item)
    elif isinstance(value, dict):
        if isinstance(value.get("link"), str):
            value["link"] = value["link"].removeprefix("@session:").rpartition("/")[2]
        if isinstance(value.get("snippet"), str):
            value["snippet"] = value["snippet"].replace("<<<>>>", "")
        for item in value.values():
            _reduce(item)


def summarised(answer: Record) -> Record:
    """An answer with every message as the big recording has it: id, role, anchor, characters."""
    answer = comparable(answer)
    for entry in (answer, *answer.get("results", ())):
        for key in ("messages", "bookend_start", "bookend_end"):
            if isinstance(entry.get(key), list):
                anchored = key == "messages"
                entry[key] = [_summary(message, anchored) for message in entry[key]]
    return answer


def _summary(message: Record, anchored: bool) -> Record:
    content = message["content"]
    row = {"id": message["id"], "role": message["role"]}
    if anchored:
        row["anchor"] = bool(message.get("anchor"))
    # The recording has no length for content that is not a string.
    row["chars"] = len(content) if isinstance(content, str) else None
    return row


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Every place where two answers differ, readable."""
    if ours == theirs:
        return []
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = [*ours, *(key for key in theirs if key not in ours)]
        return [
            line
            for key in keys
            for line in differences(ours.get(key, "-"), theirs.get(key, "-"), f"{path}.{key}")
        ]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{path}[{n}]")]
    return [f"{path}: ours {str(ours)[:120]!r}, theirs {str(theirs)[:120]!r}"]
