-- What can be done about the reason for which a download stands.
ALTER TABLE downloads ADD COLUMN code TEXT;

-- Downloads with what they bring. Sums of sizes that no disk has are cut.
CREATE VIEW downloads_with_repo AS
    SELECT downloads.*, repos.name AS repo, commit_hash,
           (SELECT CAST(min(total(bytes), 9e18) AS INTEGER) FROM files
            WHERE files.revision_id = downloads.revision_id) AS total,
           (SELECT min(models.id) FROM models
            WHERE models.revision_id = downloads.revision_id AND source = 'hub' AND trashed_at IS NULL) AS model
    FROM downloads JOIN revisions ON revisions.id = downloads.revision_id JOIN repos ON repos.id = repo_id;
