-- What the model thought before it answered. A column of its own, as it is saved with the text while an answer runs;
-- the record comes with the end only.
ALTER TABLE messages ADD COLUMN thought TEXT NOT NULL DEFAULT '';
