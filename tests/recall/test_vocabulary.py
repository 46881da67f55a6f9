from __future__ import annotations

from pathlib import Path

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.recall.vocabulary import read_vocabulary
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession


def test_values_by_how_common_they_are(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with HistoryWriter(path) as writer, writer.batch():
        for number, source in enumerate(["tui", "cli", "cli"]):
            new = NewSession(
                id=f"s{number}",
                source=source,
                started_at=float(number + 1),
                title=f"Talk {number}",
                cwd="/ho\x1b[2Jme" if number else None,
            )
            writer.create_session(new)
            writer.append(new.id, NewMessage(role="tool", content="x", tool_name="terminal"), 1.0)
    with History.open(Place(str(path), "work")) as history:
        known = read_vocabulary(history)
    assert known.sources == (("cli", 2), ("tui", 1))
    assert known.cwds == (("/home", 2),)
    assert known.tools == (("terminal", 3),)
    assert known.titles == ("Talk 2", "Talk 1", "Talk 0"), "newest first, and clean"
    assert known.sessions == ("s2", "s1", "s0")
    assert known.profile == "work"


def test_every_recorded_layout_can_be_read(shared: Path, tmp_path: Path) -> None:
    for source in sorted((shared / "hermes" / "dbs").glob("state-0.1*.db")):
        path = tmp_path / source.name
        path.write_bytes(source.read_bytes())
        with History.open(Place(str(path))) as history:
            assert read_vocabulary(history).sources, source.name
