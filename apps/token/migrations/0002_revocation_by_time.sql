-- Every reader asks once a second what was revoked in the last seconds.
CREATE INDEX revocation_by_time ON grants.revocation (revoked_at);
