"""How the conversation viewer does in sessions of one to 100,000 messages.

    PYTHONPATH=. python tests/benchmarks/viewer.py [--sizes 1000 10000 100000] [--keep FOLDER]

Every size runs in its own process over the same file: open at the middle, page down and up, jump
to the end and to hits, resize, fold all and unfold all. A time runs from the action to the first
frame without a placeholder. `block` is the longest time the event loop did not answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = (1_000, 10_000, 100_000)
LIMITS = {"first_paint": 3.0, "page_p95": 2.0}
NO_RATIO = ("memory", "block", "block_cpu", "idle_block", "hit", "find")
"""One message has no other hit to jump to, and a find reads everything, however much it is."""
PAGES = 60
JUMPS = 20
STUCK_SECONDS = 30
WORDS = (
    "the",
    "session",
    "planner",
    "found",
    "trace",
    "queue",
    "worker",
    "token",
    "retry",
    "index",
)
CJK = "我们需要检查会议记录里面的数据库连接错误以及重试策略部署流水线"
EMOJI = ("👍🏽", "👩‍💻", "❤️", "🇩🇪", "🚀", "1️⃣")


def text_of(number: int, chance: random.Random) -> tuple[str, str]:
    """(role, content) of a message: talk, code, tool output, now and then a huge one."""

    def prose(words: int) -> str:
        parts = [chance.choice(WORDS) for _ in range(words)]
        if chance.random() < 0.3:
            start = chance.randrange(len(CJK) - 8)
            parts.insert(words // 2, CJK[start : start + 8])
        if chance.random() < 0.2:
            parts.append(chance.choice(EMOJI))
        return " ".join(parts)

    kind = chance.random()
    if number % 4_000 == 2_000:
        return "tool", answer((prose(20) + "\n") * 8_000)  # about 1 MB
    if kind < 0.5:
        return ("user" if number % 2 else "assistant"), prose(chance.randrange(3, 60))
    if kind < 0.8:
        code = "\n".join(f"    value_{i} = call({prose(3)!r})" for i in range(12))
        return "assistant", f"{prose(60)}\n\n```python\n{code}\n```\n\n{prose(40)}"
    if kind < 0.995:
        lines = (f"\x1b[32m{i}\x1b[0m\t{prose(6)}" for i in range(chance.randrange(4, 60)))
        return "tool", answer("\n".join(lines))
    return "assistant", "\n\n".join(prose(120) for _ in range(60))  # about 50 KB


def answer(output: str) -> str:
    """What a tool answers: its output in JSON, as Hermes stores it."""
    return json.dumps({"output": output, "exit_code": 0}, ensure_ascii=False)


def write(path: Path, sizes: tuple[int, ...]) -> None:
    """A history with one session for each size, without search indexes (they take minutes)."""
    import apsw

    from hermes_tui.storage.writer import HistoryWriter, NewSession

    with HistoryWriter(path, cjk=False) as writer:
        for size in (0, 1, *sizes):
            writer.create_session(NewSession(id=f"s{size}", source="cli", started_at=1.78e9))
    db = apsw.Connection(str(path))
    for (name,) in db.execute("select name from sqlite_schema where type = 'trigger'").fetchall():
        db.execute(f"drop trigger {name}")
    insert = "insert into messages(session_id, role, content, timestamp) values(?, ?, ?, ?)"
    chance = random.Random(7)
    with db:
        db.execute(insert, ("s0", "user", "warm up", 1.78e9))
        db.execute(insert, ("s1", "assistant", text_of(2_000, chance)[1][:100_000], 1.78e9))
        for size in sizes:
            db.executemany(
                insert,
                ((f"s{size}", *text_of(i, chance), 1.78e9 + 60.0 * i) for i in range(size)),
            )
    db.close()


def resident() -> float:
    """Megabytes of memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


