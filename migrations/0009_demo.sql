-- The models that come with the app are neither downloaded nor somebody's folder. A check only changes with its column,
-- and the views name that column, so they make way for it.
DROP VIEW downloads_with_repo;
DROP VIEW models_with_repo;
ALTER TABLE models ADD COLUMN kept_by TEXT NOT NULL DEFAULT 'folder'
    CHECK (kept_by IN ('folder', 'hub', 'hugging_face_cache', 'lm_studio', 'trained', 'demo'));
UPDATE models SET kept_by = source;
ALTER TABLE models DROP COLUMN source;
ALTER TABLE models RENAME COLUMN kept_by TO source;

CREATE VIEW models_with_repo AS
    SELECT models.*, repos.name AS repo, commit_hash
    FROM models LEFT JOIN revisions ON revisions.id = revision_id LEFT JOIN repos ON repos.id = repo_id;
CREATE VIEW downloads_with_repo AS
    SELECT downloads.*, repos.name AS repo, commit_hash,
           (SELECT CAST(min(total(bytes), 9e18) AS INTEGER) FROM files
            WHERE files.revision_id = downloads.revision_id) AS total,
           (SELECT min(models.id) FROM models
            WHERE models.revision_id = downloads.revision_id AND source = 'hub' AND trashed_at IS NULL) AS model
    FROM downloads JOIN revisions ON revisions.id = downloads.revision_id JOIN repos ON repos.id = repo_id;
