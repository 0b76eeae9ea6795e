-- Drafters that are trained here. What was ordered is the app's to read.
CREATE TABLE trainings (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What the drafter will be called.
    name         TEXT NOT NULL COLLATE NOCASE CHECK (name <> ''),
    ordered      TEXT NOT NULL CHECK (json_valid(ordered)),
    -- What it learns from, in a few words.
    data         TEXT NOT NULL,
    state        TEXT NOT NULL DEFAULT 'waiting'
                 CHECK (state IN ('waiting', 'answering', 'training', 'paused', 'done', 'stopped', 'failed')),
    failure      TEXT,
    answers_done INTEGER NOT NULL DEFAULT 0 CHECK (answers_done >= 0),
    answers_of   INTEGER NOT NULL DEFAULT 0 CHECK (answers_of >= 0),
    step         INTEGER NOT NULL DEFAULT 0 CHECK (step >= 0),
    steps        INTEGER NOT NULL DEFAULT 0 CHECK (steps >= 0),
    drafter_id   TEXT COLLATE NOCASE REFERENCES models (id) ON DELETE SET NULL ON UPDATE CASCADE,
    created_at   INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
CREATE INDEX trainings_by_drafter ON trainings (drafter_id);
-- A name is promised once; what is over gives it back.
CREATE UNIQUE INDEX trainings_open ON trainings (name) WHERE state NOT IN ('done', 'stopped');

-- The curve of a training: its loss now and then, and the tokens per round (tau) wherever they were measured.
CREATE TABLE training_points (
    training_id      INTEGER NOT NULL REFERENCES trainings (id) ON DELETE CASCADE,
    step             INTEGER NOT NULL CHECK (step >= 0),
    loss             REAL,
    tokens_per_round REAL,
    best             INTEGER NOT NULL DEFAULT 0 CHECK (best IN (0, 1)),
    PRIMARY KEY (training_id, step)
) STRICT, WITHOUT ROWID;
