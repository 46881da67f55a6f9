"""The sample history: half a year of one person's conversations, written on first use.

It is made by the same storage code as any history, from scripts in `demo_*.py`, and holds the
same rows on every machine. The person is Mara: a homelab, a small shop's servers, a family.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from hermes_tui.demo import (
    chat,
    chinese,
    cron,
    docker,
    docker_later,
    homelab,
    japanese,
    korean,
    life,
    postgres,
    tests,
    work,
)
from hermes_tui.demo.outputs import Dice
from hermes_tui.demo.script import Step, Talk, steps
from hermes_tui.storage.errors import StorageError, shown
from hermes_tui.storage.meta import read_meta
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

DEMO_VERSION = "1"
"""Changes whenever the rows change, so that an older sample is written anew."""

NEWEST = datetime(2026, 6, 30, 21, 40, tzinfo=UTC).timestamp()
"""When the newest message of the sample was written, Unix seconds."""

_VERSION_KEY = "note_demo_version"
_DAY = 86_400.0
_GATEWAYS = frozenset({"telegram", "discord"})
_SYSTEM_PROMPT = "You are Hermes, a helpful assistant with tools. Mara runs a homelab in Leipzig."
_PARTS = (
    docker, docker_later, postgres, chinese, japanese, korean,
    tests, life, homelab, chat, cron, work,
)  # fmt: skip


def demo_path(cache_dir: Path | None = None) -> Path:
    """Where the sample lies: in `cache_dir`, or in the user's cache directory."""
    return (cache_dir or Path(platformdirs.user_cache_dir("hermes-tui"))) / "demo" / "state.db"


def ensure_demo(path: Path) -> Path:
    """Write the sample to `path` unless this version of it is there; returns `path`.

    Raises StorageError when something else lies there, or it cannot be written.
    """
    if not path.exists() or read_meta(str(path), _VERSION_KEY) != DEMO_VERSION:
        write_demo(path)
    return path


