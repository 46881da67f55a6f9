from __future__ import annotations

from dataclasses import replace

from hermes_tui.recall.outcome import Notice, Outcome, Unseen
from hermes_tui.tui.service import Question
from hermes_tui.tui.widgets.results_drawing import (
    cut_line,
    entry_lines,
    facts_of,
    root_of,
    title_of,
)
from hermes_tui.tui.wording import (
    empty_text,
    notices_text,
    position_text,
    state_text,
    status_text,
)

DAY = 86_400.0
NOW = 1_800_000_000.0


def test_a_question_about_what_was_typed_stands_first() -> None:
    notices = [Notice("scanned", f"{n} rows.") for n in range(5)]
    notices.append(Notice("did_you_mean", "Did you mean source:?"))
    assert notices_text("", notices).splitlines()[0] == "! Did you mean source:?"


def text_of(line) -> str:
    return "".join(piece.text for piece in line)


def test_the_status_counts_hits_lineages_and_what_the_agent_sees(hit) -> None:
    rows = tuple(hit(number, matched=500) for number in range(1, 6))
    outcome = Outcome("docker", "hermes", "trigram", 12.4, lineages=rows)
    assert status_text(Question("docker"), outcome) == (
        "trigram · 2,500 hits in 5 lineages · the agent sees 3 · 12 ms"
    )
    assert status_text(Question("docker"), replace(outcome, complete=False)).endswith("scanning")
    assert status_text(Question(" "), outcome) == "recent sessions · 5 lineages · 12 ms"
    one = replace(outcome, lineages=(hit(1),), route="fts5")
    assert "1 hit in 1 lineage · the agent sees 1" in status_text(Question("docker"), one)


def test_order_and_roles_are_named() -> None:
    assert state_text(Question("x", "newest"), "user+assistant") == (
        "sort newest · roles user+assistant"
    )


def test_an_error_stands_before_the_notices_and_many_are_counted() -> None:
    notices = [Notice("a", f"notice {n}") for n in range(5)]
    assert notices_text("", ()) == ""
    assert notices_text("broken", notices[:1]) == "! broken\n! notice 0"
    assert notices_text("broken", notices).splitlines()[-1] == "! and 4 more notices"


def test_an_empty_answer_names_its_reason() -> None:
    outcome = Outcome("zzz [/]", "hermes", "fts5", 1.0, notices=(Notice("x", "Because of y."),))
    text = empty_text(Question("zzz [/]"), outcome)
    assert "Nothing matches zzz [/]." in text
    assert "Because of y." in text
    assert "fts5" in empty_text(Question("zzz"), replace(outcome, notices=()))
    pasted = empty_text(Question("lorem " * 700), outcome)
    assert len(pasted) < 200, "a paste does not push the reason out"
    assert "Because of y." in pasted
    assert "still" in empty_text(Question("zzz"), replace(outcome, complete=False))
    assert empty_text(Question(""), outcome) == "Because of y."


def test_filters_alone_are_no_search(hit) -> None:
    rows = tuple(hit(n, matched=0, agent_rank=None, unseen=None) for n in range(1, 9))
    outcome = Outcome("source:cli ", "thorough", "empty", 2.0, lineages=rows, filters_only=True)
    question = Question("source:cli ")
    told = "8 lineages pass source:cli · session_search needs a word · 2 ms"
    assert status_text(question, outcome) == told
    one = replace(outcome, lineages=rows[:1])
    assert status_text(question, one).startswith("1 lineage passes source:cli")
    none = replace(outcome, lineages=(), notices=(Notice("filter_unknown", "No such source."),))
    assert empty_text(question, none) == "Nothing passes source:cli.\n\nNo such source."


def test_how_to_see_what_is_rewound_is_told() -> None:
    hidden = Notice("rewound_hidden", "1 rewound message matches and stays hidden.")
    outcome = Outcome("x", "thorough", "fts5", 1.0, notices=(hidden,))
    text = empty_text(Question("x"), outcome)
    assert text.endswith("1 rewound message matches and stays hidden. u shows them.")


