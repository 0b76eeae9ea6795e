-- What an answer's rounds did, token by token; read only for who asks how the answer came about.
CREATE TABLE rounds (
    message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    rounds     TEXT NOT NULL CHECK (json_type(rounds) = 'array')
) STRICT;
