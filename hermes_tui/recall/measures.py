"""How good a ranking is, by the measures of trec_eval: pure arithmetic on ids and grades.

A grade is 0, 1 or 2; what has none is unjudged and counts as not relevant, as in trec_eval. A
query for which nothing is relevant has no score at all: trec_eval counts it as 0, here it is left
out of every mean, and whoever shows the mean says so.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NDCG_DEPTH = 10
DEPTH = 10
"""The usual k of recall@k."""

LEAST_FOR_INTERVAL = 10
"""Queries below which a bootstrap interval would only look exact."""

_ROUNDS = 1_000
_LEVEL = 0.95
_SEED = 20_260_830


@dataclass(frozen=True, slots=True)
class Score:
    """The measures of one ranking, each from 0 to 1. rr: 1 / rank of the first relevant one."""

    hit1: float
    hit3: float
    recall: float
    rr: float
    ndcg: float

    def values(self) -> tuple[float, ...]:
        """In the order of `names`."""
        return (self.hit1, self.hit3, self.recall, self.rr, self.ndcg)


def names(depth: int = DEPTH) -> tuple[str, ...]:
    """What the measures are called, in the order of `Score.values`."""
    return ("hit@1", "hit@3", f"recall@{depth}", "MRR", f"nDCG@{NDCG_DEPTH}")


def score(
    ranking: Sequence[str], grades: Mapping[str, int], *, depth: int = DEPTH, least: int = 1
) -> Score | None:
    """The measures of a ranking (best first, without repetitions); None when nothing is relevant.

    least: the grade from which on something is relevant. nDCG takes the grades as they are, with
    the gain of grade g at rank r being g / log2(r + 1).
    """
    relevant = {name for name, grade in grades.items() if grade >= least}
    if not relevant:
        return None
    places = [place for place, name in enumerate(ranking, start=1) if name in relevant]
    first = places[0] if places else math.inf
    gains = [grades.get(name, 0) for name in ranking[:NDCG_DEPTH]]
    ideal = sorted(grades.values(), reverse=True)[:NDCG_DEPTH]
    return Score(
        hit1=float(first <= 1),
        hit3=float(first <= 3),
        recall=sum(1 for place in places if place <= depth) / len(relevant),
        rr=1.0 / first,
        ndcg=_discounted(gains) / _discounted(ideal),
    )


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def unjudged(ranking: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> int:
    """How many of the first `depth` have no grade."""
    return sum(1 for name in ranking[:depth] if name not in grades)


def by_score(scores: Mapping[str, float]) -> list[str]:
    """A ranking from scores, best first, with ties in trec_eval's order.

    Scores are compared in single precision, and equal ones stand in descending order of their
    ids, whatever rank a file gives them.
    """
    return sorted(scores, key=lambda name: (_single(scores[name]), name.encode()), reverse=True)


def _single(value: float) -> float:
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return single


def mean(values: Sequence[float]) -> float | None:
    """The mean; None for no values."""
    return math.fsum(values) / len(values) if values else None


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Where 95 % of bootstrap means lie, the same on every run; None for too few values."""
    count = len(values)
    if count < LEAST_FOR_INTERVAL:
        return None
    dice = random.Random(_SEED)
    means = sorted(math.fsum(dice.choices(values, k=count)) / count for _ in range(_ROUNDS))
    outside = int(_ROUNDS * (1 - _LEVEL) / 2)
    return means[outside], means[-1 - outside]
