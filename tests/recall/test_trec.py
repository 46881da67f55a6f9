"""Files of judgements: what is written is read back, and no text makes a reader fail."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.history.errors import HistoryError
from hermes_tui.recall import regression, trec
from hermes_tui.recall.judge import (
    Grade,
    Judgement,
    Topic,
    judgement_of,
    line_of,
    parse_lines,
    topic_of,
)

ANY = st.text(max_size=300)
LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"[a-z%0-9?=&]{1,8} [Q0-9]{1,2} [a-z%]{1,6} [0-9.e-]{1,6}( [0-9]{1,3} t)?"),
        st.from_regex(r'\{"query": ?"[a-z]*", ?"relevant": ?\[("?[a-z0-9]*"?,?)*\]\}'),
    ),
    max_size=8,
).map("\n".join)
KEYS = st.sampled_from(
    ["query", "relevant", "grades", "arguments", "sort", "role_filter", "root", "session_id",
     "message_id", "grade", "time", "form", "rankings", "current_session_id", "x"]
)  # fmt: skip
NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
WORDS = st.text(min_size=1, max_size=20).filter(lambda text: text.strip())
TOPICS = st.builds(
    lambda query, sort, roles, current, rewound: topic_of(
        query,
        {
            "sort": sort,
            "role_filter": ",".join(roles),
            "current_session_id": current,
            "rewound": rewound,
        },
    ),
    WORDS,
    st.sampled_from([None, "newest", "oldest"]),
    st.lists(st.sampled_from(["user", "assistant", "tool"]), unique=True),
    st.none() | st.text(max_size=8),
    st.booleans(),
)


@given(st.one_of(ANY, LINES, st.dictionaries(KEYS, NESTED).map(json.dumps)))
def test_no_text_makes_a_reader_fail(text: str) -> None:
    parsed = trec.parse(text, "name")
    kept = parse_lines(text, "name")
    lines = sum(1 for line in text.split("\n") if line.strip())
    assert len(kept.judgements) + len(kept.problems) == lines
    assert len(parsed.problems) <= lines
    for problem in (*parsed.problems, *kept.problems):
        assert problem.startswith("Line ")
        assert "\n" not in problem
    with suppress(HistoryError):
        regression.saved_of(text, "name")


@given(TOPICS)
def test_a_topic_survives_its_id(topic: Topic) -> None:
    word = trec.query_id(topic)
    assert word.isascii()
    assert len(word.split()) == 1
    assert trec.topic_of_id(word) == topic


@given(TOPICS, WORDS, WORDS, st.none() | st.integers(-(2**62), 2**62), st.sampled_from([0, 1, 2]))
def test_a_judgement_survives_its_line(
    topic: Topic, root: str, session: str, message: int | None, grade: Grade
) -> None:
    judgement = Judgement(topic, root, session, message, grade, 5.5)
    line = line_of(judgement)
    assert line.isascii()
    read = judgement_of(line)
    assert read.topic == topic
    assert (read.message_id, read.grade, read.time) == (message, grade, 5.5)


@given(
    st.dictionaries(
        TOPICS, st.dictionaries(WORDS, st.sampled_from([0, 1, 2]), min_size=1, max_size=4),
        max_size=4,
    )
)  # fmt: skip
def test_json_lines_are_read_back(judged: dict[Topic, dict[str, int]]) -> None:
    text = "\n".join(trec.json_lines(judged.items()))
    parsed = trec.parse(text, "x")
    assert not parsed.problems
    read: dict[Topic, dict[str, int]] = {}
    for graded in parsed.graded:
        read.setdefault(graded.topic, {})[str(graded.name)] = graded.grade
    assert read == judged


JUDGED = [
    (Topic("docker network"), {"20260101_a": 2, "20260102_b": 0}),
    (Topic("容器 网络", sort="newest", roles=("user", "tool")), {"id with blanks": 1}),
]


def test_other_programs_read_the_files(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("\n".join(trec.qrels_lines(JUDGED)) + "\n")
    run.write_text("\n".join(trec.run_lines([(JUDGED[0][0], ["b", "a"])], "hermes")) + "\n")
    read = [(q.query_id, q.doc_id, q.relevance) for q in ir_measures.read_trec_qrels(str(qrels))]
    assert read == [
        ("docker%20network", "20260101_a", 2),
        ("docker%20network", "20260102_b", 0),
        (
            "%E5%AE%B9%E5%99%A8%20%E7%BD%91%E7%BB%9C?sort=newest&role_filter=user%2Ctool",
            "id%20with%20blanks",
            1,
        ),
    ]
    scored = [(s.query_id, s.doc_id, s.score) for s in ir_measures.read_trec_run(str(run))]
    assert scored == [("docker%20network", "b", 2.0), ("docker%20network", "a", 1.0)]


def test_qrels_are_read_back() -> None:
    parsed = trec.parse("\n".join(trec.qrels_lines(JUDGED)), "x")
    assert parsed.format == "qrels"
    assert [(g.line, g.topic, g.grade) for g in parsed.graded] == [
        (1, JUDGED[0][0], 2),
        (2, JUDGED[0][0], 0),
        (3, JUDGED[1][0], 1),
    ]


def test_a_line_that_is_none_is_named_by_its_number() -> None:
    text = "q 0 a 2\n\nq 0 b\nq 0 c 3\nq 0 d -1\r\nq\t0  e   1\r\n%20 0 f 1\n"
    parsed = trec.parse(text, "judged.txt")
    assert [(g.line, g.name, g.grade) for g in parsed.graded] == [(1, "a", 2), (6, "e", 1)]
    assert parsed.problems == [
        "Line 3 of judged.txt is left out: a qrels line has 4 fields, this one 3.",
        "Line 4 of judged.txt is left out: the grade is none of 0, 1, 2.",
        "Line 5 of judged.txt is left out: the grade is none of 0, 1, 2.",
        "Line 7 of judged.txt is left out: the query is no text, or empty.",
    ]


def test_run_lines_that_are_none() -> None:
    lines = ["q Q0 a 1 0.5 t", "q Q0 a 2 0.4 t", "q Q0 b 2 nan t", "q Q0 c 3 t", "q Q0 d x 1e3 u"]
    parsed = trec.parse("\n".join(lines), "r")
    assert parsed.runs == {"t": {Topic("q"): {"a": 0.5}}, "u": {Topic("q"): {"d": 1000.0}}}
    assert [problem.split(":")[0] for problem in parsed.problems] == [
        "Line 2 of r is left out",
        "Line 3 of r is left out",
        "Line 4 of r is left out",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"query": " ", "relevant": ["a"]}',
        '{"query": "q", "relevant": []}',
        '{"query": "q", "relevant": "a"}',
        '{"query": "q", "relevant": [true]}',
        '{"query": "q", "relevant": [""]}',
        '{"query": "q", "grades": {"a": true}}',
        '{"query": "q", "grades": {"a": 3}}',
        '{"query": "q", "relevant": ["a"], "arguments": {"sort": "best"}}',
        '{"query": "q", "relevant": ["a"], "arguments": []}',
        '{"query": "q", "relevant": [1e999]}',
        '{"query": "q", "relevant": [9223372036854775808]}',
        "{" + '"a":[' * 5_000,
    ],
)
def test_json_that_is_no_judgement(line: str) -> None:
    parsed = trec.parse(f'{{"query": "q", "relevant": ["s", 7]}}\n{line}', "x")
    assert [(g.name, g.grade) for g in parsed.graded] == [("s", 2), (7, 2)]
    assert len(parsed.problems) == 1
    assert parsed.problems[0].startswith("Line 2 of x is left out: ")


def test_names_in_problems_are_clean() -> None:
    (problem,) = trec.parse("\x1b]0;evil\x07 x", "a\x1b[2J\nb.qrels").problems
    assert problem == "Line 1 of a b.qrels is left out: a qrels line has 4 fields, this one 2."
