"""Kills optimize-storage at random moments and checks what the next run makes of it.

Run as a program of its own, because each attempt is a forked child that dies by SIGKILL, which
must not happen in the process of pytest. Arguments: the old history, a working folder, a seed and
the number of kills. Prints one line of JSON for each kill.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import apsw
from old_form import INDEXES, check_sound, found, rows, state

from hermes_tui.storage import chunks
from hermes_tui.storage.optimize import optimize
from hermes_tui.storage.plan import plan

QUERIES = ("docker", '"docker networking"', "postgres OR backup", '"数据库"', "terminal")
chunks.CHUNK_ROWS = 20
# A killed process loses nothing it has handed to the system; only a power cut would need more.
apsw.connection_hooks.append(lambda connection: connection.execute("PRAGMA synchronous = OFF"))


def digest(path: Path) -> str:
    """Everything that must be the same however often a run was killed."""
    answers = [sorted(found(path, index, query)) for index in INDEXES for query in QUERIES]
    return hashlib.sha256(repr((rows(path), state(path), answers)).encode()).hexdigest()


def where_it_stopped(path: Path) -> str:
    """What the file shows of an unfinished run."""
    marks = state(path)
    if "fts_rebuild_high_water" in marks:
        return "filling base and trigram"
    if "fts_cjk_rebuild_high_water" in marks:
        return "filling cjk"
    if any(step.kind == "clean" for step in plan(str(path)).steps):
        return "dropping" if "fts_storage_version" not in marks else "compacting"
    return "before" if "fts_storage_version" not in marks else "after"


def killed_run(path: Path, after: float) -> bool:
    """Start a run and kill it `after` seconds; False when it had already ended."""
    child = os.fork()
    if child == 0:
        optimize(str(path), sleep=lambda _: None)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main(old: Path, folder: Path, seed: int, kills: int) -> None:
    dice = random.Random(seed)
    whole = folder / "whole.db"
    shutil.copyfile(old, whole)
    began = time.perf_counter()
    optimize(str(whole), sleep=lambda _: None)
    length = time.perf_counter() - began
    expected = digest(whole)
    done = 0
    while done < kills:
        path = folder / f"killed-{done}.db"
        for stale in folder.glob(f"{path.name}*"):
            stale.unlink()
        shutil.copyfile(old, path)
        if not killed_run(path, dice.uniform(0, length)):
            length *= 0.9  # the machine has become faster: aim earlier
            continue
        stopped = where_it_stopped(path)
        report = optimize(str(path), sleep=lambda _: None)
        check_sound(path)
        print(json.dumps({
            "stopped": stopped, "finished": report.finished, "same": digest(path) == expected,
            "left": len(plan(str(path)).steps),
        }), flush=True)  # fmt: skip
        path.unlink()
        done += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
