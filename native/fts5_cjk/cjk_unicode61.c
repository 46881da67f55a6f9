/*
** cjk_unicode61: an FTS5 tokenizer for text that mixes Chinese, Japanese and
** Korean with everything else.
**
** It lets the built-in unicode61 find the words and fold them, then looks into
** each word. A word without CJK characters passes through as it is. In any
** other word, every maximal run of CJK characters becomes overlapping tokens of
** two characters (one character, when the run is only that long), and what lies
** between the runs becomes words of its own.
**
** Design notes, with the reason for each:
**
** - unicode61 runs first, over the whole text, because its separators have to
**   end a CJK run too (the katakana middle dot does, although it lies inside
**   the katakana block).
**
** - Folding can change the number of bytes, drop a combining mark, or repair an
**   overlong encoding, so an offset into the folded word says nothing about the
**   original. But it goes character by character, and never makes or changes a
**   CJK character: walking both texts together, one character at a time, gives
**   exact offsets, and no folding table has to be known here.
**
** - There is no global variable, not even the usual sqlite3_api pointer. One
**   process may hold two copies of SQLite (Python's own and apsw's); both would
**   be handed the same loaded file, and the second would overwrite the pointer
**   of the first. The API travels with each connection's data instead.
**
** Only the version 1 tokenizer interface is used, which every SQLite with FTS5
** has (3.9 and later, pointer passing from 3.20).
*/
#include <sqlite3ext.h>

#include <stddef.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned int u32;
typedef int (*TokenSink)(void *, int, const char *, int, int, int);

/* What one connection needs; owned by FTS5, freed through module_free. */
typedef struct Module {
  const sqlite3_api_routines *api;
  fts5_tokenizer base; /* functions of unicode61 */
  void *base_data;     /* and what its xCreate wants */
} Module;

/* One tokenizer instance: a table, or a vocabulary, has one. */
typedef struct CjkTokenizer {
  const sqlite3_api_routines *api;
  fts5_tokenizer base;
  Fts5Tokenizer *base_instance;
} CjkTokenizer;

/* One call of xTokenize: where the pieces go, and the text they come from. */
typedef struct Pass {
  void *sink_data;
  TokenSink sink;
  const u8 *text;
  int size;
} Pass;

/* A character as read: its code point and the offset just behind it. */
typedef struct Read {
  u32 code;
  int next;
} Read;

/* ------------------------------------------------------------------ */
/* Characters                                                         */
/* ------------------------------------------------------------------ */

/* The first byte of every CJK character here is at least this (U+1100). */
#define FIRST_CJK_BYTE 0xE1

/* True for the characters that are indexed in pairs. The list decides which
** tokens an index holds, so it has to be the one that existing indexes were
** written with; CJK punctuation, bopomofo, half-width katakana and full-width
** Latin are not in it. Checked by code point, not by script, because a search
** program must not change its mind with a newer Unicode. */
static int is_cjk(u32 c) {
  if (c < 0x1100) return 0;
  if (c < 0x3040) return c <= 0x11FF;             /* Hangul Jamo */
  if (c <= 0x30FF) return 1;                      /* hiragana, katakana */
  if (c < 0x3400) {
    return (c >= 0x3130 && c <= 0x318F)           /* Hangul compatibility Jamo */
           || (c >= 0x31F0 && c <= 0x31FF);       /* katakana, phonetic */
  }
  if (c < 0xA960) {
    return c <= 0x4DBF                            /* ideographs, extension A */
           || (c >= 0x4E00 && c <= 0x9FFF);       /* ideographs */
  }
  if (c < 0xF900) {
    return c <= 0xA97F                            /* Hangul Jamo, extended A */
           || (c >= 0xAC00 && c <= 0xD7A3)        /* Hangul syllables */
           || (c >= 0xD7B0 && c <= 0xD7FF);       /* Hangul Jamo, extended B */
  }
  return c <= 0xFAFF                              /* compatibility ideographs */
         || (c >= 0x20000 && c <= 0x2FA1F);       /* extensions B and later */
}

/* The range of the marks that unicode61 may drop from a word. Nothing in it is
** ever folded into something else (U+0345, just behind it, is). */
static int is_mark(u32 c) { return c >= 0x300 && c <= 0x331; }

/* Reads the character at `at` exactly as FTS5 does, so that broken input is cut
** into the same pieces: a lead byte takes every continuation byte behind it,
** however many, and a stray byte stands for itself. `at` must be below `end`. */
static Read read_char(const u8 *s, int at, int end) {
  Read r;
  u32 c = s[at++];
  if (c >= 0xC0) {
    if (c < 0xE0) {
      c &= 0x1F;
    } else if (c < 0xF0) {
      c &= 0x0F;
    } else if (c < 0xF8) {
      c &= 0x07;
    } else if (c < 0xFC) {
      c &= 0x03;
    } else {
      c = (c < 0xFE) ? (c & 0x01) : 0;
    }
    while (at < end && (s[at] & 0xC0) == 0x80) c = (c << 6) + (s[at++] & 0x3Fu);
  }
  r.code = c;
  r.next = at;
  return r;
}

