-- The names under which Apple knows the key that signs the client secret: its team and the key.
ALTER TABLE directory.identity_provider ADD COLUMN team_id text;
ALTER TABLE directory.identity_provider ADD COLUMN key_id text;
