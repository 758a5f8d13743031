-- What sign-in, assertions and project checks read.

-- Organizations that were granted a project: their people pass its check as those of its owner do.
CREATE TABLE directory.project_grant (
  project_id               directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  granted_organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  PRIMARY KEY (project_id, granted_organization_id)
);
CREATE INDEX project_grant_organization ON directory.project_grant (granted_organization_id);

CREATE TRIGGER record_insert AFTER INSERT ON directory.project_grant REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('project', 'project_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.project_grant
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('project', 'project_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.project_grant REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('project', 'project_id');

-- A policy says what it says, and leaves out what is false; an organization without one has the defaults.
CREATE OR REPLACE VIEW directory_read.organization_v1 AS
  SELECT o.organization_id,
         o.name,
         o.primary_domain,
         o.state = 'active' AS active,
         o.token_epoch,
         login.document IS NULL OR coalesce(login.document ->> 'allowRegister' = 'true', false) AS allow_register,
         -- Failures after which the next try has to wait; 0: never.
         coalesce((lockout.document ->> 'maxPasswordAttempts')::integer, 5) AS max_password_attempts,
         coalesce((password.document ->> 'minLength')::integer, 8) AS password_min_length,
         coalesce(password.document ->> 'hasUppercase' = 'true', false) AS password_needs_uppercase,
         coalesce(password.document ->> 'hasLowercase' = 'true', false) AS password_needs_lowercase,
         coalesce(password.document ->> 'hasNumber' = 'true', false) AS password_needs_number,
         coalesce(password.document ->> 'hasSymbol' = 'true', false) AS password_needs_symbol
    FROM directory.organization o
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = o.organization_id AND login.kind = 'login'
    LEFT JOIN directory.organization_policy lockout
           ON lockout.organization_id = o.organization_id AND lockout.kind = 'lockout'
    LEFT JOIN directory.organization_policy password
           ON password.organization_id = o.organization_id AND password.kind = 'password_complexity';

CREATE VIEW directory_read.project_grant_v1 AS
  SELECT project_id, granted_organization_id FROM directory.project_grant;

-- Public halves of the keys that service users sign assertions with.
CREATE VIEW directory_read.machine_key_v1 AS
  SELECT user_id, kid, jwk, expires_at FROM directory.machine_key;

GRANT SELECT ON directory_read.project_grant_v1 TO signet_login, signet_token;
GRANT SELECT ON directory_read.machine_key_v1 TO signet_token;
-- Personal access tokens can be introspected.
GRANT SELECT ON directory_read.personal_access_token_v1 TO signet_introspection;