/* True when some byte could begin a CJK character: the cheap test that lets
** ordinary words through untouched. */
static int may_hold_cjk(const char *token, int size) {
  int i;
  for (i = 0; i < size; i++) {
    if ((u8)token[i] >= FIRST_CJK_BYTE) return 1;
  }
  return 0;
}

/* ------------------------------------------------------------------ */
/* Splitting one word                                                 */
/* ------------------------------------------------------------------ */

/* A piece of a word, in the folded text and in the original. */
typedef struct Piece {
  int from, to;   /* offsets into the folded text */
  int start, end; /* offsets into the original text */
} Piece;

/* The folded word and the original span, walked side by side. */
typedef struct Walk {
  const Pass *pass;
  int flags;
  const u8 *token; /* folded text */
  int token_size;
  int at;       /* read so far of the folded text */
  int original; /* and of the original text */
  int end;      /* where the original span ends */
} Walk;

static int emit(const Walk *w, int from, int to, int start, int end) {
  return w->pass->sink(w->pass->sink_data, w->flags, (const char *)w->token + from, to - from,
                       start, end);
}

/* Passes over marks that folding dropped. A mark that is the next character of
** the folded word as well was kept. */
static void skip_dropped_marks(Walk *w) {
  u32 kept = (w->at < w->token_size) ? read_char(w->token, w->at, w->token_size).code : 0;
  while (w->original < w->end) {
    Read r = read_char(w->pass->text, w->original, w->end);
    if (!is_mark(r.code) || r.code == kept) return;
    w->original = r.next;
  }
}

/* Steps over one character of the folded word and what it was made from: one
** character of the original with the dropped marks behind it, so that a mark is
** highlighted with the character it is on. True for a CJK character. */
static int step(Walk *w, Piece *piece) {
  int cjk = 0;
  piece->from = w->at;
  piece->start = w->original;
  w->at = read_char(w->token, w->at, w->token_size).next;
  if (w->original < w->end) {
    Read r = read_char(w->pass->text, w->original, w->end);
    w->original = r.next;
    /* Asked of the original: what folding makes of a broken character can look
    ** like anything. */
    cjk = is_cjk(r.code);
    skip_dropped_marks(w);
  }
  piece->to = w->at;
  piece->end = w->original;
  return cjk;
}

/* Emits the pieces of a word that may hold CJK characters. */
static int split(Walk *w) {
  Piece other = {0, 0, 0, 0};  /* what has gathered of a part without CJK */
  Piece before = {0, 0, 0, 0}; /* the previous character of a CJK run */
  int run = 0;                 /* how long that run is so far */
  int rc = SQLITE_OK;
  const int begin = w->original;
  skip_dropped_marks(w); /* with unusual arguments a word can begin with one */
  while (rc == SQLITE_OK && w->at < w->token_size) {
    Piece c;
    const int cjk = step(w, &c);
    if (c.from == 0) c.start = begin;
    if (cjk) {
      if (other.to > other.from) rc = emit(w, other.from, other.to, other.start, other.end);
      if (run > 0 && rc == SQLITE_OK) rc = emit(w, before.from, c.to, before.start, c.end);
      other.from = other.to = c.to;
      before = c;
      run++;
    } else {
      if (run == 1) rc = emit(w, before.from, before.to, before.start, before.end);
      if (other.to == other.from) other = c;
      other.to = c.to;
      other.end = c.end;
      run = 0;
    }
  }
  if (rc == SQLITE_OK && run == 1) rc = emit(w, before.from, before.to, before.start, before.end);
  if (rc == SQLITE_OK && other.to > other.from) {
    rc = emit(w, other.from, other.to, other.start, other.end);
  }
  return rc;
}

/* Receives each word of unicode61. */
static int on_word(void *data, int flags, const char *token, int size, int start, int end) {
  const Pass *pass = (const Pass *)data;
  Walk w;
  if (!may_hold_cjk(token, size) || start < 0 || end > pass->size) {
    return pass->sink(pass->sink_data, flags, token, size, start, end);
  }
  w.pass = pass;
  w.flags = flags;
  w.token = (const u8 *)token;
  w.token_size = size;
  w.at = 0;
  w.original = start;
  w.end = end;
  return split(&w);
}

/* ------------------------------------------------------------------ */
/* The tokenizer as FTS5 sees it                                      */
/* ------------------------------------------------------------------ */

