"""Tool output for the sample: what a terminal would have printed, from a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
RED, GREEN, YELLOW, DIM, BOLD, RESET = (f"\x1b[{n}m" for n in (31, 32, 33, 2, 1, 0))


class Dice:
    """Numbers that are the same on every machine and every Python version.

    Only random.random() is drawn from: its sequence for a seed is a promise, that of choice()
    and randint() is not.
    """

    def __init__(self, key: str) -> None:
        self._random = random.Random(f"hermes-tui sample {key}")

    def between(self, low: float, high: float) -> float:
        """A number from low up to high."""
        return low + (high - low) * self._random.random()

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int((high - low + 1) * self._random.random())

    def chance(self, share: float) -> bool:
        """True in `share` of the calls."""
        return self._random.random() < share

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return choices[self.whole(0, len(choices) - 1)]

    def hex(self, digits: int) -> str:
        """That many hexadecimal digits."""
        return "".join("0123456789abcdef"[self.whole(0, 15)] for _ in range(digits))


def output(recipe: str, dice: Dice) -> str:
    """The text of a recipe line such as `ping 192.168.20.1`; KeyError for an unknown recipe."""
    name, _, arguments = recipe.partition(" ")
    return _RECIPES[name](arguments, dice)


def _ps(names: str, dice: Dice) -> str:
    lines = ["CONTAINER ID   IMAGE                     STATUS                 NAMES"]
    for name in names.split():
        image = f"{name}:{dice.whole(1, 17)}.{dice.whole(0, 9)}"
        status = f"Up {dice.whole(2, 50)} hours"
        if dice.chance(0.2):
            status = f"{YELLOW}Restarting (1) {dice.whole(3, 50)}s ago{RESET}"
        lines.append(f"{dice.hex(12)}   {image:<25} {status:<22} {name}")
    return "\n".join(lines)


def _netls(names: str, dice: Dice) -> str:
    lines = ["NETWORK ID     NAME              DRIVER    SCOPE"]
    for name in ("bridge", "host", *names.split()):
        driver = "host" if name == "host" else "macvlan" if "lan" in name else "bridge"
        lines.append(f"{dice.hex(12)}   {name:<17} {driver:<9} local")
    return "\n".join(lines)


def _ping(host: str, dice: Dice) -> str:
    lines = [f"PING {host} 56(84) bytes of data."]
    times = [dice.between(0.2, 41) for _ in range(4)]
    for sequence, time in enumerate(times, 1):
        lines.append(f"64 bytes from {host}: icmp_seq={sequence} ttl=63 time={time:.2f} ms")
    lines.append(f"rtt min/avg/max = {min(times):.2f}/{sum(times) / 4:.2f}/{max(times):.2f} ms")
    return "\n".join(lines)


_LOG = {
    "traefik": ("GET /api/health 200", "GET / 304", "certificate renewed for git.lab",
                "GET /ws 101", "router git@docker matched", "GET /favicon.ico 404"),
    "postgres": ("checkpoint starting: time", "checkpoint complete: wrote 812 buffers",
                 "connection authorized: user=shop", "automatic vacuum of table shop.orders",
                 "duration: 1204 ms statement: SELECT", "connection reset by peer"),
    "app": ("job invoice.render done", "cache miss for product:4711", "pool checkout took 12 ms",
            "user signed in", "webhook delivered", "retrying in 2 s: upstream timed out"),
    "gitea": ("push to mara/dotfiles", "mirror sync finished", "login ok", "gc finished",
              "hook delivered in 88 ms"),
    "hass": ("light.hallway turned on", "zigbee2mqtt: device_joined", "automation.night started",
             "sensor.boiler unavailable", "mqtt reconnected"),
}  # fmt: skip


def _log(arguments: str, dice: Dice) -> str:
    """`log SERVICE COUNT`: a service's log, coloured by level."""
    service, _, count = arguments.partition(" ")
    second = dice.whole(0, 40_000)
    lines = []
    for _ in range(int(count)):
        second += dice.whole(1, 45)
        roll = dice.whole(0, 9)
        level = f"{RED}ERROR{RESET}" if roll == 0 else "INFO"
        if roll in (1, 2):
            level = f"{YELLOW}WARN{RESET}"
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        text = dice.pick(_LOG[service])
        lines.append(f"{DIM}{clock}{RESET} {level} [{dice.hex(6)}] {text}")
    return "\n".join(lines)


