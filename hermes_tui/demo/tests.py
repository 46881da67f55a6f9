"""The sample: a week of flaky tests, one after the other."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

# (test, what the user said, what reading it showed, the fix and how it ended)
_FLAKES: tuple[tuple[str, str, str, str], ...] = (
    ("test_orders.py::test_newest_first", "CI red again. We re-run until green and I hate it. Let"
     " us fix every flaky test, one per coffee. First: newest_first, fails one in twenty",
     "Two orders are created within the same microsecond on a fast machine and the sort has no"
     " tie-breaker.", "Order by created_at, then id. A thousand runs, none red."),
    ("test_mail.py::test_digest", "the digest one fails only at night",
     "It compares a date made with `date.today()` with one from the database, which thinks in UTC."
     " Between midnight and two they disagree.", "A fixed clock through the fixture you already"
     " have. Passes at a faked 00:30."),
    ("test_cache.py::test_expires", "test_expires sleeps 1 s and is still flaky?!",
     "It sleeps one second for a TTL of one second. Sometimes 0.9998 elapsed on the other clock.",
     "No sleep at all: move the clock by two seconds. The test now takes 3 ms."),
    ("test_api.py::test_parallel_checkout", "parallel_checkout. I'm scared of this one",
     "It is right to be red: two checkouts can both see stock 1. The test found a real race.",
     "`update ... where qty >= n` and check the row count. That was a bug, not a flake."),
    ("test_search.py::test_ranking", "ranking differs on my Mac and on CI",
     "The collation: CI runs Debian with glibc, your Mac does its own thing, and the tie between"
     " two equal ranks is decided by the title.", "Ties are decided by id now, on both."),
    ("test_import.py::test_big_csv", "big_csv times out, but only on Mondays",
     "On Mondays the runner also rotates its cache, so the disk is slow. The test reads a 300 MB"
     " file to prove that we stream.", "It now counts how many bytes are held, with a 2 MB file."),
    ("test_webhook.py::test_retry", "retry expects three calls and sometimes gets four",
     "The backoff is jittered with the global random, and another test seeds it. Order of tests"
     " decides.", "A random source is passed in. Shuffled runs agree."),
    ("test_sessions.py::test_logout", "logout",
     "It leaves a row behind that the next module trips over. The transaction fixture is module"
     "-wide here and function-wide everywhere else.", "Function-wide, like the others."),
    ("test_images.py::test_thumbnail", "thumbnail differs by one pixel value sometimes",
     "The resize uses all cores and libjpeg-turbo picks another code path on AMD machines.",
     "Compare with a tolerance of two levels. Bytes of a JPEG are not a contract."),
    ("test_pdf.py::test_invoice", "invoice pdf, compare by bytes, hmm",
     "The creation date and a random document id sit in the file.", "Compare the extracted text"
     " and the page count; freeze the date for good measure."),
    ("test_feed.py::test_etag", "etag",
     "The hash runs over a dict with a set inside; set order depends on PYTHONHASHSEED.",
     "Sort before hashing. Also fixes a real cache miss in production."),
    ("test_ws.py::test_reconnect", "the websocket one, my nemesis",
     "It waits for a log line to appear with a poll of 50 ms, five times. Under load the reconnect"
     " takes 300 ms.", "Wait for the event the client already exposes instead of for text."),
    ("test_rates.py::test_chf", "CHF rounding",
     "float arithmetic: 0.05 steps cannot be represented, and the order of summation changes with"
     " the thread pool.", "Decimal, quantised once at the end. Deterministic."),
    ("test_locks.py::test_stale", "stale lock",
     "A pid file test that assumes pid 99999 is free. On the new runners pid_max is four million"
     " and it is not.", "Start a child, wait for it, use its pid: certainly dead."),
    ("test_ports.py::test_bind", "bind: address already in use",
     "Port 8080 is hard-coded, and jobs share a host. Asking for port 0 and reading back what we"
     " got is the only safe way.", "Port 0. Two hundred parallel runs, no collision."),
    ("test_tz.py::test_dst", "dst. fails twice a year, exactly when I'm on holiday",
     "It adds 24 hours and expects the same wall time. In the spring night that is an hour off.",
     "Add a calendar day in the zone, then convert. Tested on both nights of 2026."),
    ("test_queue.py::test_order", "queue order, FIFO my foot",
     "Two workers take from one queue; the second can finish first. The test promises an order the"
     " code never did.", "It asserts the set of results, plus order for a single worker."),
    ("test_disk.py::test_full", "disk full simulation fails in containers",
     "It mounts a loop device and needs privileges that the new runner no longer gives.",
     "A file object that raises ENOSPC after n bytes does the same without root."),
    ("test_idn.py::test_domain", "idn one fails since the base image update",
     "The image now brings libidn2, so `straße.example` stays ß instead of becoming ss.",
     "We pin the rule ourselves with the idna package; the system no longer matters."),
    ("test_locale.py::test_price", "price formatting",
     "setlocale is process-wide, and a test in another module leaves it at de_DE.",
     "Babel with an explicit locale; nothing global is touched."),
    ("test_big.py::test_memory", "memory test: limit 200 MB, measured 203",
     "RSS includes what earlier tests left in the allocator. Alone it measures 140.",
     "It runs in a subprocess now and measures only itself."),
    ("test_net.py::test_offline", "and the offline one that needs the internet, irony",
     "It resolves example.com to prove that nothing is contacted. DNS is the contact.",
     "A socket guard raises on any connect; the test passes with the cable out."),
)  # fmt: skip

_START = r"""
> How many different tests failed on main in the last month?
$ gh run list --branch main --status failure --limit 200 --json databaseId | python flaky.py
| 22 tests failed at least once and passed on a re-run of the same commit
"""

_END = r"""
> all 22 done?! in one week?
< All twenty-two. Four were real bugs: the checkout race, the etag cache miss, the CHF rounding
  and the leaking session row. The rest were clocks, ports, order and shared state.
$ for i in $(seq 20); do pytest -q -p randomly || break; done
= pytest 1436 0 twenty shuffled runs
> remove the automatic re-run from CI then. If it's red it's red
! patch {"path": ".gitea/workflows/ci.yaml", "old": "--reruns 3", "new": ""}
| patched 1 place
< Removed. I would also print the random seed at the end of each run, so that the next one can be
  repeated.
> yes. and a slide for Friday: "clocks, ports, order, shared state"
"""


def _stanza(position: int) -> str:
    name, asked, seen, fixed = _FLAKES[position]
    path = name.partition("::")[0]
    lines = [f"> {asked}"]
    if position % 4 == 0:
        lines += [f"$ pytest -q --count 200 tests/{name}", f"= pytest 200 {7 + position} {name}"]
    lines += [f'! read_file {{"path": "tests/{path}", "limit": 40}}']
    lines += [f"| def {name.partition('::')[2]}(db, clock):", "|     ..."]
    lines += [f"< {seen}"]
    lines += [f"$ pytest -q --count 1000 tests/{name}", f"= pytest 1000 0 {name}"]
    lines += [f"< {fixed}"]
    if position % 4 == 3:
        lines += ["~ wait 21"]
    return "\n".join(lines)


TALKS = (
    Talk(
        key="flaky", day=34, hour=7.2, title="Flaky tests, one per coffee", cwd="/srv/shop",
        script="\n".join((_START, *(_stanza(n) for n in range(len(_FLAKES))), _END)),
        end="tui_shutdown", source="tui", model="claude-opus-4.5",
    ),
)  # fmt: skip
