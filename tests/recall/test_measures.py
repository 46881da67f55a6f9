"""The measures equal those of ir_measures (trec_eval underneath), with ties and unjudged rows."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from hermes_tui.recall import measures
from hermes_tui.recall.measures import Score

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]

BY_HAND: tuple[Qrels, Run] = (
    {
        "ties": {"a": 1, "b": 2, "c": 0},
        "all tied": {"a": 2, "e": 1},
        "tied in single precision": {"b": 2, "a": 1},
        "unjudged above": {"z": 2},
        "not in the run": {"a": 1, "b": 2},
        "shorter than k": {"a": 2, "b": 1, "c": 1, "d": 2},
        "only misses": {"a": 0, "b": 0},
        "non-ascii": {"é": 2, "日": 1},
    },
    {
        "ties": {"x": 3.0, "a": 2.0, "b": 2.0, "c": 2.0},
        "all tied": dict.fromkeys("abcdefgh", 1.0),
        "tied in single precision": {"a": 1.0000000001, "b": 1.0, "x": 1.0},
        "unjudged above": {"a": 9.0, "b": 8.0, "c": 7.0, "z": 6.0},
        "shorter than k": {"d": 0.5, "a": 0.25},
        "only misses": {"a": 1.0},
        "non-ascii": {"é": 1.0, "z": 1.0, "日": 1.0, "e": 1.0},
    },
)


def made_up(seed: int, queries: int, names: int, scores: int) -> tuple[Qrels, Run]:
    """Random judgements and a run; few different scores make many ties."""
    dice = random.Random(seed)
    ids = [f"2026{number:04}_{dice.randrange(16**6):06x}" for number in range(names)]
    qrels, run = {}, {}
    for number in range(queries):
        judged = dice.sample(ids, dice.randint(1, names // 2))
        listed = dice.sample(ids, dice.randint(0, names))
        qrels[f"q{number}"] = {name: dice.choice((0, 0, 1, 2)) for name in judged}
        run[f"q{number}"] = {name: float(dice.randrange(scores)) for name in listed}
    return qrels, run


SETS = {
    "by hand": BY_HAND,
    "many ties": made_up(1, queries=60, names=24, scores=4),
    "long lists": made_up(2, queries=40, names=120, scores=1_000),
}


def of_ir_measures(
    qrels: Qrels, run: Run, depth: int, least: int
) -> tuple[dict[str, list[float]], list[float]]:
    """Per query and over all of them, in the order of `measures.names`."""
    named = [
        Success(rel=least) @ 1,
        Success(rel=least) @ 3,
        R(rel=least) @ depth,
        RR(rel=least),
        nDCG @ 10,
    ]
    values: dict[str, list[float]] = {query: [0.0] * len(named) for query in qrels}
    own = {query: dict(scores) for query, scores in run.items() if scores}
    grades = {query: dict(judged) for query, judged in qrels.items()}
    for metric in ir_measures.iter_calc(named, grades, own):
        values[metric.query_id][named.index(metric.measure)] = metric.value
    overall = ir_measures.calc_aggregate(named, grades, own)
    return values, [overall[measure] for measure in named]


def ours(qrels: Qrels, run: Run, depth: int, least: int) -> dict[str, Score | None]:
    return {
        query: measures.score(
            measures.by_score(run.get(query, {})), grades, depth=depth, least=least
        )
        for query, grades in qrels.items()
    }


def agree(qrels: Qrels, run: Run, depth: int, least: int) -> int:
    """Compare every query; how many have a score."""
    theirs, _ = of_ir_measures(qrels, run, depth, least)
    scored = 0
    for query, score in ours(qrels, run, depth, least).items():
        if score is None:
            # Without anything relevant trec_eval says 0 (nDCG aside, which looks at all grades).
            assert theirs[query][:4] == [0.0] * 4
            assert not any(grade >= least for grade in qrels[query].values())
            continue
        scored += 1
        assert score.values() == pytest.approx(theirs[query], abs=1e-9), query
    return scored


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("depth", [1, 5, 10, 50])
@pytest.mark.parametrize("name", SETS)
def test_agrees_with_ir_measures(name: str, depth: int, least: int) -> None:
    qrels, run = SETS[name]
    assert agree(qrels, run, depth, least) >= 6


def test_the_sets_hold_what_they_are_for() -> None:
    """Ties, unjudged rows, lists shorter than k, queries without anything relevant."""
    for qrels, run in SETS.values():
        lists = [(qrels[q], run.get(q, {})) for q in qrels]
        assert any(len(set(scores.values())) < len(scores) for _, scores in lists)
        assert any(set(scores) - set(judged) for judged, scores in lists)
        assert any(len(scores) < 10 for _, scores in lists)
        assert any(not any(judged.values()) for judged, _ in lists)


def test_the_means_agree_where_everything_has_something_relevant() -> None:
    qrels, run = SETS["many ties"]
    relevant = {query: judged for query, judged in qrels.items() if any(judged.values())}
    assert len(relevant) > 30
    _, overall = of_ir_measures(relevant, run, 10, 1)
    scores = [s.values() for s in ours(relevant, run, 10, 1).values() if s is not None]
    means = [measures.mean(column) for column in zip(*scores, strict=True)]
    assert means == pytest.approx(overall, abs=1e-9)


IDS = st.text(alphabet="abcxyz019_", min_size=1, max_size=4)


@given(
    st.dictionaries(IDS, st.sampled_from([0, 1, 2]), min_size=1, max_size=14),
    st.dictionaries(IDS, st.sampled_from([0.0, 0.5, 1.0, 1.00000001, -3.0, 1e30]), max_size=14),
    st.integers(1, 15),
    st.sampled_from([1, 2]),
)
def test_agrees_on_anything(
    grades: dict[str, int], scores: dict[str, float], depth: int, least: int
) -> None:
    agree({"q": grades}, {"q": scores}, depth, least)


def test_values_worked_out_by_hand() -> None:
    grades = {"right": 2, "related": 1, "miss": 0, "never": 1}
    score = measures.score(["miss", "new", "right", "related"], grades, depth=3)
    assert score is not None
    assert (score.hit1, score.hit3) == (0.0, 1.0)
    assert score.recall == pytest.approx(1 / 3)
    assert score.rr == pytest.approx(1 / 3)
    assert score.ndcg == pytest.approx((2 / 2 + 1 / 2.321928) / (2 + 1 / 1.584963 + 1 / 2), 1e-6)
    right = measures.score(["miss", "new", "related", "right"], grades, depth=3, least=2)
    assert right is not None
    assert (right.hit3, right.recall, right.rr) == (0.0, 0.0, 0.25)


def test_nothing_relevant_is_no_score() -> None:
    assert measures.score(["a"], {}) is None
    assert measures.score(["a"], {"a": 0}) is None
    assert measures.score(["a"], {"a": 1}, least=2) is None
    assert measures.mean([]) is None


def test_unjudged_are_counted_down_to_the_depth() -> None:
    assert measures.unjudged(["a", "b", "c", "d"], {"b": 0}, 3) == 2
    assert measures.unjudged([], {"b": 0}, 3) == 0


def test_intervals_need_ten_and_are_the_same_every_time() -> None:
    values = [0.0, 1.0] * 5
    assert measures.interval(values[:9]) is None
    low, high = measures.interval(values) or (1.0, 0.0)
    assert 0.1 <= low < 0.5 < high <= 0.9
    assert measures.interval(values) == (low, high)
    assert measures.interval([0.25] * 10) == (0.25, 0.25)


def test_more_values_narrow_the_interval() -> None:
    widths = []
    for count in (10, 40, 160):
        low, high = measures.interval([0.0, 1.0] * (count // 2)) or (0.0, 1.0)
        widths.append(high - low)
    assert all(wide > narrow for wide, narrow in pairwise(widths))


def test_a_huge_score_is_still_a_score() -> None:
    assert measures.by_score({"a": 1e300, "b": -1e300, "c": 0.0}) == ["a", "c", "b"]
