/* A stand-in for somebody else's cjk_unicode61: it has the name and nothing else, every word
** passes through uncut. Loading it must not be the end of the CJK index. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  fts5_api *fts5 = 0;
  fts5_tokenizer base;
  void *data = 0;
  sqlite3_stmt *stmt = 0;
  SQLITE_EXTENSION_INIT2(api);
  (void)message;
  sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, 0);
  sqlite3_bind_pointer(stmt, 1, (void *)&fts5, "fts5_api_ptr", 0);
  sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  fts5->xFindTokenizer(fts5, "unicode61", &data, &base);
  return fts5->xCreateTokenizer(fts5, "cjk_unicode61", data, &base, 0);
}
