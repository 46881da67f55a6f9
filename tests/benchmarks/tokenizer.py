"""How fast each tokenizer fills an index: MB/s of all four in one run, and what C costs.

    python tests/benchmarks/tokenizer.py [--history STATE.DB] [--rounds 3]

Without a history, the text is made here: chat, code and logs, a sixth of the characters CJK. The
figure that has to hold is the last line: the C tokenizer at least half as fast as unicode61.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import apsw

from hermes_tui.history import tokenizer

SOURCE = Path(__file__).parents[2] / "native" / "fts5_cjk" / "cjk_unicode61.c"
ROWS: tuple[tuple[str, str, tokenizer.Kind], ...] = (
    ("unicode61", "unicode61", "python"),
    ("cjk_unicode61, C", tokenizer.NAME, "c"),
    ("cjk_unicode61, Python", tokenizer.NAME, "python"),
    ("trigram", "trigram", "python"),
)
_ENGLISH = "the container network bridge restarts after docker compose reads its configuration"
_CODE = "def read_config(path): return {k.strip(): v for k, v in json.load(open(path)).items()}"
_LOG = "2026-01-09T09:14:02Z WARN eth0: Zürich gateway café-01 dropped 4096 packets (0x7f)"
_CJK = (
    "修改服务端的网络配置然后重启容器",
    "設定ファイルを確認してください",
    "네트워크 설정을 확인하고 다시 시작",
)


def sample(size: int) -> list[str]:
    """About `size` bytes of messages, the same ones every time."""
    rng = random.Random(20260804)
    messages: list[str] = []
    while size > 0:
        lines = []
        for _ in range(rng.randrange(2, 20)):
            text = rng.choice((_ENGLISH, _ENGLISH, _CODE, _LOG, *_CJK))
            words = text.split(" ")
            lines.append(f"{' '.join(rng.sample(words, len(words)))} {rng.randrange(10_000)}")
        messages.append("\n".join(lines))
        size -= len(messages[-1].encode())
    return messages


def stored(path: str) -> list[str]:
    """The contents of a history's messages."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("select cast(content as blob) from messages where content <> ''")
    return [row[0].decode(errors="replace") for row in rows]


def library(folder: str) -> str:
    """The C tokenizer: the one built with the package, else one compiled into `folder`."""
    built = tokenizer.built_library()
    if built is not None:
        return str(built)
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        sys.exit("No C tokenizer is installed, and there is no compiler to build one.")
    target = Path(folder) / "libfts5_cjk.so"
    command = [compiler, "-O2", "-shared", "-fPIC", str(SOURCE), "-o", str(target)]
    subprocess.run(command, check=True)
    return str(target)


def seconds(messages: list[str], name: str, kind: tokenizer.Kind, c_library: str) -> float:
    """How long one index of all messages takes."""
    connection = apsw.Connection(":memory:")
    environ = {tokenizer.LIBRARY_VARIABLE: c_library}
    if tokenizer.register(connection, prefer=kind, environ=environ) != kind:
        sys.exit(f"The tokenizer in {kind} cannot be used here.")
    connection.execute(f"create virtual table t using fts5(x, content='', tokenize='{name}')")
    rows = [(message,) for message in messages]
    start = time.perf_counter()
    with connection:
        connection.executemany("insert into t(x) values(?)", rows)
    taken = time.perf_counter() - start
    connection.close()
    return taken


def main() -> int:
    """Print the table; 1 when C is less than half as fast as unicode61."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--history", help="take the messages of this state.db")
    parser.add_argument("--rounds", type=int, default=3, help="of which the fastest counts")
    arguments = parser.parse_args()
    messages = stored(arguments.history) if arguments.history else sample(4_000_000)
    size = sum(len(message.encode()) for message in messages)
    print(f"{len(messages):,} messages, {size / 1e6:.1f} MB")
    rates: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        c_library = library(folder)
        best = {label: float("inf") for label, _, _ in ROWS}
        for _ in range(arguments.rounds):  # in turn, so that a busy moment hits all alike
            for label, name, kind in ROWS:
                best[label] = min(best[label], seconds(messages, name, kind, c_library))
        rates = {label: size / 1e6 / taken for label, taken in best.items()}
    for label, rate in rates.items():
        print(f"{label:<24}{rate:7.1f} MB/s")
    ratio = rates["cjk_unicode61, C"] / rates["unicode61"]
    print(f"C / unicode61{ratio:18.2f}")
    return 0 if ratio >= 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