def _count(table: str, dice: Dice) -> str:
    return f" count \n---------\n {dice.whole(1_200, 4_800_000)}\n(1 row)   -- {table}"


def _explain(table: str, dice: Dice) -> str:
    cost, rows, time = dice.between(200, 90_000), dice.whole(40, 90_000), dice.between(2, 4_000)
    scan = dice.pick(("Seq Scan", "Index Scan using " + table + "_pkey", "Bitmap Heap Scan"))
    return (
        f"{scan} on {table}  (cost=0.43..{cost:.2f} rows={rows} width={dice.whole(16, 320)})"
        f"\n  Filter: (updated_at > (now() - '7 days'::interval))"
        f"\n  Rows Removed by Filter: {dice.whole(0, rows * 3)}"
        f"\nPlanning Time: {dice.between(0.1, 3):.3f} ms\nExecution Time: {time:.3f} ms"
    )


def _restore(table: str, dice: Dice) -> str:
    rows, seconds = dice.whole(1_000, 2_400_000), dice.between(0.4, 190)
    return (
        f'pg_restore: processing data for table "shop.{table}"\nCOPY {rows}\n'
        f"pg_restore: finished item {dice.whole(2900, 3600)} TABLE DATA {table} ({seconds:.1f} s)"
    )


def _verify(table: str, dice: Dice) -> str:
    digest = dice.hex(32)
    return (
        f"old  {table:<22} rows={dice.whole(900, 999_999)} md5={digest}\n"
        f"new  {table:<22} rows=(same) md5={digest}\n{GREEN}match{RESET}"
    )


def _pytest(arguments: str, dice: Dice) -> str:
    """`pytest PASSED FAILED NAME`: the end of a test run."""
    passed, failed, name = arguments.split(" ", 2)
    lines = [f"{BOLD}collected {int(passed) + int(failed)} items{RESET}"]
    seconds = dice.between(1, 90)
    if int(failed):
        lines += [
            f"{RED}FAILED{RESET} {name} - AssertionError: expected {dice.whole(2, 9)} rows, got"
            f" {dice.whole(0, 1)}",
            f"{RED}{failed} failed{RESET}, {passed} passed in {seconds:.2f}s",
        ]
    else:
        lines.append(f"{GREEN}{passed} passed{RESET} in {seconds:.2f}s ({name})")
    return "\n".join(lines)


def _df(names: str, dice: Dice) -> str:
    lines = ["Filesystem            Size  Used Avail Use% Mounted on"]
    for name in names.split():
        size, share = dice.whole(40, 7_400), dice.whole(18, 96)
        used = size * share // 100
        lines.append(f"{name:<20} {size:>4}G {used:>4}G {size - used:>4}G  {share}% /{name}")
    return "\n".join(lines)


def _commits(subjects: str, dice: Dice) -> str:
    """`commits a; b; c`: a short git log."""
    return "\n".join(f"{YELLOW}{dice.hex(7)}{RESET} {s.strip()}" for s in subjects.split(";"))


def _restic(path: str, dice: Dice) -> str:
    new, changed = dice.whole(3, 900), dice.whole(3, 400)
    return (
        f"Files:       {new:>5} new, {changed:>5} changed, {dice.whole(4_000, 90_000)} unmodified\n"
        f"Added to the repository: {dice.between(2, 900):.3f} MiB\n"
        f"processed {path} in {dice.whole(0, 9)}:{dice.whole(10, 59)}\n"
        f"snapshot {dice.hex(8)} saved"
    )


def _curl(arguments: str, dice: Dice) -> str:
    """`curl STATUS URL`: headers of an answer."""
    status, _, url = arguments.partition(" ")
    word = {"200": "OK", "502": "Bad Gateway", "301": "Moved Permanently", "403": "Forbidden"}
    return (
        f"HTTP/1.1 {status} {word.get(status, 'Unknown')}\nserver: traefik\n"
        f"x-request-id: {dice.hex(16)}\ncontent-length: {dice.whole(0, 9_000)}\n({url})"
    )


_RECIPES: dict[str, Callable[[str, Dice], str]] = {
    "ps": _ps,
    "netls": _netls,
    "ping": _ping,
    "log": _log,
    "count": _count,
    "explain": _explain,
    "restore": _restore,
    "verify": _verify,
    "pytest": _pytest,
    "df": _df,
    "commits": _commits,
    "restic": _restic,
    "curl": _curl,
}
