"""The key hints at the bottom are never cut."""

from __future__ import annotations

from hermes_tui.tui.command import Situation
from hermes_tui.tui.commands import hints
from hermes_tui.tui.drawing import Piece, width
from hermes_tui.tui.widgets.hint_line import HintLine


def text_of(line) -> str:
    return "".join(piece.text for piece in line)


def test_a_hint_that_has_no_room_is_left_out_and_help_stays() -> None:
    whole = [
        f" {key} {command.label} "
        for command, key in hints(Situation("conversation", "x", 3, True, 2))
    ]
    line = HintLine()
    line.offer([(Piece(hint),) for hint in whole], (Piece(" ? help "),))
    for cells in range(9, 200):
        drawn = line.line(cells)
        assert width(drawn) <= cells
        assert "…" not in text_of(drawn), cells
    assert text_of(line.line(60)).startswith("".join(whole[:3]))
    assert text_of(line.line(60)).endswith(" ? help ")
    assert text_of(line.line(12)) == " ? help ", "where there is room for nothing else"
    assert not text_of(line.line(40)).startswith(" ? help")


def test_a_few_words_stand_in_the_place_of_the_hints() -> None:
    line = HintLine()
    line.offer([(Piece(" n next "),)], (Piece(" ? help "),))
    line.say("Ctrl+Q quits")
    assert text_of(line.line(40)) == " Ctrl+Q quits"
    line.offer([(Piece(" n next "),)])
    assert text_of(line.line(40)) == " n next "


async def test_the_way_back_is_told_in_any_terminal(make_app, settle, frame) -> None:
    app = make_app()
    async with app.run_test(size=(46, 20)) as pilot:
        await pilot.press(*"docker", "enter")
        await settle(pilot)
        assert app.screen.pane == "conversation"
        assert frame(app).splitlines()[-1].rstrip().endswith(" Esc back  ? help")
