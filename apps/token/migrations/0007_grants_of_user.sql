-- F-38: people see which applications hold a grant of theirs, and end those grants.
CREATE INDEX authorization_grant_user ON grants.authorization_grant (user_id, client_id) WHERE ended_at IS NULL;
