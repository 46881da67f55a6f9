"""The sample: a shop's database moves to Postgres 17, table by table, in one very long session."""

from __future__ import annotations

from hermes_tui.demo.postgres_later import BRANCH, LATER, OUTSIDE_VIEW
from hermes_tui.demo.postgres_tables import TABLES
from hermes_tui.demo.script import Talk

_START = r"""
> The shop database has to move from Postgres 12 to 17 before the old server's support ends in
  June. 38 tables, 210 GB. I want to go through them one by one with you and write down what is
  odd about each.
? Long session ahead. Establish the method first: dump and restore per table into a staging
  server, verify, note.
< Good plan for a staging run: we restore each table into the new server, compare counts and
  checksums, fix what is odd, and keep the notes. The real move can then be logical replication
  with a short stop. First the overview.
$ psql -h db12 shop -c "select count(*) from pg_tables where schemaname='shop'"
|  count
| -------
|     38
< And the extensions, they decide more than the tables do.
$ psql -h db12 shop -c "\dx"
|    Name    | Version |   Schema
| -----------+---------+------------
|  citext    | 1.6     | public
|  hstore    | 1.6     | public
|  pg_trgm   | 1.4     | public
|  uuid-ossp | 1.1     | public
> all of them exist in 17?
< All four do, with newer versions. `hstore` and `uuid-ossp` are candidates for retirement: jsonb
  and the built-in gen_random_uuid() do the work now. Not during the move, though. One change at a
  time.
> agreed. collation? the old box is Debian 10
< That is the trap. Between glibc 2.27 and 2.28 the sort order changed, so every text index must
  be rebuilt. Dump and restore does that for us, streaming the data files would not.
$ pg_dump -h db12 -s shop | psql -h db17 shop_staging 2>&1 | grep -c ERROR
| 3
< Three errors. All from `CREATE FUNCTION ... LANGUAGE plpythonu`, Python 2, which is gone. What
  do these functions do?
> one formats phone numbers, two are dead since 2019. I'll port the phone one
$ psql -h db17 shop_staging -c "select format_phone('0301234567')"
|  format_phone
| ----------------
|  +49 30 1234567
< The port works. Then table by table, smallest first.
"""

_END = r"""
> that was the last one?
< That was the last. 38 of 38 restored and compared. Let me run the whole comparison once more in
  one go.
$ ./compare.sh --all --parallel 4
= verify everything
> and the application tests against staging
$ DATABASE_URL=postgres://db17/shop_staging pytest -q tests
= pytest 1412 2 tests/test_reports.py::test_weekly_totals
< Two failures, both in weekly totals: they rely on an implicit order. Postgres 12 happened to
  return rows in index order, 17 uses an incremental sort and does not. Add the ORDER BY the query
  always needed.
> fixed, 1414 green. What does the move itself look like?
< Logical replication: publication on 12, subscription on 17, initial copy over a night, then
  catch-up. On the day: stop writes, wait for zero lag, bump the sequences, switch the pooler. I
  expect four minutes of read-only shop.
> Sequences! you said they don't replicate
< They do not. After catch-up, `setval` for each of the 31 sequences, with a margin of a thousand.
> Write the runbook then, this chat is getting long
! write_file {"path": "/srv/shop/MIGRATION.md", "content": "# Move to 17\n1. publication on db12,
  all tables\n2. schema + subscription on db17\n3. wait: pg_stat_subscription lag 0\n4. pgbouncer
  PAUSE\n5. setval +1000 for 31 sequences\n6. pgbouncer: host=db17, RESUME\n7. analyze; watch
  pg_stat_statements\n8. keep db12 readonly for a week\n"}
| wrote 334 bytes
< Runbook written. When the session is compacted, this file is what to keep.
"""


def _stanza(position: int) -> str:
    """The exchange about one table."""
    table = TABLES[position]
    lines = [f"> {table.asked}", f"< {table.first}" if table.first else ""]
    lines += [f"$ {_COMMANDS[position % len(_COMMANDS)].format(table.name)}"]
    lines += [f"= restore {table.name}"]
    if table.looked:
        lines += [f"$ {table.looked}", *table.saw.splitlines()]
    lines += [f"< {table.found}"]
    if table.answered:
        lines += [f"> {table.answered}"]
    if position % 3 != 1:
        lines += [f"$ ./compare.sh {table.name}", f"= verify {table.name}"]
        lines += [f"< {table.closed}"]
    return "\n".join(line for line in lines if line)


_COMMANDS = (
    "pg_dump -h db12 -Fc -t shop.{0} shop | pg_restore -v -d shop_staging",
    "pg_restore -v -j4 -t {0} -d shop_staging nightly.dump",
    "./copy_table.sh {0}",
)

_LONG = "\n".join((_START, *(_stanza(n) for n in range(len(TABLES))), _END))

TALKS = (
    Talk(
        key="pg-1", day=98, hour=8.1, script=_LONG, title="Postgres migration", source="tui",
        end="compression", cwd="/srv/shop", model="claude-sonnet-4.5",
    ),
    Talk(
        key="pg-2", day=97, hour=0, script=LATER, source="tui", parent="pg-1", edge="compression",
        end="branched", cwd="/srv/shop", model="claude-sonnet-4.5",
    ),
    Talk(
        key="pg-branch", day=96, hour=0, script=BRANCH, source="tui", parent="pg-2",
        edge="branch", copies=8, cwd="/srv/shop", model="claude-sonnet-4.5",
        title="Postgres migration (what if we just use pg_upgrade)",
    ),
    Talk(
        key="pg-review", day=98, hour=0, script=OUTSIDE_VIEW, source="subagent", parent="pg-2",
        edge="delegate", end="agent_close", model="hermes-4-70b", cwd="/srv/shop",
    ),
)  # fmt: skip
