"""The sample: what was odd about each table of the shop database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableNote:
    """What was said about one table: the question, the finding, and how it ended.

    first: said before the restore. looked, saw: a second command and its output. answered: what
    the user said to the finding.
    """

    name: str
    asked: str
    found: str
    closed: str
    answered: str = ""
    first: str = ""
    looked: str = ""
    saw: str = ""


def _psql(query: str) -> str:
    return f'psql -h db17 shop_staging -c "{query}"'


T = TableNote
TABLES: tuple[TableNote, ...] = (
    T("countries", "countries, should be trivial",
      "249 rows and a citext code column. The restore is instant; the only novelty is that the"
      " collation is now written down as de_DE.utf8 instead of inherited.",
      "Equal. Trivial as promised."),
    T("currencies", "currencies next",
      "The exchange rate is `real`. Sums over it differ in the seventh digit between machines."
      " I would make it numeric(18,8), after the move.",
      "Equal for now, with a note to change the type.",
      answered="oh that explains the cent in the Swiss report. note it"),
    T("tax_rates", "tax_rates, careful, the accountant looks at this one",
      "It carries an exclusion constraint over a daterange, so no two rates overlap. It restored"
      " cleanly, which proves the old data never overlapped either.",
      "Equal, constraint valid.", first="I will restore it with constraints at the end.",
      looked=_psql("\\d tax_rates"),
      saw="| EXCLUDE USING gist (country WITH =, valid WITH &&)\n| \"tax_rates_pkey\" btree (id)"),
    T("languages", "languages",
      "Nine rows. Someone stored Norwegian twice, as `no` and `nb`; both are referenced.",
      "Equal. Merging `no` into `nb` is a data question, not ours.",
      answered="marketing wants both, do not ask"),
    T("users", "now the big personal one, users",
      "412 addresses differ only in upper and lower case. They are distinct in a text column, and"
      " the planned citext unique index would refuse them.",
      "Equal. The 412 pairs are in users_case.csv for support.",
      first="Before the copy I check the e-mail column for case twins.",
      looked=_psql("select lower(email), count(*) from users group by 1 having count(*) > 1"),
      saw="|  lower            | count\n|  ana@example.org  |     2\n|  ben@example.org  |     3",
      answered="export them, support will merge by hand"),
    T("user_tokens", "user_tokens, can we just skip it? they expire",
      "They live 30 days. Skipping logs everyone out once; copying costs eleven seconds. I copied.",
      "Equal.", answered="fine, cheap kindness"),
    T("addresses", "addresses",
      "The format_phone() function runs in a CHECK here, which is why its port had to come first."
      " Two rows from 2014 fail the new version: they hold a fax number with a letter O for zero.",
      "Equal after the two fixes.", answered="lol. fix them in the source, I'll sign it off"),
    T("sessions_web", "sessions_web is 40 GB of nothing",
      "Unlogged table. Logical replication ignores unlogged tables, and a crash truncates them"
      " anyway. It should be created empty on the new side.",
      "Created empty, on purpose.", answered="so 40 GB less to move, love it"),
    T("categories", "categories, it's a tree with ltree?",
      "Not ltree but a self-made path in text, `/12/40/7`. Sort order under the new collation"
      " changes because punctuation is no longer ignored: the menu would reorder.",
      "Equal, and the path column is now COLLATE \"C\".",
      looked=_psql("select path from categories order by path limit 3"),
      saw="|  /1/\n|  /10/\n|  /1/2/",
      answered="good catch, set C collation on that column in the new schema"),
    T("products", "products. 30k rows, triggers everywhere",
      "Six triggers; restoring with them enabled would write 30 thousand audit rows. I restored"
      " with session_replication_role = replica and checked that they are active afterwards.",
      "Equal, triggers on.", first="First the triggers.",
      looked=_psql("select tgname, tgenabled from pg_trigger where tgrelid='products'::regclass"),
      saw="|  products_audit   | O\n|  products_search  | O\n|  products_touch   | O"),
    T("product_texts", "product_texts, all the descriptions in nine languages",
      "The trigram index takes longer than the data: 4 GB of index for 900 MB of text. With"
      " maintenance_work_mem at 2 GB it built in six minutes instead of thirty.",
      "Equal; index built.", answered="set that in the runbook"),
    T("product_images", "product_images. bytea, sadly",
      "58 GB of pictures in rows. They move, slowly. TOAST compression can be lz4 on 17, which"
      " reads pictures faster even though JPEG hardly shrinks.",
      "Equal. Moving pictures to object storage deserves its own project.",
      answered="it has had its own project for five years"),
    T("variants", "variants",
      "The generated SKU column used a trigger in 12; in 17 it could be GENERATED ALWAYS. I kept"
      " the trigger, and checked that sku equals what the generated one would give.",
      "Equal."),
    T("prices", "prices! history table, partitioned by hand with rules",
      "Rules redirect inserts to yearly children. COPY ignores rules, so a plain restore would put"
      " everything into the parent. I restored child by child.",
      "Equal, per child.", first="Stop here: rules and COPY do not mix.",
      looked=_psql("select rulename, ev_type from pg_rewrite where rulename like 'prices%'"),
      saw="|  prices_2019 | 3\n|  prices_2020 | 3\n|  prices_2021 | 3",
      answered="real partitions afterwards please, that was 2015 me"),
    T("stock", "stock",
      "Quantities can be negative, by design: reservations. No check constraint then, although the"
      " model class claims one.",
      "Equal.", answered="the model lies, known"),
    T("stock_moves", "stock_moves, 90 million rows",
      "The restore is bound by one CPU. I split it by id range into eight COPY streams and it went"
      " from 31 minutes to six.",
      "Equal, all eight ranges.", first="This one is worth parallel streams."),
    T("warehouses", "warehouses, 3 rows, go",
      "Three rows, one of them in the sea: latitude and longitude are swapped for Rostock.",
      "Equal, swapped coordinates included.", answered="😂 that's why the map was empty"),
    T("suppliers", "suppliers",
      "An hstore column with free-form contacts. 17 has hstore, so nothing breaks; 88 keys occur"
      " exactly once.",
      "Equal."),
    T("purchase_orders", "purchase_orders",
      "A foreign key marked NOT VALID since 2018. After the restore it is still not validated, and"
      " VALIDATE fails on 17 rows whose supplier was deleted.",
      "Equal; seventeen orphans listed.",
      looked=_psql("alter table purchase_orders validate constraint po_supplier"),
      saw="| \\e[31mERROR\\e[0m:  insert or update violates foreign key constraint \"po_supplier\"",
      answered="send me the 17, I'll reattach them to 'unknown supplier'"),
    T("carts", "carts",
      "Almost all updates, no inserts to speak of: fillfactor 70 made HOT updates work on the old"
      " server, and a dump does carry storage parameters over. Checked.",
      "Equal, fillfactor 70."),
    T("cart_items", "cart_items",
      "The primary key is (cart_id, position) and position is renumbered on every removal. Under"
      " logical replication that makes many small updates; fine, but it explains the WAL volume.",
      "Equal.", answered="so that's the 2 GB of WAL per day!"),
    T("orders", "deep breath: orders",
      "Row counts match. The status enum has a value `canceled` and a value `cancelled`; both are"
      " used, by different services.",
      "Equal. 4.1 million orders, both spellings.", first="I take it in one transaction snapshot"
      " together with order_items, or the comparison would race with the shop.",
      looked=_psql("select status, count(*) from orders group by 1"),
      saw="|  paid       | 3990112\n|  canceled   |   81220\n|  cancelled  |   40031",
      answered="of course they are. leave it, I'll map it in the app"),
    T("order_items", "order_items with the same snapshot",
      "17 million rows in four minutes. The covering index on (order_id) include (sku, qty) makes"
      " the reporting query an index-only scan once the visibility map is set: VACUUM once.",
      "Equal to the row."),
    T("order_events", "order_events is jsonb",
      "Some documents hold \\u0000, which jsonb refuses; they sit in a json column, which does not"
      " look inside. Any query casting to jsonb would fail on 12 rows.",
      "Equal. The twelve rows are noted.", answered="a scanner app sends NULs. of course"),
    T("payments", "payments, please be paranoid",
      "I compared every column of every row by hash, not a sample: identical. The amount is integer"
      " cents, which is the best thing in this database.",
      "Identical, all 3,998,214 of them.", answered="someone knew what they were doing. me, 2019"),
    T("refunds", "refunds",
      "A deferred constraint trigger checks that refunds do not exceed payments. It holds.",
      "Equal."),
    T("invoices", "invoices: gapless numbers are a legal thing",
      "They come from a counter table with a row lock, not from a sequence, so nothing is lost on"
      " the switch. Highest number equals row count plus the offset of 2016: gapless.",
      "Equal and gapless.",
      looked=_psql("select max(number) - count(*) from invoices"),
      saw="|  ?column?\n| ----------\n|     100000"),
    T("invoice_pdfs", "invoice_pdfs",
      "The PDF bytes differ between dump and restore for one row: the old page is damaged, it reads"
      " as zeros. The nightly backup from January still has it.",
      "Equal, after putting the January copy in.",
      first="Reading all of it will also test the old disks.",
      answered="wow. restore that one from January. how long has that been broken?"),
    T("shipments", "shipments",
      "Tracking numbers in a char(20): padded with blanks, and comparisons ignore the padding. In"
      " the export they are trimmed, so the checksum must trim as well.",
      "Equal with trimmed text."),
    T("carriers", "carriers",
      "Five rows, API keys in plain text. I did not print them.",
      "Equal.", answered="rotate after the move, noted in red"),
    T("coupons", "coupons",
      "Codes compare case-insensitively through citext. In 17 citext regexes behave the same; I ran"
      " the shop's twelve patterns against both servers.",
      "Equal, patterns too."),
    T("reviews", "reviews",
      "Full-text index with the german configuration. The dictionary files are not in the database:"
      " the custom synonym file must be copied to the new server, or `CREATE INDEX` fails.",
      "Equal; synonym file copied.",
      looked=_psql("select to_tsvector('german_shop', 'Handys')"),
      saw="| \\e[31mERROR\\e[0m:  could not open synonym file \"shop_de.syn\": No such file",
      answered="ahh it's in the ansible role, I'll add the new host"),
    T("newsletter", "newsletter",
      "Double opt-in time is `timestamp without time zone`, written by a server in Berlin time."
      " Between 2 and 3 a.m. on two nights a year it is ambiguous. 14 rows are.",
      "Equal. No one will sue over fourteen ambiguous hours.", answered="hopefully 😅"),
    T("search_log", "search_log, do we even need it",
      "200 million rows, nothing reads it but a dashboard that shows the last 30 days. I would move"
      " 30 days and archive the rest as compressed CSV.",
      "Thirty days moved, 6.4 million rows.", answered="do that"),
    T("audit", "audit",
      "Append-only, BRIN index on time. BRIN depends on physical order; restored in id order it"
      " stays useful. A parallel restore would have shuffled it.",
      "Equal, and the BRIN index still skips 98% of the table."),
    T("jobs", "jobs, the queue",
      "FOR UPDATE SKIP LOCKED works the same. Drain it before the switch: a job that is running"
      " at that moment would run twice.",
      "Equal; draining goes into the runbook.", answered="runbook step 3b"),
    T("feature_flags", "feature_flags",
      "One flag named `use_new_db` already exists, from 2020, and it is true.",
      "Equal.", answered="I have questions for past me"),
    T("settings", "settings and we're through?",
      "Key and value, 64 rows. `db_version` says 12.4 and is shown in the admin footer; it is"
      " written by hand.",
      "Equal. Update the footer by hand one last time."),
)  # fmt: skip
