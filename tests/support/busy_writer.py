"""A stand-in for a live Hermes: writes a message every 5 ms and notes how long it had to wait.

Run as a program of its own, with the standard library's SQLite as Hermes does. Arguments: the
history and a file whose appearance ends it. Prints JSON: the waits in milliseconds, and errors.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time


def main(path: str, end: str) -> None:
    # A connection that knows no cjk_unicode61 could not write once the CJK index has triggers;
    # the history under test is optimized without that index.
    db = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    session = db.execute("SELECT id FROM sessions LIMIT 1").fetchone()[0]
    waits: list[float] = []
    errors: list[str] = []
    print("ready", flush=True)
    number = 0
    while not os.path.exists(end):
        began = time.perf_counter()
        try:
            db.execute("BEGIN IMMEDIATE")
            waits.append((time.perf_counter() - began) * 1000)
            db.execute(
                "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
                (session, "user", f"written meanwhile liveneedle {number}", 2_000_000_000 + number),
            )
            db.execute("COMMIT")
            number += 1
        except sqlite3.Error as error:
            errors.append(str(error))
            if db.in_transaction:
                db.execute("ROLLBACK")
        time.sleep(0.005)
    print(json.dumps({"waits": waits, "errors": errors, "written": number}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
