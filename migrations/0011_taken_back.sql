-- When a calibration was taken out of force: that it once was in force stays known.
ALTER TABLE calibrations ADD COLUMN reverted_at INTEGER;
-- What the drafter's file held before this was written into it, as long as that can be put back.
ALTER TABLE calibrations ADD COLUMN replaced TEXT CHECK (json_valid(replaced));
DROP INDEX calibrations_applied;
CREATE INDEX calibrations_applied ON calibrations (target_hash, drafter_hash)
    WHERE applied_at IS NOT NULL AND reverted_at IS NULL;

-- The conversation that a prompt is from, until the calibration is done: it goes with that.
ALTER TABLE calibration_prompts ADD COLUMN conversation_id INTEGER REFERENCES conversations (id) ON DELETE CASCADE;
CREATE INDEX calibration_prompts_of_conversations ON calibration_prompts (conversation_id)
    WHERE conversation_id IS NOT NULL;
