/* Runs the tokenizer in a plain C program, so that the sanitizers, the leak checker among them,
** see every byte it touches.
**
**   driver index          texts on standard input (4 bytes of length each, little-endian):
**                         indexed, searched, highlighted, checked by FTS5 itself
**   driver no-memory      every allocation fails once, one after the other
**
** The tokenizer is linked in rather than loaded, as a loaded file would be gone before the leak
** checker could name its functions.
*/
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sqlite3_api_routines;
int sqlite3_ftscjk_init(sqlite3 *, char **, const struct sqlite3_api_routines *);

/* An automatic extension may answer nothing but SQLITE_OK. */
static int attach(sqlite3 *db, char **message, const struct sqlite3_api_routines *api) {
  int rc = sqlite3_ftscjk_init(db, message, api);
  return rc == SQLITE_OK_LOAD_PERMANENTLY ? SQLITE_OK : rc;
}

static long allocations, fail_at; /* fail_at 0: never */
static sqlite3_mem_methods system_memory;

static int refuse(void) { return ++allocations == fail_at; }
static void *failing_malloc(int size) { return refuse() ? NULL : system_memory.xMalloc(size); }
static void *failing_realloc(void *old, int size) {
  return refuse() ? NULL : system_memory.xRealloc(old, size);
}

static void check(sqlite3 *db, int rc, const char *what) {
  if (rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE) return;
  fprintf(stderr, "%s: %d %s\n", what, rc, sqlite3_errmsg(db));
  exit(1);
}

static sqlite3 *open_db(void) {
  sqlite3 *db = NULL;
  check(db, sqlite3_open(":memory:", &db), "open");
  check(db, sqlite3_exec(db, "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='cjk_unicode61')", 0,
                         0, 0), "create");
  return db;
}

static void search(sqlite3 *db, const char *query) {
  sqlite3_stmt *stmt = NULL;
  int rc;
  check(db, sqlite3_prepare_v2(db,
            "SELECT highlight(t,0,'[',']'), snippet(t,-1,'[',']','..',7) FROM t(?1)",
            -1, &stmt, NULL), "prepare");
  sqlite3_bind_text(stmt, 1, query, -1, SQLITE_STATIC);
  while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) (void)sqlite3_column_bytes(stmt, 0);
  check(db, rc, query);
  sqlite3_finalize(stmt);
}

static int index_texts(void) {
  static const char *queries[] = {"docker", "服务", "エスケ", "山*", "e OR x OR 設定", "\"a 山\""};
  unsigned char head[4];
  sqlite3_stmt *insert = NULL;
  sqlite3 *db = open_db();
  long count = 0;
  size_t i;
  check(db, sqlite3_exec(db, "BEGIN", 0, 0, 0), "begin");
  check(db, sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?1)", -1, &insert, NULL), "prepare");
  while (fread(head, 1, 4, stdin) == 4) {
    size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    /* Exactly as large as the text: reading one byte behind it is reported. */
    char *text = malloc(size ? size : 1);
    if (text == NULL || fread(text, 1, size, stdin) != size) return 1;
    sqlite3_bind_text(insert, 1, text, (int)size, SQLITE_STATIC);
    check(db, sqlite3_step(insert), "insert");
    sqlite3_reset(insert);
    free(text);
    count++;
  }
  sqlite3_finalize(insert);
  check(db, sqlite3_exec(db, "COMMIT", 0, 0, 0), "commit");
  for (i = 0; i < sizeof(queries) / sizeof(*queries); i++) search(db, queries[i]);
  check(db, sqlite3_exec(db, "INSERT INTO t(t) VALUES('integrity-check')", 0, 0, 0), "integrity");
  check(db, sqlite3_close(db), "close");
  printf("%ld texts\n", count);
  return 0;
}

/* One round of everything; the first failure ends it. */
static int round_trip(void) {
  static const char *steps[] = {
      "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='cjk_unicode61 remove_diacritics 2')",
      "INSERT INTO t VALUES('修改youer服务端 Zürich')",
      "SELECT highlight(t,0,'[',']') FROM t('服务')"};
  sqlite3 *db = NULL;
  int rc = sqlite3_open(":memory:", &db);
  size_t i;
  for (i = 0; rc == SQLITE_OK && i < sizeof(steps) / sizeof(*steps); i++) {
    rc = sqlite3_exec(db, steps[i], 0, 0, 0);
  }
  sqlite3_close(db);
  return rc;
}

static int fail_everywhere(void) {
  long failures = 0;
  for (fail_at = 1;; fail_at++) {
    int rc;
    allocations = 0;
    rc = round_trip();
    if (allocations < fail_at) break; /* there was no such allocation: all have had their turn */
    if (rc != SQLITE_OK) failures++;
  }
  printf("%ld failures\n", failures);
  return failures > 100 ? 0 : 1;
}

int main(int count, char **args) {
  const int no_memory = count > 1 && strcmp(args[1], "no-memory") == 0;
  if (no_memory) {
    sqlite3_mem_methods failing;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory);
    failing = system_memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  }
  sqlite3_auto_extension((void (*)(void))attach);
  return no_memory ? fail_everywhere() : index_texts();
}
