"""Two hundred strings that act on a terminal, and a history that holds them in every place.

Each carries a number from 7000 on, in the sequence itself where that takes one: none of the
program's own sequences does, so what gets through is recognised.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import apsw

from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
KINDS = (
    f"{ESC}[{{n}};1H",
    f"{ESC}[{{n}}m",
    f"{ESC}[?{{n}}h{ESC}[?{{n}}l",
    f"{ESC}[{{n}}J{ESC}[{{n}}K",
    f"{ESC}[{{n}}n{ESC}[>{{n}}c{ESC}[{{n}};t",
    f"{ESC}]0;evil {{n}}{BEL}",
    f"{ESC}]2;evil {{n}}{ST}",
    f"{ESC}]52;c;ZXZpbA=={{n}}{BEL}",
    f"{ESC}]8;;http://evil.example/{{n}}{ST}click{ESC}]8;;{ST}",
    f"{ESC}]1337;File=name={{n}}:eA=={BEL}{ESC}]9;{{n}}{BEL}{ESC}]777;notify;{{n}};x{BEL}",
    f"{ESC}P{{n}}$r0m{ST}{ESC}P+q{{n}}{ST}",
    f"{ESC}_G{{n}}{ST}{ESC}^{{n}}{ST}{ESC}X{{n}}{ST}",
    "\x9b{n}m\x9d52;c;{n}\x9c\x90{n}\x9c\x9f{n}\x9c\x85",
    "\u202e{n}\u2066{n}\u2069\u200f\u061c\u2028\u2029\ufeff",
    "[/] [bold]{n}[/bold] [link=http://evil.example/{n}]x[/link] [@click=app.quit]{n}[/]",
    "<script>{n}</script> [x](javascript:{n}) ![i](http://evil.example/{n}) <b onclick=x>{n}</b>",
    "{n}\x00{n}\x08\x08\x7f\x0e\x0f\x0c\x0b\r{n}",
    f"{ESC}{{n}} {ESC}c{{n}}{ESC}#8{{n}}{ESC}7{ESC}8{ESC}D{ESC}M{{n}}{ESC}%G{ESC}(0{{n}}",
    f"{ESC}{ESC}[{{n}}{ESC}]{{n}} unfinished {ESC}[",
    f"{'x' * 3000}{ESC}[{{n}}m{'会' * 500}{ESC}]0;{{n}}{BEL}",
)
STRINGS = tuple(
    KINDS[number % len(KINDS)].replace("{n}", str(7_000 + number)) for number in range(200)
)
assert len(set(STRINGS)) == 200

SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?"
)
OURS = re.compile(r"\x1b[\[\]P](?!.*(?:7[01]\d\d|evil)).*", re.DOTALL)
"""What the program itself may write: nothing shorter, nothing with a mark of the strings in it."""
PLAIN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x9f\u061c\u200f\u2028-\u202e\u2066-\u206f\ufeff]"
)


def leaks(output: str) -> list[str]:
    """What of the strings got through to a terminal as more than text."""
    found = [s for s in SEQUENCE.findall(output) if OURS.fullmatch(s) is None]
    left = SEQUENCE.sub("", output)
    return found + PLAIN.findall(left)


def name_of(number: int) -> str:
    """The id of a session."""
    return f"s{number}{STRINGS[number]}"


def write_hostile(path: Path) -> None:
    """Session `all` says every string; forty others are made of them, five messages each."""
    strings = iter(STRINGS * 20)
    with HistoryWriter(path, cjk=False) as writer, writer.batch():
        writer.create_session(NewSession(id="all", source="cli", started_at=1.78e9))
        writer.append_batch("all", [_said(n, s) for n, s in enumerate(STRINGS)], 1.78e9)
        for number in range(40):
            parent = "all" if number < 3 else None
            session = NewSession(
                id=name_of(number),
                source=STRINGS[number],
                started_at=1.78e9 + number,
                parent_id=parent,
            )
            writer.create_session(session)
            messages = [NewMessage(role="user", content=f"needle {next(strings)}")] * 5
            writer.append_batch(name_of(number), messages, 1.78e9 + number)
    _spoil(path)


def _said(number: int, text: str) -> NewMessage:
    """A string of each kind as somebody wrote it, and as a tool answered it in JSON, escaped."""
    text = f"needle no{number} {text} end"
    if number // len(KINDS) % 2 == 0:
        return NewMessage(role="user", content=text)
    answer = json.dumps({"output": text}, ensure_ascii=number // len(KINDS) % 4 == 1)
    return NewMessage(role="tool", content=answer)


def _spoil(path: Path) -> None:
    """What the writer, as Hermes, would clean is put into the file as it is."""
    take = iter(STRINGS * 50)
    with apsw.Connection(str(path)) as db:
        for (rowid,) in db.execute("select rowid from sessions").fetchall():
            db.execute(
                "update sessions set title = ?, model = ?, cwd = ?, end_reason = ? where rowid = ?",
                (f"T {next(take)}", next(take), next(take), next(take), rowid),
            )
        found = db.execute("select id from messages where session_id <> 'all'").fetchall()
        for (message_id,) in found:
            calls = [{"id": next(take), "function": {"name": next(take), "arguments": next(take)}}]
            db.execute(
                "update messages set tool_name = ?, tool_calls = ?, reasoning = ?, "
                "role = iif(id % 5, role, ?), tool_call_id = ?, display_kind = ? where id = ?",
                (next(take), json.dumps(calls), *(next(take) for _ in range(4)), message_id),
            )
        db.execute("update messages set role = 'tool' where id % 5 = 1 and session_id <> 'all'")
