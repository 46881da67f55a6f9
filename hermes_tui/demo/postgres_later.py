"""The sample: the day of the Postgres move, a branch that asks what if, and an outside view."""

from __future__ import annotations

LATER = r"""
> [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. Staging run of the shop
  database from Postgres 12 to 17 finished: 38 of 38 tables compared equal, 1414 tests green.
  Runbook in /srv/shop/MIGRATION.md: logical replication, pause pgbouncer, setval for 31
  sequences, switch, keep db12 read-only for a week.
~ wait 92
> today is the day. replication has been running since Friday
< Then we walk the runbook together. Lag first.
$ psql -h db17 shop -c "select subname, pid, received_lsn, latest_end_lsn from
  pg_stat_subscription"
|  subname  |  pid  | received_lsn | latest_end_lsn
| ----------+-------+--------------+----------------
|  shop_sub | 41877 | 6A/1F0E8B20  | 6A/1F0E8B20
< Zero lag. Before anything is paused, I would like a second opinion on the runbook.
! delegate_task {"goal": "Review /srv/shop/MIGRATION.md as someone who has never seen it. What
  would go wrong?", "context": "Postgres 12 to 17, logical replication, pgbouncer in front"}
| {"results": [{"status": "completed", "summary": "Two gaps: no check that large objects are
  unused (logical replication skips them), and no step that disables the nightly vacuum job on
  db12 while it is read-only."}]}
> large objects... do we have any?
$ psql -h db12 shop -c "select count(*) from pg_largeobject_metadata"
|  count
| -------
|      0
< None. And the vacuum job is in cron on db12, I commented it out. Ready when you are.
> shop is in maintenance mode. go
$ psql -p 6432 pgbouncer -c "PAUSE shop"
| PAUSE
$ psql -h db17 shop -f setval.sql
| setval
| --------
| (31 rows)
< All 31 sequences are a thousand ahead. Switching the pooler.
$ sed -i 's/host=db12/host=db17/' /etc/pgbouncer/pgbouncer.ini && psql -p 6432 pgbouncer -c
  "RELOAD" -c "RESUME shop"
| RELOAD
| RESUME
> orders are coming in!! how long was that
< 3 minutes 12 seconds between PAUSE and RESUME. Let me watch the errors for a while.
$ docker logs --tail 40 shop-app
= log app 40
< Two retries against an upstream that has nothing to do with us. Query times look like this:
$ psql -h db17 shop -c "select round(mean_exec_time), calls, left(query, 40) from
  pg_stat_statements order by 1 desc limit 4"
|  round | calls | left
| -------+-------+------------------------------------------
|    212 |    88 | select p.*, s.qty from products p join s
|     61 |  9021 | select o.* from orders o where o.custome
|     14 |  5533 | update carts set touched_at = $1 where i
|      3 | 90011 | select 1
> the 212 one was 90 on the old box
< It joins products with stock and picks a nested loop because stock has no statistics yet.
  ANALYZE ran on the big tables only.
$ psql -h db17 shop -c "analyze verbose shop.stock"
| INFO:  analyzing "shop.stock"
| INFO:  "stock": scanned 412 of 412 pages, containing 30211 live rows
$ psql -h db17 shop -c "explain analyze select p.*, s.qty from products p join stock s using
  (sku)"
= explain products
> 48 ms. Better than before. I'm going to lie down
< Do. I will leave db12 read-only and remind you in a week. One leftover: the reporting user still
  has the old host in its connection string.
> fixed from bed
~ wait 171
> a week later: nobody complained, delete db12?
< Take a last dump to cold storage first, then yes.
$ pg_dump -h db12 -Fc shop > /backup/shop-final-12.dump && ls -lh /backup/shop-final-12.dump
| -rw-r--r-- 1 mara mara 38G Apr  4 09:12 /backup/shop-final-12.dump
$ restic -r sftp:lab2:/backup backup /backup/shop-final-12.dump
= restic /backup
> wiped. End of an era: 2019-2026
< It served well. The migration notes are in the repository now, 38 tables and one runbook.
"""

BRANCH = r"""
> thought experiment: what if we had just run pg_upgrade with --link?
< It would have taken about two minutes, since hard links replace the copy. Three things speak
  against it here: the collation change from Debian 10 means every text index is suspect, there is
  no way back after the first start on 17, and old and new must be on one machine.
> reindex everything after?
< `reindex database` on 210 GB was about 95 minutes in your staging run. During which unique text
  indexes may already be wrong, and a wrong unique index accepts duplicates silently. That risk is
  why I would not.
$ psql -h db17 shop -c "select sum(pg_relation_size(indexrelid))/1e9 from pg_index where
  indcollation::text <> '0'"
|  ?column?
| ----------
|    61.8
< 62 GB of indexes contain text.
> ok ok, replication was right. keeping this branch as a note to self
"""

OUTSIDE_VIEW = r"""
> Review /srv/shop/MIGRATION.md as someone who has never seen it. What would go wrong?
! read_file {"path": "/srv/shop/MIGRATION.md"}
| # Move to 17
| 1. publication on db12, all tables
| 2. schema + subscription on db17
| 3. wait: pg_stat_subscription lag 0
| 4. pgbouncer PAUSE
| 5. setval +1000 for 31 sequences
$ crontab -l -u postgres
| 15 2 * * * /usr/local/bin/nightly_vacuum.sh
< Two gaps. Large objects are not replicated; check that there are none. And the nightly vacuum on
  db12 will fail, loudly, while the server is read-only. Apart from that the order is right:
  sequences after the pause, never before.
"""