def test_the_cut_line_does_not_say_that_nothing_was_found() -> None:
    """What comes after the agent's limit was found by it."""
    assert text_of(cut_line(0, 40)).startswith("── session_search gives none of these ─")


def test_an_entry_has_title_age_source_snippet_and_standing(hit) -> None:
    first, second, third = entry_lines(hit(1), 40, NOW, selected=True)
    assert text_of(first) == "▌ Talk 1                          3d cli"
    assert text_of(second) == "▌ the docker bridge"
    assert [piece.text for piece in second if piece.style == "mark"] == ["docker"]
    assert text_of(third) == "▌ [1/12] · agent #1"
    assert all(text_of(line).startswith("  ") for line in entry_lines(hit(1), 40, NOW, False))


def test_the_third_line_says_why_the_agent_does_not_see_it(hit) -> None:
    unseen = hit(4, unseen=Unseen("hidden_source", "subagent"), label="substring", demoted=True)
    assert text_of(facts_of(unseen)) == (
        "[1/12] · source hidden from the agent (subagent) · demoted: cli · inside a word"
    )
    other = hit(4, root_title="The whole story", unseen=None)
    assert text_of(facts_of(other)) == "[1/12] · in The whole story"
    assert other.root_when is not None
    told = text_of(facts_of(other, now=other.root_when + 3 * 86_400))
    assert told == "[1/12] · in The whole story, 3d"
    assert text_of(facts_of(hit(1, matched=0, agent_rank=None))) == "12 messages"
    assert text_of(facts_of(hit(1, matched=0, total=1, agent_rank=None))) == "1 message"


def test_a_title_is_found_somewhere(hit) -> None:
    assert title_of(hit(1, title="  ", root_title="Root")) == "Root"
    assert title_of(hit(1, title=None, root_title=None)) == "untitled s1"
    assert title_of(hit(1, title="\x1b[2J\x1b]0;x\x07", root_title=None)) == "untitled s1"


def test_entries_keep_their_width(hit) -> None:
    wide = hit(1, title="网络桥接" * 20, snippet="表格 docker " * 20, source="telegram")
    for cells in range(0, 60):
        for line in entry_lines(wide, cells, NOW, True):
            assert sum(piece_width(piece.text) for piece in line) <= cells
        assert sum(piece_width(piece.text) for piece in cut_line(3, cells)) <= cells


def piece_width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def test_where_one_stands() -> None:
    assert position_text(214, 1024, 2, 5) == "hit 2/5 · 214/1,024"
    assert position_text(215, 1024, 2, 5, on_hit=False) == "past hit 2/5 · 215/1,024"
    assert position_text(1, 1024, 0, 5, on_hit=False) == "5 hits · 1/1,024"
    assert position_text(1, 1024, 0, 1, on_hit=False) == "1 hit · 1/1,024"
    assert position_text(3, 9, 0, 0) == "3/9"
    assert position_text(0, 0, 0, 0) == ""


def test_the_title_of_the_lineage_is_named_when_it_says_more(hit) -> None:
    assert root_of(hit(1)) == ""
    assert root_of(hit(1, title="Talk 1 #3")) == ""
    assert root_of(hit(1, title="Talk 1 #3", root_title="Other [/]")) == "Other [/]"
    assert root_of(hit(1, title=None, root_title="Other")) == ""


def test_numbers_of_a_reason_are_left_out_when_there_is_no_room(hit) -> None:
    late = hit(4, unseen=Unseen("beyond_limit", "place 4, limit 3"))
    third = [text_of(entry_lines(late, cells, NOW, False)[2]) for cells in (60, 40)]
    assert third == [
        "  [1/12] · after the agent's limit (place 4, limit 3)",
        "  [1/12] · after the agent's limit",
    ]
