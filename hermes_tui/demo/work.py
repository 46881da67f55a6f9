"""The sample: programming, at work and for fun."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_REBASE = r"""
> I rebased main onto my branch instead of the other way round, and pushed. help
< Breathe: nothing is lost, the reflog has it. Did anyone pull since?
> no, it's 6 am
$ git reflog -6 main
= commits main@{0}: rebase finished; main@{1}: rebase: checkout wip; main@{2}: commit: Fix totals;
  main@{3}: pull; main@{4}: commit: Add export
< `main@{2}` is where main was. Reset to it, keep your branch, force-push with lease.
$ git branch rescue && git reset --hard main@{2} && git push --force-with-lease
| HEAD is now at 41ab0c2 Fix totals
|  + 9f8e7d6...41ab0c2 main -> main (forced update)
> and my work is on `rescue`?
< Yes. Now the right direction: `git switch wip && git rebase main`.
$ git switch wip && git rebase main
| Successfully rebased and updated refs/heads/wip.
> protect main please
< Done in Gitea: pushes to main need a pull request, force pushes are refused even for you.
"""

_ASYNC = r"""
> asyncio service leaks memory, 2 GB after a day. how do I even start
< Count objects first, then find who holds them. tracemalloc costs too much in production; a
  snapshot of types every hour does not.
$ curl -s localhost:8081/debug/types | head -4
| Task            48211
| Future          48198
| Context         48213
| dict            99120
< 48 thousand tasks that never end. Someone creates tasks and waits for something that never
  happens.
$ grep -rn "create_task" src | head
| src/feed.py:88:    asyncio.create_task(self._watch(conn))
| src/jobs.py:12:    asyncio.create_task(run_forever())
! read_file {"path": "src/feed.py", "offset": 80, "limit": 24}
| async def _watch(self, conn):
|     while True:
|         event = await conn.events.get()   # nothing ever arrives after close
|         self.publish(event)
< `_watch` waits on a queue of a closed connection forever. The task is held by the loop, the
  connection by the task.
> so cancel on close?
< A TaskGroup per connection is cleaner: when the connection ends, the group does, and with it
  every watcher.
! patch {"path": "src/feed.py", "old": "asyncio.create_task(self._watch(conn))", "new":
  "group.create_task(self._watch(conn))"}
| patched 1 place
$ pytest -q tests/test_feed.py
= pytest 41 0 tests/test_feed.py
> graph after a day: flat line at 180 MB
< That is the prettiest graph of the month.
"""

_RUST = r"""
> why does this not compile: I push to a Vec while I hold a reference to its first element
< Because a push may move the whole buffer, and the reference would point to freed memory. The
  borrow checker turns that C++ bug into an error message.
> ok but I KNOW there is capacity
< Then say it in types: keep the index instead of the reference, or split the vector with
  split_at_mut, or store the elements in a slotmap.
