"""The notation the sample's conversations are written in, and how it becomes messages.

One mark at the start of a line says what the line is:

    > what the user says                 ? what the assistant thinks before its next turn
    < what the assistant says            $ a terminal command it runs
    ! tool_name {"its": "arguments"}     | one line of that tool's output
    = recipe arguments                   output made by `demo_outputs` from the talk's own numbers
    + a new line in the same message     (two spaces) the same line, wrapped
    % alt text                           an image beside what the user just said
    ~ compact SUMMARY | rewind N | wait HOURS    what happens to the session at this point

An assistant line directly before a call is said in the same turn as the call. `\\e` in output is
the escape character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hermes_tui.demo.outputs import Dice, output
from hermes_tui.storage.encoding import tool_call
from hermes_tui.storage.writer import NewMessage

# A valid picture of one pixel: the sample must show that images are there, not what is on them.
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_PARTICLE_LANGUAGES = re.compile(r"[\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One session of the sample.

    day: days before the sample's newest message; hour: UTC hour of the first message. parent: the
    key of another talk; edge: why it is the parent. copies: how many of the parent's messages a
    branch takes along. end: the reason it ended, None when it is still open.
    """

    key: str
    day: int
    hour: float
    script: str
    source: str = "cli"
    title: str | None = None
    model: str = "hermes-4-405b"
    cwd: str | None = "/home/mara"
    parent: str | None = None
    edge: str = ""
    copies: int = 0
    end: str | None = "cli_close"
    archived: bool = False
    pinned: bool = False
    job: str = ""


@dataclass(slots=True)
class Step:
    """One thing that happens: a message, or a change of the session when `action` is set.

    pause: seconds since the step before.
    """

    message: NewMessage | None
    pause: float
    action: str = ""
    argument: str = ""


@dataclass(slots=True)
class _Line:
    mark: str
    text: str
    more: list[str] = field(default_factory=list)


def steps(talk: Talk) -> list[Step]:
    """The steps of a talk, always the same for the same script."""
    dice = Dice(talk.key)
    lines = list(_logical_lines(talk.script))
    made: list[Step] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        if line.mark == "~":
            made.append(_action(line.text))
            position += 1
            continue
        taken, new = _turn(lines, position, dice)
        made.extend(new)
        position += taken
    return made


def _logical_lines(script: str) -> Iterator[_Line]:
    """Lines with their wrapped and added lines joined to them."""
    current: _Line | None = None
    for raw in script.strip("\n").splitlines():
        if raw.startswith("  ") and current is not None:
            if current.more:
                current.more[-1] = _joined(current.more[-1], raw.strip())
            else:
                current.text = _joined(current.text, raw.strip())
        elif raw.startswith("+") and current is not None:
            current.text += "\n" + raw[1:].removeprefix(" ")
        elif raw[:1] in ("|", "=") and current is not None and current.mark in "$!":
            current.more.append(raw)
        elif raw.strip():
            if current is not None:
                yield current
            current = _Line(raw[0], raw[1:].strip())
    if current is not None:
        yield current


def _joined(before: str, after: str) -> str:
    """Two halves of a wrapped line: no space between Chinese or Japanese characters."""
    wide = _WIDE.match(before[-1:]) and _WIDE.match(after[:1])
    if wide and not _PARTICLE_LANGUAGES.match(before[-1:]):
        return before + after
    return f"{before} {after}"


def _action(text: str) -> Step:
    word, _, argument = text.partition(" ")
    return Step(None, 0.0, word, argument)


def _turn(lines: list[_Line], position: int, dice: Dice) -> tuple[int, list[Step]]:
    """One turn starting at `position`: how many lines it took, and its steps."""
    line = lines[position]
    following = lines[position + 1] if position + 1 < len(lines) else None
    if line.mark == ">":
        image = following is not None and following.mark == "%"
        return 1 + image, [Step(_said_by_user(line, following if image else None), _think(dice))]
    if line.mark == "?":
        taken, new = _turn(lines, position + 1, dice)
        return taken + 1, _with_reasoning(new, line.text)
    if line.mark in "$!":
        return 1, _called(line, "", dice)
    if line.mark != "<":
        raise ValueError(f"no such mark in a script: {line.mark!r} {line.text[:40]!r}")
    if following is not None and following.mark in ("$", "!"):
        return 2, _called(following, line.text, dice)
    message = NewMessage(role="assistant", content=line.text, finish_reason="stop")
    return 1, [Step(message, dice.between(3, 9) + len(line.text) / 60)]


def _think(dice: Dice) -> float:
    """How long a person takes: mostly under two minutes, now and then a coffee."""
    return dice.between(300, 1500) if dice.chance(0.06) else dice.between(12, 110)


def _said_by_user(line: _Line, image: _Line | None) -> NewMessage:
    if image is None:
        return NewMessage(role="user", content=line.text)
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": line.text},
        {"type": "image_url", "image_url": {"url": PIXEL}},
    ]
    return NewMessage(role="user", content=parts)


def _called(line: _Line, said: str, dice: Dice) -> list[Step]:
    """An assistant turn that calls a tool, and the tool's answer."""
    if line.mark == "$":
        name, arguments = "terminal", {"command": line.text}
    else:
        name, _, rest = line.text.partition(" ")
        arguments = json.loads(rest or "{}")
    call_id = f"call_{dice.hex(12)}"
    asked = NewMessage(
        role="assistant",
        content=said,
        tool_calls=(tool_call(name, arguments, call_id),),
        finish_reason="tool_calls",
    )
    answer = NewMessage(
        role="tool",
        content=_answer(line.more, dice),
        tool_name=name,
        tool_call_id=call_id,
    )
    return [Step(asked, dice.between(2, 12)), Step(answer, dice.between(0.3, 8))]


def _answer(lines: list[str], dice: Dice) -> str:
    written = []
    for line in lines:
        if line[0] == "|":
            written.append(line[1:].removeprefix(" ").replace("\\e", "\x1b"))
        else:
            written.append(output(line[1:].strip(), dice))
    return "\n".join(written)


def _with_reasoning(made: list[Step], reasoning: str) -> list[Step]:
    """The same steps, with a thought before the first message."""
    first = made[0].message
    assert first is not None
    thoughtful = NewMessage(
        role=first.role,
        content=first.content,
        tool_calls=first.tool_calls,
        finish_reason=first.finish_reason,
        reasoning=reasoning,
    )
    return [Step(thoughtful, made[0].pause + 4), *made[1:]]
