-- Back-channel logout also when an application or an organization ends: what else a session was made under. Null in rows
-- from before, which are not told of such an end until their application comes back.
ALTER TABLE grants.session_client
  ADD COLUMN client_epoch bigint,
  ADD COLUMN client_organization_id text,
  ADD COLUMN client_organization_epoch bigint,
  ADD COLUMN user_organization_id text,
  ADD COLUMN user_organization_epoch bigint;

CREATE INDEX session_client_client ON grants.session_client (client_id) WHERE ended_at IS NULL;
CREATE INDEX session_client_client_organization ON grants.session_client (client_organization_id)
  WHERE ended_at IS NULL;
CREATE INDEX session_client_user_organization ON grants.session_client (user_organization_id) WHERE ended_at IS NULL;
