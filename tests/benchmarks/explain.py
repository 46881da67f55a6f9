"""What an explanation costs beside the search it explains, in the same run.

    PYTHONPATH=. python tests/benchmarks/explain.py [--history FILE] [--messages 100000] [--check]

The first part asks every query of the recorded answers on a copy of `history-3k.db` (or of FILE);
the second asks a range of queries, from a rare word to one of every message, on a history it
writes. `search` is session_search alone, without shaping its answer; `explain` contains it.
A why-not is measured for three conversations of each history. With --check it exits 1 when all
explanations together take more than LIMIT times their searches.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.asking import agent_ask
from hermes_tui.recall.discovery import discover
from hermes_tui.recall.explain.targets import Target
from hermes_tui.recall.explain.why import why
from hermes_tui.recall.explain.whynot import why_not
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import HERMES
from hermes_tui.storage.writer import HistoryWriter, NewMessage, NewSession

LIMIT = 3.0
RUNS = 3
SHARED = Path(__file__).parents[3] / "shared" / "hermes"
PER_SESSION = 80
COMMON = (
    *("the", "to", "docker", "network", "server", "config", "file"),
    *("error", "build", "test", "user", "data", "run", "code"),
)
HAN = "容器网络配置文件数据库连接错误重试部署服务端口密码备份更新安装日志"
WRITTEN = (
    *("docker", "the", "docker network", "docker network server config", '"docker network"'),
    *("docker OR network", "docker NOT network", "rare17", "docker rare17", "rare17 rare18"),
    *("rar", "dock*", "a@b docker", "容器网络", "容器 备份", "港", "docker 容器", "zebra lion"),
)


def main() -> int:
    """Both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", type=Path, default=SHARED / "dbs" / "history-3k.db")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        if options.history.exists():
            copy = Path(folder) / "recorded.db"
            shutil.copyfile(options.history, copy)
            worst = part(options.history.stem, copy, recorded_queries())
        path = Path(folder) / "written.db"
        write(path, options.messages)
        worst = max(worst, part(f"{options.messages:,} messages", path, WRITTEN, each=True))
    return 1 if options.check and worst > LIMIT else 0


def recorded_queries() -> list[str]:
    """Every query of the recorded answers, once."""
    file = SHARED / "golden" / "history-3k.jsonl.gz"
    if not file.exists():
        return list(WRITTEN)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        queries = (json.loads(line)["args"].get("query") for line in lines)
        return list(dict.fromkeys(q for q in queries if q))


def write(path: Path, messages: int) -> None:
    """A history whose words are as unevenly spread as those of a language."""
    chance = random.Random(5)
    with HistoryWriter(path, cjk=True) as writer:
        parent = None
        for number in range(messages // PER_SESSION):
            at = 1.7e9 + number * 1e4
            with writer.batch():
                name = writer.create_session(
                    NewSession(
                        id=f"s{number:05}",
                        source=chance.choice(("cli", "cli", "telegram", "cron", "subagent")),
                        started_at=at,
                        parent_id=parent if number % 3 else None,
                    )
                )
                writer.append_batch(name, list(turns(chance)), at)
            parent = name


def turns(chance: random.Random) -> Iterator[NewMessage]:
    """The messages of a session: user, assistant, tool."""
    for turn in range(PER_SESSION):
        words = [
            chance.choice(COMMON) if chance.random() < 0.35 else f"rare{rank(chance)}"
            for _ in range(chance.randint(20, 120))
        ]
        if chance.random() < 0.25:
            start = chance.randrange(len(HAN) - 8)
            words += [HAN[start : start + 8]]
        role = ("user", "assistant", "tool")[turn % 3]
        yield NewMessage(role=role, content=" ".join(words))


def rank(chance: random.Random) -> int:
    """A word's number: small ones are frequent."""
    return min(20_000, int(chance.paretovariate(0.8)))


def part(name: str, path: Path, queries: Sequence[str], *, each: bool = False) -> float:
    """Measure the queries on one history; all explanations divided by all searches."""
    with History.open(Place(str(path), ""), register=register) as history:
        history.families()
        rows = [measure(history, query) for query in queries]
        print(f"\n{name}, {len(rows)} queries, best of {RUNS} (ms)")
        if each:
            for query, searched, explained in rows:
                print(f"  {searched:9.2f} {explained:9.2f}  x{explained / searched:5.2f}  {query}")
        searched, explained = (sum(row[n] for row in rows) for n in (1, 2))
        ratios = sorted(row[2] / row[1] for row in rows)
        over = [row for row in rows if row[2] > LIMIT * row[1]]
        slowest = max((row[2] - row[1] for row in over), default=0.0)
        print(f"  search {searched:,.0f}, explain {explained:,.0f}: x{explained / searched:.2f}")
        print(
            f"  a query: median x{statistics.median(ratios):.2f}, "
            f"95 % x{ratios[int(len(ratios) * 0.95)]:.2f}; over x{LIMIT:.0f}: {len(over)}, "
            f"at most {slowest:.1f} ms more than its search"
        )
        whole(history, queries)
        missing(history, queries)
        return explained / searched


def measure(history: History, query: str) -> tuple[str, float, float]:
    """(query, its search, its explanation) in milliseconds, the best of a few runs."""
    best = min(
        (why(history, query, agent_ask(query)) for _ in range(RUNS)),
        key=lambda found: found.elapsed_ms,
    )
    return query, best.search_ms, best.elapsed_ms


def whole(history: History, queries: Sequence[str]) -> None:
    """The same queries by the program's own search, which looks at everything."""
    some = queries[:: max(1, len(queries) // 60)]
    took = timed(lambda query: search(history, query), some)
    explained = timed(lambda query: why(history, query, agent_ask(query)), some)
    print(
        f"  {len(some)} of them by `hermes-tui search` {took:,.0f}, explained {explained:,.0f}: "
        f"x{explained / took:.2f}"
    )


def missing(history: History, queries: Sequence[str]) -> None:
    """Why-not for three conversations, beside the search it contains."""
    some = queries[:: max(1, len(queries) // 60)]
    sessions = list(history.families().sessions.values())
    targets = [Target(sessions[len(sessions) * n // 4]) for n in (1, 2, 3)]

    def ask(query: str) -> None:
        for target in targets:
            why_not(history, query, target, agent_ask(query))

    searched = timed(lambda query: discover(history, agent_ask(query), HERMES), some)
    took = timed(ask, some) / len(targets)
    print(f"  why-not {took:,.0f} for searches of {searched:,.0f}: x{took / searched:.2f}")


def timed(run: object, queries: Sequence[str]) -> float:
    """Milliseconds to run all of them once."""
    started = time.perf_counter()
    for query in queries:
        run(query)  # type: ignore[operator]
    return (time.perf_counter() - started) * 1_000


if __name__ == "__main__":
    sys.exit(main())
