-- Comparisons of drafters. What was ordered, and what an answer says, is the app's to read.
CREATE TABLE comparisons (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The target's id when it was ordered. It may leave the list, and the comparison stays.
    target     TEXT NOT NULL,
    ordered    TEXT NOT NULL CHECK (json_valid(ordered)),
    -- What it is measured with: the machine, the release, and the contents of the models.
    conditions TEXT NOT NULL CHECK (json_valid(conditions)),
    -- What is asked, in a few words.
    data       TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'paused', 'done', 'failed')),
    -- Answers.
    done       INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
    total      INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
    failure    TEXT,
    -- What came of it, in a few words, once it is done.
    verdict    TEXT,
    created_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;

-- What is asked in a comparison.
CREATE TABLE comparison_prompts (
    comparison_id INTEGER NOT NULL REFERENCES comparisons (id) ON DELETE CASCADE,
    number        INTEGER NOT NULL CHECK (number >= 0),
    suite         TEXT NOT NULL,
    text          TEXT NOT NULL,
    PRIMARY KEY (comparison_id, number)
) STRICT, WITHOUT ROWID;

-- What each column answered to each prompt.
CREATE TABLE comparison_answers (
    comparison_id INTEGER NOT NULL,
    prompt        INTEGER NOT NULL,
    -- 0 is plain decoding.
    place         INTEGER NOT NULL CHECK (place >= 0),
    record        TEXT NOT NULL CHECK (json_valid(record)),
    -- Where the target, asked again, would have gone on otherwise; only of an answer that differs from the plain one.
    divergence    TEXT CHECK (json_valid(divergence)),
    PRIMARY KEY (comparison_id, prompt, place),
    FOREIGN KEY (comparison_id, prompt) REFERENCES comparison_prompts (comparison_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