def write_demo(path: Path) -> None:
    """Write the sample to `path` in one step: readers see the old file or the whole new one.

    Raises StorageError when `path` is not a sample of ours, or cannot be written.
    """
    _refuse_what_is_not_ours(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".demo-", suffix=".db", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise StorageError(
            f"The sample cannot be written to {shown(path.parent)}: {shown(error.strerror)}."
        ) from error
    temporary = Path(name)
    try:
        with HistoryWriter(temporary, cjk=True) as writer, writer.batch():
            _write(writer)
        _move(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _refuse_what_is_not_ours(path: Path) -> None:
    if path.exists() and read_meta(str(path), _VERSION_KEY) is None:
        raise StorageError(
            f"{shown(path)} is not a sample history written by this program; it was left as it is."
        )


def _move(temporary: Path, path: Path) -> None:
    """Put the finished file in place; another process may have done so meanwhile."""
    try:
        os.replace(temporary, path)
    except OSError as error:
        if path.exists() and read_meta(str(path), _VERSION_KEY) == DEMO_VERSION:
            return
        raise StorageError(
            f"The sample cannot be written to {shown(path)}: {shown(error.strerror)}."
        ) from error


@dataclass(frozen=True, slots=True)
class _Planned:
    """A talk with its place in time: `times[n]` is when step n happens, Unix seconds."""

    talk: Talk
    steps: Sequence[Step]
    start: float
    times: Sequence[float]

    @property
    def last(self) -> float:
        """When its last step happens."""
        return self.times[-1]

    def delegation(self) -> float:
        """When it handed a task to a helper."""
        for step, at in zip(self.steps, self.times, strict=True):
            calls = step.message.tool_calls if step.message else ()
            if any(call["function"]["name"] == "delegate_task" for call in calls):
                return at
        raise ValueError(f"{self.talk.key} delegates nothing")


def _plan() -> list[_Planned]:
    """Every talk with its times, parents before their children, else by start."""
    planned: dict[str, _Planned] = {}
    waiting = [talk for part in _PARTS for talk in part.TALKS]
    while waiting:
        ready = [talk for talk in waiting if talk.parent is None or talk.parent in planned]
        for talk in ready:
            planned[talk.key] = _timed(talk, planned.get(talk.parent or ""))
        waiting = [talk for talk in waiting if talk not in ready]
    return sorted(planned.values(), key=lambda each: each.start)


def _timed(talk: Talk, parent: _Planned | None) -> _Planned:
    made = steps(talk)
    offsets, elapsed = [], 3.0
    for step in made:
        elapsed += step.pause
        if step.action == "wait":
            elapsed += float(step.argument) * 3_600
        offsets.append(elapsed)
    if parent is None:
        midnight = NEWEST - NEWEST % _DAY
        start = midnight - talk.day * _DAY + talk.hour * 3_600
    else:
        start = parent.delegation() + 0.4 if talk.edge == "delegate" else parent.last + 40.0
    if parent is None and talk.day == 0:
        start = NEWEST - offsets[-1]
    return _Planned(talk, made, start, [round(start + offset, 3) for offset in offsets])


def _session_id(planned: _Planned) -> str:
    """An id in Hermes' form: time and hexadecimal digits, or the cron job's name and time."""
    stamp = datetime.fromtimestamp(planned.start, UTC).strftime("%Y%m%d_%H%M%S")
    if planned.talk.source == "cron":
        return f"cron_{planned.talk.job}_{stamp}"
    digits = 8 if planned.talk.source in _GATEWAYS else 6
    return f"{stamp}_{Dice('id ' + planned.talk.key).hex(digits)}"


def _write(writer: HistoryWriter) -> None:
    ids: dict[str, str] = {}
    plans = _plan()
    by_key = {planned.talk.key: planned for planned in plans}
    for planned in plans:
        ids[planned.talk.key] = _session_id(planned)
        _create(writer, planned, ids)
        if planned.talk.copies:
            _copy(writer, planned, by_key[planned.talk.parent or ""], ids)
        _play(writer, planned, ids[planned.talk.key])
        _finish(writer, planned, ids[planned.talk.key])
    writer.set_meta(_VERSION_KEY, DEMO_VERSION)


def _create(writer: HistoryWriter, planned: _Planned, ids: dict[str, str]) -> None:
    talk = planned.talk
    parent = ids[talk.parent] if talk.parent else None
    title = talk.title
    if talk.edge == "compression" and talk.parent:
        title = writer.next_title(_root_title(talk.parent))
    gateway = talk.source in _GATEWAYS
    writer.create_session(
        NewSession(
            id=ids[talk.key],
            source=talk.source,
            started_at=round(planned.start, 3),
            parent_id=parent,
            title=title,
            model=talk.model,
            model_config={"max_iterations": 90},
            branched_from=parent if talk.edge == "branch" else None,
            delegate_from=parent if talk.edge == "delegate" else None,
            system_prompt=_SYSTEM_PROMPT,
            cwd=talk.cwd,
            user_id="mara" if gateway else None,
            session_key=f"agent:main:{talk.source}:dm:mara" if gateway else None,
            chat_id="mara" if gateway else None,
            chat_type="dm" if gateway else None,
        )
    )


def _root_title(key: str) -> str:
    """The title of the first session of a compression lineage."""
    talks = {talk.key: talk for part in _PARTS for talk in part.TALKS}
    while (parent := talks[key].parent) is not None:
        key = parent
    return talks[key].title or "Untitled"


def _copy(writer: HistoryWriter, planned: _Planned, parent: _Planned, ids: dict[str, str]) -> None:
    """A branch starts with the messages of its parent up to the fork."""
    messages = [step.message for step in parent.steps if step.message is not None]
    copied = messages[: planned.talk.copies]
    writer.append_batch(ids[planned.talk.key], copied, round(planned.start, 3))


def _play(writer: HistoryWriter, planned: _Planned, session_id: str) -> None:
    """Write the messages of a talk, and do to the session what the script says."""
    said: list[int] = []
    for step, at in zip(planned.steps, planned.times, strict=True):
        if step.message is not None:
            message_id = writer.append(session_id, step.message, at)
            if step.message.role == "user":
                said.append(message_id)
        elif step.action == "rewind":
            writer.rewind(session_id, said[-int(step.argument)])
        elif step.action == "compact":
            summary = NewMessage(role="user", content=step.argument)
            writer.archive_and_compact(session_id, (summary,), at)


def _finish(writer: HistoryWriter, planned: _Planned, session_id: str) -> None:
    if planned.talk.end is not None:
        writer.end_session(session_id, planned.talk.end, planned.last + 20.0)
    if planned.talk.archived:
        writer.set_archived(session_id, True)
    if planned.talk.pinned:
        writer.set_pinned(session_id, True)
