-- What a drafter can do, besides its limit; null of one that was added before.
ALTER TABLE models ADD COLUMN draft_usual INTEGER CHECK (draft_usual BETWEEN 0 AND 4294967295);
ALTER TABLE models ADD COLUMN draft_confident INTEGER CHECK (draft_confident IN (0, 1));

-- Drafts may come from the text itself. That is no model, but wherever a drafter is named it is called lookup, so no model
-- may be.
UPDATE OR IGNORE models SET id = 'lookup-model' WHERE id = 'lookup';
ALTER TABLE conversations ADD COLUMN lookup INTEGER NOT NULL DEFAULT 0 CHECK (lookup IN (0, 1));
ALTER TABLE conversations ADD COLUMN drafter TEXT AS (CASE WHEN lookup THEN 'lookup' ELSE drafter_id END) VIRTUAL;