class Clock:
    """Times actions of the view, and how long the loop is blocked meanwhile."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self.block = self.block_cpu = 0.0
        self.down = True

    async def beat(self) -> None:
        while True:
            start, busy = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.001)
            self.block = max(self.block, (time.perf_counter() - start - 0.001) * 1e3)
            self.block_cpu = max(self.block_cpu, (time.thread_time() - busy) * 1e3)

    def whole(self) -> bool:
        """Whether all that is on the screen is loaded."""
        view = self.view
        viewport = view._viewport
        return viewport is not None and all(
            viewport.layout.is_gap(unit) or unit in view._bodies for unit, _ in viewport.frame()
        )

    async def time(self, action: Callable[[], object], ready: Callable[[], bool]) -> float:
        """Milliseconds from an action until its frame is complete."""
        start = time.perf_counter()
        action()
        while True:
            drawn = asyncio.Event()
            self.view.call_after_refresh(drawn.set)
            await drawn.wait()
            if ready() and self.whole():
                return (time.perf_counter() - start) * 1e3
            if time.perf_counter() - start > STUCK_SECONDS:
                raise TimeoutError("no complete frame")
            await asyncio.sleep(0.001)

    async def page(self) -> float:
        """Time a page in the direction one was going, or back from an end of the session."""
        before = self.view._viewport.top()
        for _ in range(2):
            move = self.view.action_page_down if self.down else self.view.action_page_up
            took = await self.time(move, bool_true)
            if self.view._viewport.top() != before:
                return took
            self.down = not self.down
        return took


async def measure(path: str, size: int) -> dict[str, float]:
    """All figures of one session."""
    from textual.app import App, ComposeResult

    from hermes_tui.history.locate import Place
    from hermes_tui.history.reader import READING_CACHE_KIB, HistoryPool
    from hermes_tui.tui.collecting import set_aside
    from hermes_tui.tui.widgets.conversation import ConversationView

    pool = HistoryPool(Place(path, ""), cache_kib=READING_CACHE_KIB)

    class Bench(App[None]):
        def compose(self) -> ComposeResult:
            yield ConversationView(pool)

    app = Bench()
    app.animation_level = "none"
    figures: dict[str, float] = {}
    async with app.run_test(size=(120, 40)):
        view = app.query_one(ConversationView)
        clock = Clock(view)
        view.open("s0")
        await clock.time(lambda: None, lambda: view.total == 1)
        set_aside()  # as the program does once it stands
        outline = pool.get().outline(f"s{size}")
        ids = list(outline.ids)
        del outline
        before = resident()
        beat = asyncio.create_task(clock.beat())
        await asyncio.sleep(2)
        figures["idle_block"], clock.block = clock.block, 0.0
        anchor = ids[min(len(ids) // 2 + 20, len(ids) - 1)]  # not one of the huge ones
        hits = tuple(sorted(random.Random(1).sample(ids, min(len(ids), JUMPS))))

        def opened() -> bool:
            return bool(view.total == len(ids) and view.current_id == anchor)

        highlight = lambda text: [(0, 5)] if len(text) > 5 else []  # noqa: E731
        figures["first_paint"] = await clock.time(
            lambda: view.open(f"s{size}", anchor=anchor, hits=hits, highlight=highlight), opened
        )
        view.action_unfold_all()
        pages = [await clock.page() for _ in range(2 * PAGES)]
        figures["page"] = statistics.median(pages)
        figures["page_p95"] = sorted(pages)[int(len(pages) * 0.95)]
        figures["end"] = await clock.time(view.action_last, bool_true)
        view.action_first()
        jumps = [await clock.time(view.action_hit_next, bool_true) for _ in hits]
        figures["hit"] = statistics.median(jumps)
        figures["resize"] = statistics.median(
            [
                await clock.time(lambda w=w: resize(app, w, 40), lambda w=w: view.size.width == w)
                for w in (90, 119, 61, 140, 120)
            ]
        )
        figures["fold_all"] = await clock.time(view.action_fold_all, bool_true)
        figures["unfold_all"] = await clock.time(view.action_unfold_all, bool_true)
        figures["find"] = await clock.time(
            lambda: view.find("zebra crossing"), lambda: view.find_complete
        )
        figures["memory"] = resident() - before
        figures["block"], figures["block_cpu"] = clock.block, clock.block_cpu
        beat.cancel()
    pool.close()
    return figures


def resize(app: Any, width: int, height: int) -> None:
    """Tell the app that its terminal has another size."""
    from textual.events import Resize
    from textual.geometry import Size

    app._driver._size = size = Size(width, height)
    app.post_message(Resize(size, size))


def bool_true() -> bool:
    """Ready as soon as the frame is complete."""
    return True


def report(results: dict[int, dict[str, float]]) -> list[str]:
    """The table, with ratios to the one-message session, and what is over its limit."""
    names = list(next(iter(results.values())))
    lines = [f"{'':>12}" + "".join(f"{size:>20,}" for size in results)]
    for name in names:
        cells = ""
        for figures in results.values():
            ratio = figures[name] / max(results[1][name], 1e-9)
            shown = "" if name in NO_RATIO else f" ({ratio:4.1f}x)"
            cells += f"{figures[name]:12.1f}{shown:>8}"
        lines.append(f"{name:>12}{cells}")
    lines.append("times in ms, memory in MB; (ratio to the one-message session)")
    largest = results[max(results)]
    for name, limit in LIMITS.items():
        if largest[name] > limit * results[1][name]:
            lines.append(f"OVER: {name} is more than {limit}x")
    if largest["memory"] > 25:
        lines.append("OVER: memory grows by more than 25 MB")
    if max(figures["block"] for figures in results.values()) > 50:
        lines.append("OVER: the loop was blocked for more than 50 ms")
    lines.append("idle_block: the same with nothing to do; block_cpu: what of it the loop's own")
    lines.append("thread worked. They tell the noise of a busy machine from the viewer's share.")
    return lines


def main() -> None:
    """Run every size in its own process and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--keep", type=Path, help="write the file here, or use the one here")
    parser.add_argument("--one", nargs=2, metavar=("FILE", "SIZE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asyncio.run(measure(options.one[0], int(options.one[1])))))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = (options.keep or Path(folder)) / "viewer.db"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, tuple(options.sizes))
        results = {}
        for size in (1, *options.sizes):
            command = [sys.executable, __file__, "--one", str(path), str(size)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            results[size] = json.loads(done.stdout.splitlines()[-1])
    print("\n".join(report(results)))


if __name__ == "__main__":
    main()
