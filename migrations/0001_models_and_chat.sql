-- Append-only: a released migration is never edited; a change is a new file.
-- Times are milliseconds since 1970, UTC.

-- Checkpoint folders on this machine, registered where they lie.
CREATE TABLE models (
    id            TEXT PRIMARY KEY NOT NULL COLLATE NOCASE CHECK (id <> ''),
    role          TEXT NOT NULL CHECK (role IN ('target', 'drafter')),
    kind          TEXT NOT NULL,
    folder        TEXT NOT NULL UNIQUE,
    summary       TEXT NOT NULL,
    bytes         INTEGER NOT NULL CHECK (bytes >= 0),
    draft_limit   INTEGER CHECK (draft_limit BETWEEN 0 AND 4294967295),
    chat_template INTEGER CHECK (chat_template IN (0, 1)),
    added_at      INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;

CREATE TABLE conversations (
    id         INTEGER PRIMARY KEY,
    title      TEXT NOT NULL,
    target_id  TEXT COLLATE NOCASE REFERENCES models (id) ON DELETE SET NULL ON UPDATE CASCADE,
    drafter_id TEXT COLLATE NOCASE REFERENCES models (id) ON DELETE SET NULL ON UPDATE CASCADE,
    created_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
    updated_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
CREATE INDEX conversations_by_update ON conversations (updated_at DESC, id DESC);

CREATE TABLE messages (
    -- AUTOINCREMENT: an id is never used twice, so an answer that still runs cannot write into a later message.
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    author          TEXT NOT NULL CHECK (author IN ('user', 'assistant')),
    text            TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('complete', 'running', 'stopped', 'failed', 'interrupted')),
    note            TEXT,
    answer          TEXT CHECK (json_valid(answer)),
    created_at      INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
