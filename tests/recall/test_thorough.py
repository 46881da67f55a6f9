"""THOROUGH against a brute-force reading of every row, for random queries on several layouts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from brute import Brute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall import pipeline
from hermes_tui.recall.meaning import fields_of
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.query import Term, all_terms, parse_query
from hermes_tui.recall.shapes import Tool
from hermes_tui.recall.tiers import Tiers, find_tiers

pytestmark = [pytest.mark.shared, pytest.mark.figures]

# Layouts: (file, with the CJK index served, random queries); 2,000 queries in all.
LAYOUTS = {
    "history-3k": ("history-3k.db", True, 400),
    "history-3k without its CJK index": ("history-3k.db", False, 200),
    "inline 0.13": ("state-0.13.0.db", True, 450),
    "rebuild under way": ("state-0.19.0-midrebuild-by-2026-08.db", True, 450),
    "newest, cut tool output": ("state-newest-reconstructed-longtool-hidden.db", True, 500),
}
SIGNS = [
    "C++", "$5", "->", '"', "#1", "it's", "a,b", "(", "*", "--no-verify", "ｄａｔａ", "ﾃﾞｰﾀ", "é",
    "\\u", "\ud800", "json", "function", "type", "text", "id", '"of the"', "的", "い", "가", "🚀",
    "x=y", "100%", "a_b", "source:", "role:user", "foo:bar", "https://a.b/c", "ＡＢ", "…", "o'",
]  # fmt: skip
_CJK_RUN = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+")


class Words:
    """Words, CJK runs and neighbours drawn from a history, always the same ones."""

    def __init__(self, history: History) -> None:
        pick = random.Random(7)
        words, runs, pairs = [], [], []
        for message in history.message_rows("order by m.id"):
            for text in fields_of(message):
                some = text[:600].split()
                words += some[:12]
                runs += _CJK_RUN.findall(text[:600])
                pairs += [f'"{" ".join(some[i : i + 2])}"' for i in range(0, len(some) - 1, 9)]
        self.words = pick.sample(words, min(len(words), 3_000))
        self.runs = pick.sample(runs, min(len(runs), 800)) or ["容器"]
        self.pairs = [p.replace('""', '"') for p in pick.sample(pairs, min(len(pairs), 800))]

    def strategy(self) -> st.SearchStrategy[str]:
        """Queries: one to five pieces, operators between them."""
        words = st.sampled_from(self.words)
        cut = st.tuples(st.sampled_from(self.runs), st.integers(0, 5), st.integers(1, 6)).map(
            lambda t: t[0][t[1] % len(t[0]) :][: t[2]]
        )
        beginning = st.tuples(words, st.integers(1, 5)).map(lambda t: t[0][: t[1]] + "*")
        bare = words.map(lambda word: re.sub(r"\W", "", word) or "the")
        piece = st.one_of(
            words, bare, cut, beginning, st.sampled_from(self.pairs), st.sampled_from(SIGNS)
        )
        joint = st.sampled_from([" ", " ", " AND ", " OR ", " NOT ", " NOT NOT "])
        rest = st.lists(st.tuples(joint, piece), max_size=3)
        return st.tuples(piece, rest).map(
            lambda t: t[0] + "".join(joint + piece for joint, piece in t[1])
        )


@pytest.fixture(scope="module", params=sorted(LAYOUTS))
def layout(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, History, Brute, Words]]:
    name, cjk, _ = LAYOUTS[request.param]
    path = tmp_path_factory.mktemp("layout") / name
    copyfile(shared / "hermes/dbs" / name, path)
    with History.open(Place(str(path), ""), register=register if cjk else None) as history:
        yield request.param, history, Brute(history), Words(history)


def kind(terms: list[Term]) -> str:
    """What a query is made of, for the table of differences."""
    kinds = {
        "literal" if t.literal else "cjk" if t.has_cjk else "prefix" if t.prefix else "word"
        for t in terms
    }
    return "+".join(sorted(kinds)) or "nothing"


def test_random_queries(
    layout: tuple[str, History, Brute, Words], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The set is the brute-force set; the agent's part is session_search; nothing is silent."""
    name, history, brute, words = layout
    told: list[Tiers] = []

    def listening(*args: object) -> Iterator[Tiers]:
        told.clear()
        for tiers in find_tiers(*args):  # type: ignore[arg-type]
            told[:] = [tiers]
            yield tiers

    monkeypatch.setattr(pipeline, "find_tiers", listening)
    counted: Counter[str] = Counter()
    different: list[str] = []
    tool = Tool(history)

    @settings(
        max_examples=LAYOUTS[name][2],
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(words.strategy())
    def compare(query: str) -> None:
        counted["queries"] += 1
        tree = parse_query(query, now=0)
        _agent_is_equal(history, tool, query, different)
        if tree.node is not None:
            found = {row for row, label in told[0].labels.items() if not label}
            wanted = brute.rows(tree.node)
            rule = kind(list(all_terms(tree.node)))
            counted[rule] += 1
            if found != wanted:
                extra, missing = found - wanted, wanted - found
                different.append(f"{rule}: {query!r} extra {extra} missing {missing}")

    compare()
    print(f"\n{name}: {dict(counted)}; {len(different)} differences")
    assert not different, "\n".join(different[:10])


def _agent_is_equal(history: History, tool: Tool, query: str, different: list[str]) -> None:
    outcome = search(history, query)
    filtered = parse_query(query, now=0).filters.any
    if not filtered:
        seen = [line for line in outcome.lineages if line.agent_rank is not None]
        ours = [
            (line.agent_rank, line.session_id)
            for line in sorted(seen, key=lambda line: line.agent_rank or 0)
        ]
        answer = tool({"query": query}) if query.strip() else {"results": []}
        results = answer.get("results", [])
        theirs = [(rank, row["session_id"]) for rank, row in enumerate(results, start=1)]
        if ours != theirs:
            different.append(f"agent: {query!r} ours {ours} theirs {theirs}")
    if not outcome.lineages and not outcome.notices:
        different.append(f"silent: {query!r}")
    if not outcome.complete:
        different.append(f"incomplete: {query!r}")
