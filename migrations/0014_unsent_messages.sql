-- What is typed and attached and not sent yet, in each conversation and in the new chat, which is the one without a number.
CREATE TABLE unsent_messages (
    conversation_id INTEGER UNIQUE REFERENCES conversations (id) ON DELETE CASCADE,
    text            TEXT NOT NULL,
    attachments     TEXT NOT NULL CHECK (json_type(attachments) = 'array'),
    -- What the models of the new chat are to be told before anything is said; a conversation has its own.
    system          TEXT NOT NULL
) STRICT;
