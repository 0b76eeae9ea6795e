-- Calibrations of a drafter's confidence. What was ordered, and what came of it, is the app's to read.
CREATE TABLE calibrations (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The ids of the models when it was ordered. They may leave the list, and it stays.
    target       TEXT NOT NULL,
    drafter      TEXT NOT NULL,
    -- What it holds for: contents, not names.
    target_hash  TEXT NOT NULL,
    drafter_hash TEXT NOT NULL,
    precision    TEXT NOT NULL,
    thinking     INTEGER NOT NULL CHECK (thinking IN (0, 1)),
    machine      TEXT NOT NULL,
    version      INTEGER NOT NULL,
    ordered      TEXT NOT NULL CHECK (json_valid(ordered)),
    -- What is asked, in a few words.
    data         TEXT NOT NULL,
    state        TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'paused', 'done', 'failed')),
    phase        TEXT NOT NULL DEFAULT 'collect' CHECK (phase IN ('collect', 'fit', 'cost', 'measure')),
    -- Answers of that phase.
    done         INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
    total        INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
    failure      TEXT,
    report       TEXT CHECK (json_valid(report)),
    -- Of those that are applied and hold for the same, the latest is in force.
    applied_at   INTEGER,
    created_at   INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
CREATE INDEX calibrations_applied ON calibrations (target_hash, drafter_hash) WHERE applied_at IS NOT NULL;

-- What is asked for a calibration, and what is known of each answer.
CREATE TABLE calibration_prompts (
    calibration_id INTEGER NOT NULL REFERENCES calibrations (id) ON DELETE CASCADE,
    number         INTEGER NOT NULL CHECK (number >= 0),
    suite          TEXT NOT NULL,
    held_out       INTEGER NOT NULL CHECK (held_out IN (0, 1)),
    -- Nothing once the calibration is done: a conversation may be deleted.
    prompt         TEXT CHECK (json_valid(prompt)),
    -- The rounds of its answer.
    recording      TEXT CHECK (json_valid(recording)),
    -- How long the answer took in each way of drafting.
    runs           TEXT CHECK (json_valid(runs)),
    PRIMARY KEY (calibration_id, number)
) STRICT, WITHOUT ROWID;
