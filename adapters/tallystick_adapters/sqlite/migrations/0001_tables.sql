-- A Tallystick database: three tables to read and edit with plain SQL, and a journal that is only ever added to.
--
-- Columns that hold lists or objects hold them as JSON text. `row_version` is the number (`seq`) of the journal's last
-- entry about the row; triggers keep it, so an edit made by any program is noticed and journalled.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
);

INSERT INTO meta (key, value) VALUES ('format', 'tallystick'), ('database_id', lower(hex(randomblob(16))));

-- One entry per created record (its document in `after`), per changed field, and per deleted record (`before`).
-- `field` is empty for whole records; `before` and `after` are JSON; `parent` is the id of the entry this one follows:
-- the last one about the same record and field, or the record's last whole entry.
CREATE TABLE journal (
  seq    INTEGER PRIMARY KEY,
  id     TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
  kind   TEXT NOT NULL,
  record TEXT NOT NULL,
  field  TEXT NOT NULL,
  before TEXT,
  after  TEXT,
  parent TEXT,
  at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX journal_record ON journal (kind, record);

CREATE TRIGGER tally_journal_added BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE seq = NEW.seq OR id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER tally_journal_changed BEFORE UPDATE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER tally_journal_deleted BEFORE DELETE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TABLE tasks (
  id TEXT PRIMARY KEY NOT NULL CHECK (typeof(id) = 'text' AND id <> ''),
  title TEXT,
  description TEXT,
  status TEXT NOT NULL DEFAULT 'planned',
  priority TEXT NOT NULL DEFAULT 'unset',
  depends_on TEXT NOT NULL DEFAULT '[]',
  owner TEXT,
  decision_gate TEXT NOT NULL DEFAULT '{}',
  acceptance_criteria TEXT NOT NULL DEFAULT '[]',
  labels TEXT NOT NULL DEFAULT '[]',
  milestone TEXT,
  notes TEXT,
  notes_list TEXT,
  files TEXT NOT NULL DEFAULT '[]',
  parent TEXT,
  due TEXT,
  archived INTEGER NOT NULL DEFAULT 0,
  extensions TEXT NOT NULL DEFAULT '{}',
  delivery_state TEXT,
  row_version INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX tasks_row_version ON tasks (row_version);

-- Each row as one document in the contract's names; text that should be JSON and is not appears as that text.
CREATE VIEW task_documents AS SELECT
  id,
  row_version,
  json_object(
    'title', title,
    'description', description,
    'status', status,
    'priority', priority,
    'dependsOn', CASE WHEN json_valid(depends_on) THEN json(depends_on) ELSE depends_on END,
    'owner', owner,
    'decisionGate', CASE WHEN json_valid(decision_gate) THEN json(decision_gate) ELSE decision_gate END,
    'acceptanceCriteria', CASE WHEN json_valid(acceptance_criteria) THEN json(acceptance_criteria) ELSE acceptance_criteria END,
    'labels', CASE WHEN json_valid(labels) THEN json(labels) ELSE labels END,
    'milestone', milestone,
    'notes', CASE WHEN json_valid(notes_list) THEN json(notes_list) ELSE coalesce(notes_list, notes) END,
    'files', CASE WHEN json_valid(files) THEN json(files) ELSE files END,
    'parent', parent,
    'due', due,
    'archived', json(CASE archived WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE json_quote(archived) END),
    'extensions', CASE WHEN json_valid(extensions) THEN json(extensions) ELSE extensions END,
    'deliveryState', delivery_state
  ) AS document
FROM tasks;

CREATE TRIGGER tally_tasks_created AFTER INSERT ON tasks
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'task', NEW.id, '', (SELECT document FROM task_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'task' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE tasks SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'task' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_tasks_changed AFTER UPDATE OF
  title, description, status, priority, depends_on, owner, decision_gate, acceptance_criteria, labels,
  milestone, notes, notes_list, files, parent, due, archived, extensions, delivery_state
ON tasks WHEN NEW.id IS OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, after, parent)
  SELECT 'task', NEW.id, column1, column2, column3, (
    SELECT id FROM journal
    WHERE kind = 'task' AND record = NEW.id AND field IN ('', column1) ORDER BY seq DESC LIMIT 1
  )
  FROM (VALUES
    ('title', json_quote(OLD.title), json_quote(NEW.title)),
    ('description', json_quote(OLD.description), json_quote(NEW.description)),
    ('status', json_quote(OLD.status), json_quote(NEW.status)),
    ('priority', json_quote(OLD.priority), json_quote(NEW.priority)),
    ('dependsOn', CASE WHEN json_valid(OLD.depends_on) THEN json(OLD.depends_on) ELSE json_quote(OLD.depends_on) END,
      CASE WHEN json_valid(NEW.depends_on) THEN json(NEW.depends_on) ELSE json_quote(NEW.depends_on) END),
    ('owner', json_quote(OLD.owner), json_quote(NEW.owner)),
    ('decisionGate', CASE WHEN json_valid(OLD.decision_gate) THEN json(OLD.decision_gate) ELSE json_quote(OLD.decision_gate) END,
      CASE WHEN json_valid(NEW.decision_gate) THEN json(NEW.decision_gate) ELSE json_quote(NEW.decision_gate) END),
    ('acceptanceCriteria', CASE WHEN json_valid(OLD.acceptance_criteria) THEN json(OLD.acceptance_criteria) ELSE json_quote(OLD.acceptance_criteria) END,
      CASE WHEN json_valid(NEW.acceptance_criteria) THEN json(NEW.acceptance_criteria) ELSE json_quote(NEW.acceptance_criteria) END),
    ('labels', CASE WHEN json_valid(OLD.labels) THEN json(OLD.labels) ELSE json_quote(OLD.labels) END,
      CASE WHEN json_valid(NEW.labels) THEN json(NEW.labels) ELSE json_quote(NEW.labels) END),
    ('milestone', json_quote(OLD.milestone), json_quote(NEW.milestone)),
    ('notes', CASE WHEN json_valid(OLD.notes_list) THEN json(OLD.notes_list) ELSE json_quote(coalesce(OLD.notes_list, OLD.notes)) END,
      CASE WHEN json_valid(NEW.notes_list) THEN json(NEW.notes_list) ELSE json_quote(coalesce(NEW.notes_list, NEW.notes)) END),
    ('files', CASE WHEN json_valid(OLD.files) THEN json(OLD.files) ELSE json_quote(OLD.files) END,
      CASE WHEN json_valid(NEW.files) THEN json(NEW.files) ELSE json_quote(NEW.files) END),
    ('parent', json_quote(OLD.parent), json_quote(NEW.parent)),
    ('due', json_quote(OLD.due), json_quote(NEW.due)),
    ('archived', json(CASE OLD.archived WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE json_quote(OLD.archived) END),
      json(CASE NEW.archived WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE json_quote(NEW.archived) END)),
    ('extensions', CASE WHEN json_valid(OLD.extensions) THEN json(OLD.extensions) ELSE json_quote(OLD.extensions) END,
      CASE WHEN json_valid(NEW.extensions) THEN json(NEW.extensions) ELSE json_quote(NEW.extensions) END),
    ('deliveryState', json_quote(OLD.delivery_state), json_quote(NEW.delivery_state))
  )
  WHERE column2 IS NOT column3;
  UPDATE tasks SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'task' AND record = NEW.id)
  WHERE id = NEW.id;
END;

-- A row version written by hand is put right again.
CREATE TRIGGER tally_tasks_numbered AFTER UPDATE OF row_version ON tasks
WHEN NEW.id IS OLD.id
  AND NEW.row_version IS NOT (SELECT max(seq) FROM journal WHERE kind = 'task' AND record = NEW.id)
BEGIN
  UPDATE tasks SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'task' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_tasks_left BEFORE UPDATE OF id ON tasks WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'task', OLD.id, '', (SELECT document FROM task_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'task' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;

CREATE TRIGGER tally_tasks_renamed AFTER UPDATE OF id ON tasks WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'task', NEW.id, '', (SELECT document FROM task_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'task' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE tasks SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'task' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_tasks_deleted BEFORE DELETE ON tasks
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'task', OLD.id, '', (SELECT document FROM task_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'task' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;

CREATE TABLE evidence (
  id TEXT PRIMARY KEY NOT NULL CHECK (typeof(id) = 'text' AND id <> ''),
  target TEXT,
  target_type TEXT NOT NULL DEFAULT 'task',
  status TEXT NOT NULL DEFAULT 'partial',
  method TEXT,
  method_class TEXT NOT NULL DEFAULT 'other',
  timestamp TEXT,
  summary TEXT,
  artifacts TEXT NOT NULL DEFAULT '[]',
  criteria_results TEXT NOT NULL DEFAULT '[]',
  commit_hash TEXT,
  extensions TEXT NOT NULL DEFAULT '{}',
  row_version INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX evidence_row_version ON evidence (row_version);

-- Each row as one document in the contract's names; text that should be JSON and is not appears as that text.
CREATE VIEW evidence_documents AS SELECT
  id,
  row_version,
  json_object(
    'target', target,
    'targetType', target_type,
    'status', status,
    'method', method,
    'methodClass', method_class,
    'timestamp', timestamp,
    'summary', summary,
    'artifacts', CASE WHEN json_valid(artifacts) THEN json(artifacts) ELSE artifacts END,
    'criteriaResults', CASE WHEN json_valid(criteria_results) THEN json(criteria_results) ELSE criteria_results END,
    'commit', commit_hash,
    'extensions', CASE WHEN json_valid(extensions) THEN json(extensions) ELSE extensions END
  ) AS document
FROM evidence;

CREATE TRIGGER tally_evidence_created AFTER INSERT ON evidence
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'evidence', NEW.id, '', (SELECT document FROM evidence_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'evidence' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE evidence SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'evidence' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_evidence_changed AFTER UPDATE OF
  target, target_type, status, method, method_class, timestamp, summary, artifacts, criteria_results,
  commit_hash, extensions
ON evidence WHEN NEW.id IS OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, after, parent)
  SELECT 'evidence', NEW.id, column1, column2, column3, (
    SELECT id FROM journal
    WHERE kind = 'evidence' AND record = NEW.id AND field IN ('', column1) ORDER BY seq DESC LIMIT 1
  )
  FROM (VALUES
    ('target', json_quote(OLD.target), json_quote(NEW.target)),
    ('targetType', json_quote(OLD.target_type), json_quote(NEW.target_type)),
    ('status', json_quote(OLD.status), json_quote(NEW.status)),
    ('method', json_quote(OLD.method), json_quote(NEW.method)),
    ('methodClass', json_quote(OLD.method_class), json_quote(NEW.method_class)),
    ('timestamp', json_quote(OLD.timestamp), json_quote(NEW.timestamp)),
    ('summary', json_quote(OLD.summary), json_quote(NEW.summary)),
    ('artifacts', CASE WHEN json_valid(OLD.artifacts) THEN json(OLD.artifacts) ELSE json_quote(OLD.artifacts) END,
      CASE WHEN json_valid(NEW.artifacts) THEN json(NEW.artifacts) ELSE json_quote(NEW.artifacts) END),
    ('criteriaResults', CASE WHEN json_valid(OLD.criteria_results) THEN json(OLD.criteria_results) ELSE json_quote(OLD.criteria_results) END,
      CASE WHEN json_valid(NEW.criteria_results) THEN json(NEW.criteria_results) ELSE json_quote(NEW.criteria_results) END),
    ('commit', json_quote(OLD.commit_hash), json_quote(NEW.commit_hash)),
    ('extensions', CASE WHEN json_valid(OLD.extensions) THEN json(OLD.extensions) ELSE json_quote(OLD.extensions) END,
      CASE WHEN json_valid(NEW.extensions) THEN json(NEW.extensions) ELSE json_quote(NEW.extensions) END)
  )
  WHERE column2 IS NOT column3;
  UPDATE evidence SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'evidence' AND record = NEW.id)
  WHERE id = NEW.id;
END;

-- A row version written by hand is put right again.
CREATE TRIGGER tally_evidence_numbered AFTER UPDATE OF row_version ON evidence
WHEN NEW.id IS OLD.id
  AND NEW.row_version IS NOT (SELECT max(seq) FROM journal WHERE kind = 'evidence' AND record = NEW.id)
BEGIN
  UPDATE evidence SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'evidence' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_evidence_left BEFORE UPDATE OF id ON evidence WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'evidence', OLD.id, '', (SELECT document FROM evidence_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'evidence' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;

CREATE TRIGGER tally_evidence_renamed AFTER UPDATE OF id ON evidence WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'evidence', NEW.id, '', (SELECT document FROM evidence_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'evidence' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE evidence SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'evidence' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_evidence_deleted BEFORE DELETE ON evidence
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'evidence', OLD.id, '', (SELECT document FROM evidence_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'evidence' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;

CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL CHECK (typeof(id) = 'text' AND id <> ''),
  task_id TEXT,
  kind TEXT NOT NULL DEFAULT 'note',
  at_iso TEXT,
  actor TEXT,
  payload TEXT NOT NULL DEFAULT '{}',
  extensions TEXT NOT NULL DEFAULT '{}',
  row_version INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX events_row_version ON events (row_version);

-- Each row as one document in the contract's names; text that should be JSON and is not appears as that text.
CREATE VIEW event_documents AS SELECT
  id,
  row_version,
  json_object(
    'taskId', task_id,
    'kind', kind,
    'atIso', at_iso,
    'actor', CASE WHEN json_valid(actor) THEN json(actor) ELSE actor END,
    'payload', CASE WHEN json_valid(payload) THEN json(payload) ELSE payload END,
    'extensions', CASE WHEN json_valid(extensions) THEN json(extensions) ELSE extensions END
  ) AS document
FROM events;

CREATE TRIGGER tally_events_created AFTER INSERT ON events
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'event', NEW.id, '', (SELECT document FROM event_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'event' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE events SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'event' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_events_changed AFTER UPDATE OF
  task_id, kind, at_iso, actor, payload, extensions
ON events WHEN NEW.id IS OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, after, parent)
  SELECT 'event', NEW.id, column1, column2, column3, (
    SELECT id FROM journal
    WHERE kind = 'event' AND record = NEW.id AND field IN ('', column1) ORDER BY seq DESC LIMIT 1
  )
  FROM (VALUES
    ('taskId', json_quote(OLD.task_id), json_quote(NEW.task_id)),
    ('kind', json_quote(OLD.kind), json_quote(NEW.kind)),
    ('atIso', json_quote(OLD.at_iso), json_quote(NEW.at_iso)),
    ('actor', CASE WHEN json_valid(OLD.actor) THEN json(OLD.actor) ELSE json_quote(OLD.actor) END,
      CASE WHEN json_valid(NEW.actor) THEN json(NEW.actor) ELSE json_quote(NEW.actor) END),
    ('payload', CASE WHEN json_valid(OLD.payload) THEN json(OLD.payload) ELSE json_quote(OLD.payload) END,
      CASE WHEN json_valid(NEW.payload) THEN json(NEW.payload) ELSE json_quote(NEW.payload) END),
    ('extensions', CASE WHEN json_valid(OLD.extensions) THEN json(OLD.extensions) ELSE json_quote(OLD.extensions) END,
      CASE WHEN json_valid(NEW.extensions) THEN json(NEW.extensions) ELSE json_quote(NEW.extensions) END)
  )
  WHERE column2 IS NOT column3;
  UPDATE events SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'event' AND record = NEW.id)
  WHERE id = NEW.id;
END;

-- A row version written by hand is put right again.
CREATE TRIGGER tally_events_numbered AFTER UPDATE OF row_version ON events
WHEN NEW.id IS OLD.id
  AND NEW.row_version IS NOT (SELECT max(seq) FROM journal WHERE kind = 'event' AND record = NEW.id)
BEGIN
  UPDATE events SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'event' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_events_left BEFORE UPDATE OF id ON events WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'event', OLD.id, '', (SELECT document FROM event_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'event' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;

CREATE TRIGGER tally_events_renamed AFTER UPDATE OF id ON events WHEN NEW.id IS NOT OLD.id
BEGIN
  INSERT INTO journal (kind, record, field, after, parent) VALUES (
    'event', NEW.id, '', (SELECT document FROM event_documents WHERE id = NEW.id),
    (SELECT id FROM journal WHERE kind = 'event' AND record = NEW.id ORDER BY seq DESC LIMIT 1)
  );
  UPDATE events SET row_version = (SELECT max(seq) FROM journal WHERE kind = 'event' AND record = NEW.id)
  WHERE id = NEW.id;
END;

CREATE TRIGGER tally_events_deleted BEFORE DELETE ON events
BEGIN
  INSERT INTO journal (kind, record, field, before, parent) VALUES (
    'event', OLD.id, '', (SELECT document FROM event_documents WHERE id = OLD.id),
    (SELECT id FROM journal WHERE kind = 'event' AND record = OLD.id ORDER BY seq DESC LIMIT 1)
  );
END;
