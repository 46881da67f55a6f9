"""Filters: what they let through, alone and beside words, and why nothing passes them.

Every sentence of an answer is held against the answer that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.outcome import Outcome
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import HERMES
from hermes_tui.recall.query import parse_query
from hermes_tui.storage.encoding import tool_call
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

DAY = 86_400.0
START = datetime(2026, 3, 1).timestamp()


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    path = tmp_path_factory.mktemp("filters") / "state.db"
    call = tool_call("web_search", {"q": "falcon"}, "c1")
    patch = tool_call("patch", {"terminal": "falcon"}, "c2")
    with HistoryWriter(path) as writer:
        for day, (name, source, title, said) in enumerate(
            (
                ("alpha1", "cli", "Birds, of prey", ["the falcon is mine", "and a heron"]),
                ("bravo2", "telegram", "Falcon nest", ["a nest of hay"]),
                ("carol3", "cron", None, ["nightly heron count"]),
                ("delta4", "tui", "Tools", ["look it up"]),
                ("error5", "cli", "Taken back", ["keep this", "eagle by mistake"]),
            )
        ):
            started = START + day * DAY
            writer.create_session(
                NewSession(id=name, source=source, started_at=started, title=title, cwd=f"/{name}")
            )
            messages = [NewMessage(role="user", content=text) for text in said]
            if name == "delta4":
                messages += [
                    NewMessage(role="assistant", content="", tool_calls=[call]),
                    NewMessage(role="tool", content="falcon facts", tool_name="web_search"),
                    NewMessage(role="assistant", content="", tool_calls=[patch]),
                ]
            writer.append_batch(name, messages, started + 60)
        writer.rewind("error5", 10)
    with History.open(Place(str(path), "default"), register=register) as opened:
        assert opened.rows("select count(*) from messages where active = 0") == [(1,)]
        yield opened


def sessions(outcome: Outcome) -> set[str]:
    return {line.session_id for line in outcome.lineages}


def told(outcome: Outcome) -> dict[str, str]:
    return {notice.code: notice.text for notice in outcome.notices}


ALL = {"alpha1", "bravo2", "carol3", "delta4", "error5"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("source:cli", {"alpha1", "error5"}),
        ("source:cli OR source:tui", {"alpha1", "error5", "delta4"}),
        ("source:cli source:tui", {"alpha1", "error5", "delta4"}),
        ("NOT source:cli NOT source:tui", {"bravo2", "carol3"}),
        ("tool:web_search", {"delta4"}),
        ("tool:web_search,nothing", {"delta4"}),
        ("tool:web,patch", {"delta4"}),
        ("tool:terminal", set()),  # only an argument is called so
        ("NOT tool:web_search", ALL),
        ("role:tool", {"delta4"}),
        ("role:hermes", {"delta4"}),
        ("NOT role:user", {"delta4"}),
        ("title:falcon", {"bravo2"}),
        ("NOT title:falcon", ALL - {"bravo2"}),
        ('title:"birds, of"', {"alpha1"}),
        ("cwd:/alpha", {"alpha1"}),
        ("NOT cwd:/alpha", ALL - {"alpha1"}),
        ("session:alpha1", {"alpha1"}),
        ("session:@session:default/alpha1", {"alpha1"}),
        ("NOT session:alpha1", ALL - {"alpha1"}),
        ("profile:default", ALL),
        ("NOT profile:work", ALL),
        ("after:2026-03-04", {"delta4", "error5"}),
        ("after:2026-03-02 before:2026-03-03", {"bravo2"}),
        ("after:2026-03-04 after:2026-03-01", {"delta4", "error5"}),
        ("before:2026-03-02 before:2026-03-04", {"alpha1"}),
        ("heron source:cli", {"alpha1"}),
        ("heron AND source:cli AND NOT source:cron", {"alpha1"}),
        ("heron NOT title:birds", {"carol3"}),
        ("heron NOT session:alpha", {"carol3"}),
        ("heron NOT cwd:/alpha", {"carol3"}),
        ("falcon NOT tool:web", {"alpha1", "bravo2", "delta4"}),
        ("falcon tool:patch", {"delta4"}),
        ("falcon role:tool", {"delta4"}),
        # A title is no message: its session passes by the messages in it.
        ("falcon after:2026-03-03", {"delta4"}),
        ("nest role:assistant", set()),
        ("nest role:user", {"bravo2"}),
        ("eagle role:user", set()),
    ],
)
def test_what_passes(history: History, query: str, found: set[str]) -> None:
    outcome = search(history, query)
    assert sessions(outcome) == found
    assert outcome.lineages or outcome.notices


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("source:xyz", "No session has the source xyz. There are cli, telegram, cron and tui."),
        ("source:xyz falcon", "No session has the source xyz. There are cli, telegram, cron and"),
        ("source:xyz,abc falcon", "No session has the source xyz or abc."),
        ("title:nope falcon", "No session has 'nope' in its title."),
        ("cwd:/nope", "No session has '/nope' in its folder."),
        ("session:nope falcon", "No session has 'nope' in its id."),
        ("role:king", "No message has the role king. There are assistant, tool and user."),
        ("role:system falcon", "No message has the role system. There are"),
        ("tool:nope falcon", "No message is of a tool named nope. There is web_search."),
        ("profile:work falcon", "There is no profile work. None has a history."),
        ("NOT profile:default", "This history is 'default', which NOT profile: leaves out."),
        ("after:2026-04-01", "No message is after 2026-04-01: the newest is of 2026-03-05 00:01."),
        ("before:2026-03-01 heron", "No message is before 2026-03-01: the oldest is of 2026-03-01"),
        ("after:2026-03-04 before:2026-03-02", "There is no time after 2026-03-04 and before 2026"),
        ("source:cli tool:web", "No session passes these filters together."),
        ("heron source:tui", "Nothing that passes the filters matches; without them 2 messages do"),
        ("eron source:tui", "without them 2 messages hold a part of it."),
        ("heron zzzz source:tui", "without them 2 messages hold a part of it."),
        ("hay source:tui", "Nothing that passes the filters matches; without them 1 message does."),
        (
            "zzzz source:cli",
            "No message of this history holds this, not even inside a longer word.",
        ),
    ],
)
@pytest.mark.parametrize("rewound", [False, True])
def test_why_nothing_passes(history: History, query: str, sentence: str, rewound: bool) -> None:
    outcome = search(history, query, show_rewound=rewound, environ={"HOME": "/nowhere"})
    assert not outcome.lineages
    assert sentence in " ".join(told(outcome).values())
    assert set(told(outcome)) <= {
        "filter_unknown", "filtered_out", "no_match", "other_profile",
    }  # fmt: skip


def test_rewound_messages_are_counted_behind_the_filters(history: History) -> None:
    hidden = "1 rewound message matches and stays hidden."
    for query in ("eagle", "eagle source:cli", "eagle role:user", "eagle after:2026-03-05"):
        assert told(search(history, query)) == {"rewound_hidden": hidden}, query
        assert sessions(search(history, query, show_rewound=True)) == {"error5"}
    for query in ("eagle source:tui", "eagle role:tool", "eagle before:2026-03-02"):
        for rewound in (False, True):
            outcome = search(history, query, show_rewound=rewound)
            assert "rewound_hidden" not in told(outcome), query
            assert not outcome.lineages


def test_some_values_that_are_not_there_are_said_beside_the_answer(history: History) -> None:
    for query in ("heron source:cli,crom", "heron NOT source:crom", "source:cli,crom"):
        outcome = search(history, query)
        assert outcome.lineages
        assert told(outcome)["filter_unknown"].startswith("No session has the source crom. There")


def test_filters_alone_list_sessions_as_the_recent_list_does(history: History) -> None:
    outcome = search(history, "source:cli")
    assert outcome.filters_only
    assert [line.session_id for line in outcome.lineages] == ["error5", "alpha1"]
    assert [line.snippet for line in outcome.lineages] == ["keep this", "the falcon is mine"]
    for line in outcome.lineages:
        assert (line.agent_rank, line.unseen, line.label, line.matched) == (None, None, "", 0)
    oldest = search(history, "source:cli", sort="oldest")
    assert [line.session_id for line in oldest.lineages] == ["alpha1", "error5"]
    assert not search(history, "source:cli heron").filters_only


def test_a_session_found_by_its_name_shows_its_first_words(history: History) -> None:
    (line,) = search(history, "Tools").lineages
    assert (line.label, line.snippet) == ("title", "look it up")


def test_what_speaks_for_a_lineage_passes_the_filters(history: History) -> None:
    (line,) = search(history, "falcon source:tui role:tool").lineages
    assert line.role == "tool"
    (line,) = search(history, "nest NOT role:assistant").lineages
    assert line.role == "user" or line.label == "title"


def test_the_agents_rules_leave_filters_out_and_say_so(history: History) -> None:
    outcome = search(history, "heron source:tui", policy=HERMES)
    assert sessions(outcome) == {"alpha1", "carol3"}
    assert list(told(outcome)) == ["filters_ignored"]
    outcome = search(history, "source:cli", policy=HERMES)
    assert not outcome.lineages
    assert told(outcome)["filters_ignored"].endswith("No word is left to look for.")
    assert not outcome.filters_only


@pytest.mark.parametrize(
    ("query", "roles", "text"),
    [
        ("zzzz heron", None, "By the rules of hermes no message matches."),
        ("heron", ("tool",), "2 messages match, but none is left: 2 in other roles."),
        ("hay", ("tool",), "1 message matches, but none is left: 1 in other roles."),
        ("eagle", None, "1 message matches, but none is left: 1 rewound."),
    ],
)
def test_why_the_agents_answer_is_empty(
    history: History, query: str, roles: tuple[str, ...] | None, text: str
) -> None:
    outcome = search(history, query, policy=HERMES, roles=roles)
    assert not outcome.lineages
    (sentence,) = told(outcome).values()
    assert sentence.startswith(text)


def test_roles_of_an_option_are_a_filter(history: History) -> None:
    assert sessions(search(history, "falcon", roles=("TOOL",))) == {"delta4"}
    assert sessions(search(history, "heron", roles=("you",))) == {"alpha1", "carol3"}
    outcome = search(history, "hay", roles=("king",))
    assert told(outcome) == {
        "filter_unknown": "No message has the role king. There are assistant, tool and user."
    }


@pytest.mark.parametrize(
    ("query", "starts"),
    [
        ("zzzz", "No message of this history holds this, not even inside a longer word. Try"),
        (
            '"heron falcon"',
            "No message of this history holds this, not even inside a longer word. W",
        ),
        ("zzzz yyyy", "No message of this history holds any of these words, nor all of them"),
        ("zzzz ero", "No message of this history holds any of these words, nor all of them"),
        ("zzzz NOT heron", "No message of this history matches. A query with OR or NOT"),
        ("he", "No message of this history matches. Parts of words are looked for"),
    ],
)
def test_no_more_is_said_than_what_was_looked_for(
    history: History, query: str, starts: str
) -> None:
    assert told(search(history, query))["no_match"].startswith(starts)


@pytest.mark.parametrize(
    ("query", "code", "part"),
    [
        ("heron OR source:tui", "filter_joined", "source: narrows the whole query"),
        ("source:tui OR heron", "filter_joined", "source: narrows the whole query"),
        ("tool:a AND tool:b", "filter_joined", "tool: narrows the whole query"),
        ("source:cli OR source:tui", None, ""),
        ("NOT source:cli AND NOT source:tui", None, ""),
        ("NOT source:cli OR NOT source:tui", "filter_joined", "source: narrows"),
        ("heron AND source:cli", None, ""),
        ("source: heron", "empty_filter", "source: stands there without a value"),
        ('title:"" heron', "empty_filter", "title: stands there without a value"),
        ("source:, heron", "empty_filter", "source: stands there without a value"),
        ("(source:cli) heron", "did_you_mean", "Did you mean source:cli without parentheses?"),
        ("(heron OR falcon) nest", "parentheses", "Parentheses do not group"),
        ("heron (falcon nest)", None, ""),
        ("AND OR", "nothing_to_find", "only operators"),
        ("after:7d", None, ""),
        ("NOT before:7d", None, ""),
    ],
)
def test_what_is_not_read_as_it_looks_is_said(query: str, code: str | None, part: str) -> None:
    notices = parse_query(query, now=START).notices
    assert [notice.code for notice in notices] == ([code] if code else [])
    assert all(part in notice.text for notice in notices)


def test_operators_that_joined_only_filters_are_gone() -> None:
    for typed, text in (
        ("source:cli AND heron", "heron"),
        ("heron OR source:cli", "heron"),
        ("heron OR source:cli falcon", "heron falcon"),
        ("source:cli OR source:tui", ""),
        ("source:cli NOT heron", "NOT heron"),
        ("source:cli NOT", ""),
    ):
        assert parse_query(typed, now=START).text == text


PIECES = st.sampled_from(
    [
        "heron", "falcon", "eagle", "zzzz", "he", "eron", '"of hay"', "OR", "NOT", "AND", "nest",
        "source:cli", "source:cli,xyz", "source:xyz", "role:user", "role:tool", "role:king",
        "tool:web", "tool:nope", "title:falcon", "title:nope", "cwd:/alpha", "session:alpha1",
        "session:nope", "profile:default", "after:2026-03-03", "before:2026-03-03",
        "after:2026-04-01", "source:", '"', "->",
    ]
)  # fmt: skip
COUNTED = re.compile(r"without them ([\d,]+) messages? (do|does|holds?)\b")


@settings(max_examples=400)
@given(st.lists(PIECES, min_size=1, max_size=5), st.booleans())
def test_every_sentence_is_true(history: History, pieces: list[str], rewound: bool) -> None:
    query = " ".join(pieces)
    outcome = search(history, query, show_rewound=rewound, environ={})
    said = told(outcome)
    if not outcome.lineages:
        assert outcome.notices, query
    hits = sum(line.matched for line in outcome.lineages)
    if "rewound_hidden" in said:
        assert not rewound
        more = search(history, query, show_rewound=True, environ={})
        wanted = int(said["rewound_hidden"].split()[0])
        assert sum(line.matched for line in more.lineages) == hits + wanted, query
    if {"substring", "relaxed"} & set(said):
        assert {line.label for line in outcome.lineages} & {"substring", "relaxed"}, query
    if "nothing_to_find" in said:
        assert parse_query(query, now=0).node is None
    if "filtered_out" in said or "no_match" in said:
        assert not outcome.lineages
    found = COUNTED.search(said.get("filtered_out", ""))
    if found:
        words = parse_query(query, now=0).text
        free = search(history, words, show_rewound=rewound, environ={})
        assert sum(line.matched for line in free.lineages) == int(found[1]), query
        exact = any(line.label in ("", "title", "id") for line in free.lineages if line.matched)
        assert exact == (found[2] in ("do", "does"))
    if "no_match" in said:
        free = search(history, parse_query(query, now=0).text, show_rewound=rewound, environ={})
        assert not sum(line.matched for line in free.lineages), query