$ cargo check 2>&1 | tail -9
| \e[31merror[E0502]\e[0m: cannot borrow `items` as mutable because it is also borrowed as
  immutable
|   --> src/main.rs:7:5
|    |
|  6 |     let first = &items[0];
|    |                  ----- immutable borrow occurs here
|  7 |     items.push(4);
|    |     ^^^^^^^^^^^^^ mutable borrow occurs here
|  8 |     println!("{first}");
< Move the print above the push, or `let first = items[0];` since i32 is Copy.
> index it is. I think I finally get it
"""

_NGINX = r"""
> 502 from nginx in front of the api, but only for uploads over 1 MB
$ tail -2 /var/log/nginx/error.log
| 2026/03/24 10:12:01 [error] upstream prematurely closed connection while reading response header
| client intended to send too large body: 1048577 bytes
< Two different errors. The second one is nginx's own limit of 1 MB: `client_max_body_size 50m;`.
> and the first?
< The app answers 413 and closes before it has read the body; nginx reports that as a 502. With
  the limit raised in both places it disappears.
$ sudo nginx -t && sudo systemctl reload nginx && curl -sI -F f=@big.jpg https://api.shop/upload
| nginx: configuration file /etc/nginx/nginx.conf test is successful
= curl 200 https://api.shop/upload
> 👌
"""

_REGEX = r"""
> regex to split "a, b (c, d), e" at commas outside parentheses
< `,\s*(?![^()]*\))` does it for one level: a comma not followed by a closing bracket without an
  opening one in between.
> nested parens?
< Regular expressions cannot count. Twelve lines of Python with a depth counter are clearer than
  any recursive pattern.
> counter it is
"""

_KEYS = r"""
> firmware for my split keyboard: home-row mods misfire when I type fast
< Three settings in ZMK: tapping-term 280 ms, quick-tap 175, and `require-prior-idle-ms = 150`, so
  that a mod cannot start within fast typing. Positional hold-tap as well: only keys of the other
  hand turn it into a modifier.
! write_file {"path": "config/corne.keymap", "content": "hm: homerow_mods {\n  compatible =
  \"zmk,behavior-hold-tap\";\n  flavor = \"balanced\";\n  tapping-term-ms = <280>;\n  quick-tap-ms
  = <175>;\n  require-prior-idle-ms = <150>;\n};\n"}
| wrote 201 bytes
> zero misfires today. witchcraft
"""

_CONTAINERS = r"""
> for the wiki: compare docker networking with podman's and with systemd-nspawn, half a page,
  honest
< **Docker** gives every project a bridge, an embedded DNS and NAT, all run by a root daemon.
  **Podman** rootless has no privileges to make bridges on the host, so traffic goes through a
  user-space helper (pasta); ports below 1024 and source addresses need care, in exchange nothing
  runs as root. **nspawn** leaves the network to systemd-networkd: veth pairs or macvlan, DHCP
  inside, no port publishing, closest to a small machine.
> which would you choose for the shop?
< Docker networking as it is: six services that talk by name is exactly its case. Podman if the
  security audit asks for rootless. nspawn for the one Debian box that must look like a machine.
> one more paragraph about kubernetes?
< Leave it out. Half a page, honest, you said.
> 😄 right
"""

_REVIEW = r"""
> review this: def total(items): return sum([i.price * i.qty for i in items if i]) or None
< Four remarks. The list is not needed inside sum. `if i` hides broken items instead of reporting
  them. `or None` turns a legitimate total of 0 into None. And the prices: if they are floats, the
  total is wrong by cents sooner or later.
> rewrite
< ```python
+ def total(items: Iterable[Item]) -> Decimal:
+     # Decimal(0) for no items
+     return sum((item.price * item.qty for item in items), Decimal(0))
+ ```
> merged
"""

_SQL = r"""
> query for customers who bought in March but not in April, postgres
< ```sql
+ select c.id, c.email from customers c
+ where exists (select 1 from orders o where o.customer_id = c.id
+               and o.created_at >= '2026-03-01' and o.created_at < '2026-04-01')
+   and not exists (select 1 from orders o where o.customer_id = c.id
+               and o.created_at >= '2026-04-01' and o.created_at < '2026-05-01')
+ ```
> why not NOT IN
< If a single customer_id is NULL, `not in` yields no row at all. `not exists` has no such trap.
$ psql -h db17 shop -f march_not_april.sql | tail -1
| (1204 rows)
> marketing is happy
"""

_API = r"""
> summarise the last five commits as release notes
$ git log -5 --oneline
= commits Retry webhooks with jitter; Index open orders; Use Decimal for totals; Drop python 3.10;
  Fix etag for sets
< - Webhooks are retried with random delays
+ - Lists of open orders load much faster
+ - Totals are exact to the cent
+ - Python 3.11 is now required
+ - Caches no longer miss at random
"""

_SPAM = r"""
> 404 storm in the logs, is someone attacking us?
$ awk '$9==404 {print $1}' access.log | sort | uniq -c | sort -rn | head -4
|   8812 203.0.113.50
|    921 198.51.100.7
|     40 192.0.2.14
|     12 192.0.2.99
< One address asks for wp-login.php and .env all day: a scanner, not an attack on you in
  particular. Rate-limit unknown paths and go on.
! write_file {"path": "/srv/traefik/dynamic/ratelimit.yaml", "content":
  "http:\n  middlewares:\n    slow:\n      rateLimit: {average: 5, burst: 20}\n"}
| wrote 72 bytes
> 404s down to a trickle. and .env returns what exactly??
$ curl -sI https://shop.example/.env
= curl 403 https://shop.example/.env
< 403, and the file is not in the web root at all.
> sleeping well then
"""

_LAST = r"""
> half year review: what did I actually do since January? look at my sessions
! session_search {"query": "docker OR postgres OR backup", "limit": 5}
| {"success": true, "mode": "discovery", "count": 5}
< In short: the lab got a real network plan and a rehearsed restore; the shop moved to Postgres 17
  with three minutes of downtime; 22 flaky tests are gone, four of them real bugs; configuration
  shrank from forty files to twenty-six with no secrets in git; and there are now backups at your
  parents' house.
> and privately
< A half marathon under two hours, a minuet, bread that stands up, a scale for bees, and a holiday
  in Greece in ten weeks.
> not a bad half year. next: IPv6?
< You left it in January with "one on one host, not worth it". With two boxes and a new provider
  prefix that no longer changes, it might be.
> tomorrow then
"""

TALKS = (
    Talk(key="rebase", day=139, hour=5.0, script=_REBASE, title="I rebased main", cwd="/srv/shop"),
    Talk(key="async", day=116, hour=9.1, script=_ASYNC, title="Memory leak in the feed service",
         cwd="/srv/shop", model="claude-sonnet-4.5"),
    Talk(key="rust", day=127, hour=20.4, script=_RUST, source="discord", cwd=None, end=None),
    Talk(key="nginx", day=98, hour=6.2, script=_NGINX, title="502 on uploads", cwd="/srv/shop"),
    Talk(key="regex", day=80, hour=14.8, script=_REGEX, source="acp", end=None),
    Talk(key="keys", day=50, hour=21.6, script=_KEYS, title="Home-row mods", source="tui"),
    Talk(key="containers", day=45, hour=13.1, script=_CONTAINERS, source="desktop",
         title="Three ways to network a container"),
    Talk(key="review", day=22, hour=8.8, script=_REVIEW, source="acp", end=None, cwd="/srv/shop"),
    Talk(key="sql", day=57, hour=11.7, script=_SQL, title="March but not April",
         cwd="/srv/shop"),
    Talk(key="api", day=11, hour=9.0, script=_API, source="api_server", end=None, cwd="/srv/shop"),
    Talk(key="spam", day=7, hour=7.7, script=_SPAM, title="404 storm", cwd="/srv/shop"),
    Talk(key="last", day=0, hour=0, script=_LAST, title="Half a year", end=None),
)  # fmt: skip
