"""Runs where hermes-agent is installed, as a black box: it writes a history and answers calls.

`python run_hermes.py JOB ANSWERS`: JOB is a JSON file with `db`, and `write` (sessions as
tests/support/plain_history.py makes them) or null, and `ask` (argument objects of session_search).
The answers go to ANSWERS as a JSON list. Nothing of this project is imported here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hermes_state import SessionDB  # type: ignore[import-not-found]
from tools.session_search_tool import session_search  # type: ignore[import-not-found]


def main(job_file: str, answers_file: str) -> None:
    """Do the job."""
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    db = SessionDB(Path(job["db"]))
    try:
        if job["write"]:
            write(db, job["write"])
        answers = [json.loads(session_search(db=db, **arguments)) for arguments in job["ask"]]
    finally:
        db.close()
    Path(answers_file).write_text(json.dumps(answers), encoding="utf-8")


def write(db: Any, history: dict[str, Any]) -> None:
    """Write sessions, then their messages in the order of time, as the agent would."""
    for session in history["sessions"]:
        db.create_session(
            session["id"],
            session["source"],
            model=session["model"],
            model_config=session["model_config"],
            parent_session_id=session["parent_id"],
        )
        if session["title"]:
            db.set_session_title(session["id"], session["title"])
    rewound: dict[str, int] = {}
    for message in history["messages"]:
        session_id = message["session_id"]
        if not message["rewound"] and session_id in rewound:
            db.rewind_to_message(session_id, rewound.pop(session_id))
        written = db.append_message(session_id, **message["fields"], timestamp=message["timestamp"])
        if message["rewound"]:
            rewound.setdefault(session_id, written)
    for session_id, first in rewound.items():
        db.rewind_to_message(session_id, first)
    for session in history["sessions"]:
        if session["end_reason"]:
            db.end_session(session["id"], session["end_reason"])


if __name__ == "__main__":
    main(*sys.argv[1:])
