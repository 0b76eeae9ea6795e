-- What came from the Hub, or was found in another program's folder: repos, their exact revisions, the files of these, and
-- downloads.
CREATE TABLE repos (
    id      INTEGER PRIMARY KEY,
    -- As the Hub spells it; two spellings that differ in case are one repo.
    name    TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
    licence TEXT,
    gated   TEXT NOT NULL CHECK (gated IN ('no', 'auto', 'manual'))
) STRICT;

CREATE TABLE revisions (
    id          INTEGER PRIMARY KEY,
    repo_id     INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    commit_hash TEXT NOT NULL CHECK (length(commit_hash) = 40),
    UNIQUE (repo_id, commit_hash)
) STRICT;

-- Those that a checkpoint needs, not all that the repo lists.
CREATE TABLE files (
    revision_id INTEGER NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    path        TEXT NOT NULL CHECK (path <> ''),
    bytes       INTEGER NOT NULL CHECK (bytes >= 0),
    hash        TEXT NOT NULL CHECK (length(hash) IN (40, 64)),
    PRIMARY KEY (revision_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE downloads (
    -- AUTOINCREMENT: a job's number is never used twice, so what was meant for one job cannot hit a later one.
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    revision_id INTEGER NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'paused', 'cancelled', 'failed', 'done')),
    reason      TEXT,
    -- What had arrived when it last stopped.
    arrived     INTEGER NOT NULL DEFAULT 0 CHECK (arrived >= 0),
    created_at  INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
    updated_at  INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
CREATE INDEX downloads_by_revision ON downloads (revision_id);
-- A revision is on its way once.
CREATE UNIQUE INDEX downloads_open ON downloads (revision_id) WHERE state IN ('queued', 'running', 'paused');

ALTER TABLE models ADD COLUMN revision_id INTEGER REFERENCES revisions (id) ON DELETE SET NULL;
ALTER TABLE models ADD COLUMN source TEXT NOT NULL DEFAULT 'folder'
    CHECK (source IN ('folder', 'hub', 'hugging_face_cache', 'lm_studio'));
ALTER TABLE models ADD COLUMN last_used_at INTEGER;
ALTER TABLE models ADD COLUMN trashed_at INTEGER;
CREATE INDEX models_by_revision ON models (revision_id);
CREATE VIEW models_with_repo AS
    SELECT models.*, repos.name AS repo, commit_hash
    FROM models LEFT JOIN revisions ON revisions.id = revision_id LEFT JOIN repos ON repos.id = repo_id;

-- Which drafter was used with which target.
CREATE TABLE pairings (
    target_id  TEXT NOT NULL COLLATE NOCASE REFERENCES models (id) ON DELETE CASCADE ON UPDATE CASCADE,
    drafter_id TEXT NOT NULL COLLATE NOCASE REFERENCES models (id) ON DELETE CASCADE ON UPDATE CASCADE,
    used_at    INTEGER NOT NULL,
    PRIMARY KEY (target_id, drafter_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pairings_by_drafter ON pairings (drafter_id);
