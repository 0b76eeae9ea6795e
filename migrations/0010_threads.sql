-- A conversation is a tree of messages, of which one branch is shown. What was said before there were branches is one.
-- Deleting does not go from a message to the next: SQLite does not follow a chain of a thousand. Its conversation takes all.
ALTER TABLE messages ADD COLUMN parent_id INTEGER REFERENCES messages (id);
UPDATE messages SET parent_id = (
    SELECT max(earlier.id) FROM messages AS earlier
    WHERE earlier.conversation_id = messages.conversation_id AND earlier.id < messages.id
);
CREATE INDEX messages_by_parent ON messages (parent_id, conversation_id);
-- The end of the branch that is shown.
ALTER TABLE conversations ADD COLUMN leaf_id INTEGER REFERENCES messages (id);
UPDATE conversations SET leaf_id = (SELECT max(id) FROM messages WHERE conversation_id = conversations.id);
CREATE INDEX conversations_by_leaf ON conversations (leaf_id);

-- Text files that go with a question, in the order in which they were chosen.
CREATE TABLE attachments (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL CHECK (number >= 0),
    name       TEXT NOT NULL CHECK (name <> ''),
    text       TEXT NOT NULL,
    PRIMARY KEY (message_id, number)
) STRICT;

-- Messages with all that stand in the same place, in the order in which they came, and with their files.
CREATE VIEW whole_messages AS
    SELECT messages.*, (
        SELECT json_group_array(sibling.id ORDER BY sibling.id) FROM messages AS sibling
        WHERE sibling.parent_id IS messages.parent_id AND sibling.conversation_id = messages.conversation_id
    ) AS siblings, (
        SELECT json_group_array(json_object('name', name, 'text', attachments.text) ORDER BY number) FROM attachments
        WHERE message_id = messages.id
    ) AS attachments FROM messages;

ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE conversations ADD COLUMN tags TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array');
-- What the models are told before anything is said; often nothing.
ALTER TABLE conversations ADD COLUMN system TEXT NOT NULL DEFAULT '';
-- When it left the list; it can come back.
ALTER TABLE conversations ADD COLUMN removed_at INTEGER;
DROP INDEX conversations_by_update;
CREATE INDEX conversations_in_list ON conversations (pinned DESC, updated_at DESC, id DESC) WHERE removed_at IS NULL;

-- The words of titles and of messages. An answer is found once it is whole: while it runs, its words change all the time.
CREATE VIEW messages_at_rest AS SELECT id, text FROM messages WHERE state <> 'running';
CREATE VIRTUAL TABLE title_words USING fts5 (
    title, content = 'conversations', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE message_words USING fts5 (
    text, content = 'messages_at_rest', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
-- What is deleted leaves the index at once, and not when it is tidied up.
INSERT INTO title_words (title_words, rank) VALUES ('secure-delete', 1);
INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER title_given AFTER INSERT ON conversations BEGIN
    INSERT INTO title_words (rowid, title) VALUES (new.id, new.title);
END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversations BEGIN
    INSERT INTO title_words (title_words, rowid, title) VALUES ('delete', old.id, old.title);
    INSERT INTO title_words (rowid, title) VALUES (new.id, new.title);
END;
CREATE TRIGGER title_gone AFTER DELETE ON conversations BEGIN
    INSERT INTO title_words (title_words, rowid, title) VALUES ('delete', old.id, old.title);
END;
CREATE TRIGGER message_given AFTER INSERT ON messages WHEN new.state <> 'running' BEGIN
    INSERT INTO message_words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF text, state ON messages BEGIN
    INSERT INTO message_words (message_words, rowid, text) SELECT 'delete', old.id, old.text WHERE old.state <> 'running';
    INSERT INTO message_words (rowid, text) SELECT new.id, new.text WHERE new.state <> 'running';
END;
CREATE TRIGGER message_gone AFTER DELETE ON messages WHEN old.state <> 'running' BEGIN
    INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, old.text);
END;
INSERT INTO title_words (title_words) VALUES ('rebuild');
INSERT INTO message_words (message_words) VALUES ('rebuild');