static int cjk_tokenize(Fts5Tokenizer *instance, void *sink_data, int flags, const char *text,
                        int size, TokenSink sink) {
  const CjkTokenizer *t = (const CjkTokenizer *)instance;
  Pass pass;
  pass.sink_data = sink_data;
  pass.sink = sink;
  pass.text = (const u8 *)text;
  pass.size = size;
  return t->base.xTokenize(t->base_instance, &pass, flags, text, size, on_word);
}

static void cjk_delete(Fts5Tokenizer *instance) {
  CjkTokenizer *t = (CjkTokenizer *)instance;
  const sqlite3_api_routines *api;
  if (t == NULL) return;
  api = t->api;
  if (t->base_instance != NULL) t->base.xDelete(t->base_instance);
  api->free(t);
}

static int cjk_create(void *data, const char **args, int count, Fts5Tokenizer **out) {
  const Module *m = (const Module *)data;
  CjkTokenizer *t = (CjkTokenizer *)m->api->malloc64(sizeof(*t));
  int rc;
  *out = NULL;
  if (t == NULL) return SQLITE_NOMEM;
  t->api = m->api;
  t->base = m->base;
  t->base_instance = NULL;
  rc = m->base.xCreate(m->base_data, args, count, &t->base_instance);
  if (rc != SQLITE_OK) {
    t->base_instance = NULL;
    cjk_delete((Fts5Tokenizer *)t);
    return rc;
  }
  *out = (Fts5Tokenizer *)t;
  return SQLITE_OK;
}

/* ------------------------------------------------------------------ */
/* Loading                                                            */
/* ------------------------------------------------------------------ */

static void module_free(void *data) {
  Module *m = (Module *)data;
  if (m != NULL) m->api->free(m);
}

/* The FTS5 of this connection, or NULL when it was built without. */
static fts5_api *find_fts5(sqlite3 *db, const sqlite3_api_routines *api) {
  fts5_api *found = NULL;
  sqlite3_stmt *stmt = NULL;
  if (api->prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, NULL) != SQLITE_OK) return NULL;
  if (api->bind_pointer(stmt, 1, (void *)&found, "fts5_api_ptr", NULL) == SQLITE_OK) {
    (void)api->step(stmt);
  }
  (void)api->finalize(stmt);
  return (found != NULL && found->iVersion >= 2) ? found : NULL;
}

static int fail(char **message, const sqlite3_api_routines *api, const char *why) {
  if (message != NULL) *message = api->mprintf("cjk_unicode61: %s", why);
  return SQLITE_ERROR;
}

static int register_tokenizer(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  fts5_tokenizer cjk;
  fts5_api *fts5;
  Module *m;
  int rc;
  if (api->libversion_number() < 3020000) return fail(message, api, "needs SQLite 3.20 or later");
  fts5 = find_fts5(db, api);
  if (fts5 == NULL) return fail(message, api, "this SQLite has no FTS5");
  m = (Module *)api->malloc64(sizeof(*m));
  if (m == NULL) return SQLITE_NOMEM;
  m->api = api;
  rc = fts5->xFindTokenizer(fts5, "unicode61", &m->base_data, &m->base);
  if (rc != SQLITE_OK) {
    module_free(m);
    return fail(message, api, "FTS5 has no unicode61");
  }
  cjk.xCreate = cjk_create;
  cjk.xDelete = cjk_delete;
  cjk.xTokenize = cjk_tokenize;
  rc = fts5->xCreateTokenizer(fts5, "cjk_unicode61", m, &cjk, module_free);
  if (rc != SQLITE_OK) {
    module_free(m);
    return rc;
  }
  /* Stay loaded: an instance held by a caller may outlive the connection, and
  ** must not return into code that is gone. */
  return SQLITE_OK_LOAD_PERMANENTLY;
}

/* SQLite derives the name of the entry point from the letters of the file name:
** libfts5_cjk.so and _fts5_cjk*.so look for sqlite3_ftscjk_init (digits are not
** letters), cjk_unicode61.so for sqlite3_cjkunicode_init. Any other name finds
** sqlite3_extension_init, which is tried first. */
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define ENTRY_POINT(name)                                                           \
  EXPORT int name(sqlite3 *db, char **message, const sqlite3_api_routines *api);    \
  EXPORT int name(sqlite3 *db, char **message, const sqlite3_api_routines *api) {   \
    return register_tokenizer(db, message, api);                                    \
  }

ENTRY_POINT(sqlite3_extension_init)
ENTRY_POINT(sqlite3_ftscjk_init)
ENTRY_POINT(sqlite3_cjkunicode_init)
ENTRY_POINT(sqlite3_fts5_cjk_init) /* for callers who spell the file name out */
