-- The ledger: the hub's records, what each spoke last agreed to, and everything that ever changed.

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE runs (
  n        INTEGER PRIMARY KEY,
  command  TEXT NOT NULL,
  started  TEXT NOT NULL,
  finished TEXT,
  report   TEXT
);

-- The hub. `deleted` holds the run of a tombstone; `dirty` says that some spoke still waits for this record.
CREATE TABLE records (
  kind    TEXT NOT NULL,
  id      TEXT NOT NULL,
  doc     TEXT NOT NULL,
  about   TEXT,
  words   TEXT,
  deleted INTEGER,
  dirty   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX records_dirty ON records (kind, id) WHERE dirty = 1;
CREATE INDEX records_about ON records (about, kind) WHERE about IS NOT NULL;
CREATE INDEX records_words ON records (words) WHERE words IS NOT NULL;

-- One row per record and spoke. `base` is what was agreed, `seen` what the spoke shows while a field is open.
CREATE TABLE copies (
  kind     TEXT NOT NULL,
  id       TEXT NOT NULL,
  spoke    TEXT NOT NULL,
  native   TEXT NOT NULL,
  revision TEXT NOT NULL,
  base     TEXT,
  seen     TEXT,
  gone     INTEGER NOT NULL DEFAULT 0,
  since    TEXT,
  PRIMARY KEY (kind, id, spoke)
) WITHOUT ROWID;
CREATE INDEX copies_open ON copies (kind, id) WHERE seen IS NOT NULL OR gone = 1;

-- What is about to be written and not yet known to have been; empty between runs, unless one died.
CREATE TABLE intents (
  spoke TEXT NOT NULL,
  kind  TEXT NOT NULL,
  id    TEXT NOT NULL,
  op    TEXT NOT NULL,
  run   INTEGER NOT NULL,
  at    TEXT NOT NULL,
  PRIMARY KEY (spoke, kind, id)
) WITHOUT ROWID;

CREATE TABLE conflicts (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  field TEXT NOT NULL,
  "values" TEXT NOT NULL,
  run  INTEGER NOT NULL,
  PRIMARY KEY (kind, id, field)
) WITHOUT ROWID;

CREATE TABLE held (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  spokes TEXT NOT NULL,
  missing TEXT NOT NULL,
  run  INTEGER NOT NULL,
  PRIMARY KEY (kind, id, field)
) WITHOUT ROWID;

CREATE TABLE quarantine (
  spoke  TEXT NOT NULL,
  native TEXT NOT NULL,
  kind   TEXT,
  id     TEXT,
  reason TEXT NOT NULL,
  run    INTEGER NOT NULL,
  PRIMARY KEY (spoke, native)
) WITHOUT ROWID;

CREATE TABLE spokes (
  name  TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  state TEXT NOT NULL,
  total INTEGER NOT NULL
) WITHOUT ROWID;

-- Append-only. One row per accepted change of one hub field; field '' is about the whole record.
CREATE TABLE journal (
  seq    INTEGER PRIMARY KEY,
  event  TEXT NOT NULL,
  run    INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  id     TEXT NOT NULL,
  field  TEXT NOT NULL,
  before TEXT,
  after  TEXT,
  parent TEXT,
  actor  TEXT NOT NULL,
  spoke  TEXT NOT NULL,
  at     TEXT NOT NULL
);
CREATE INDEX journal_record ON journal (kind, id, field);
CREATE INDEX journal_run ON journal (run);

-- Append-only. One row per write to a spoke.
CREATE TABLE writes (
  seq   INTEGER PRIMARY KEY,
  run   INTEGER NOT NULL,
  spoke TEXT NOT NULL,
  op    TEXT NOT NULL,
  kind  TEXT NOT NULL,
  id    TEXT NOT NULL,
  fields TEXT NOT NULL,
  at    TEXT NOT NULL
);
CREATE INDEX writes_run ON writes (run);
CREATE INDEX writes_record ON writes (kind, id);

CREATE TRIGGER journal_is_append_only_u BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_append_only_d BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
