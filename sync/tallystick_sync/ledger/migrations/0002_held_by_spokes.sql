-- Several moves of one field may be held at once: mirrors that want different things, each for itself.

CREATE TABLE held_by_spokes (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  spokes TEXT NOT NULL,
  missing TEXT NOT NULL,
  run  INTEGER NOT NULL,
  PRIMARY KEY (kind, id, field, spokes)
) WITHOUT ROWID;
INSERT INTO held_by_spokes SELECT kind, id, field, value, spokes, missing, run FROM held;
DROP TABLE held;
ALTER TABLE held_by_spokes RENAME TO held;
