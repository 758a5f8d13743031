-- Whether administrators with a role of impersonators may sign in as the people of the organization.
ALTER TYPE directory.effective_policy ADD ATTRIBUTE allows_impersonation boolean;

CREATE OR REPLACE FUNCTION directory.effective_policy(
  login jsonb, lockout jsonb, password_complexity jsonb, domain jsonb, floors directory.setting
) RETURNS SETOF directory.effective_policy LANGUAGE sql IMMUTABLE ROWS 1
-- Parsed now: roles that read the views may not look names up in this schema.
BEGIN ATOMIC
  SELECT coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- A person who registers chooses a password, which is of no use where it does not sign in.
         (login IS NULL OR coalesce(login ->> 'allowRegister' = 'true', false))
           AND coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- Of sign-ins without a provider.
         coalesce('true' IN (login ->> 'forceMfa', login ->> 'forceMfaLocalOnly'), false),
         coalesce(login ->> 'passwordlessType' <> 'PASSWORDLESS_TYPE_NOT_ALLOWED', true),
         coalesce(nullif(login -> 'secondFactors', 'null'::jsonb) ? 'SECOND_FACTOR_TYPE_U2F', true),
         coalesce(nullif(login -> 'multiFactors', 'null'::jsonb) ? 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION', true),
         coalesce(directory.lifetime_seconds(login ->> 'mfaInitSkipLifetime'), 2592000),
         -- Null: as long as the session.
         directory.lifetime_seconds(login ->> 'passwordCheckLifetime'),
         directory.lifetime_seconds(login ->> 'secondFactorCheckLifetime'),
         directory.lifetime_seconds(login ->> 'multiFactorCheckLifetime'),
         coalesce(login ->> 'identifierFirst' = 'true', false),
         coalesce(login ->> 'hidePasswordReset' = 'true', false),
         coalesce(login ->> 'sessionEndsWithBrowser' = 'true', false),
         coalesce(login ->> 'disableLoginWithEmail' <> 'true', true),
         directory.stricter_attempts((lockout ->> 'maxPasswordAttempts')::numeric, (floors).max_password_attempts),
         directory.stricter_attempts((lockout ->> 'maxOtpAttempts')::numeric, (floors).max_otp_attempts),
         greatest((password_complexity ->> 'minLength')::integer, (floors).password_min_length),
         coalesce(password_complexity ->> 'hasUppercase' = 'true', false),
         coalesce(password_complexity ->> 'hasLowercase' = 'true', false),
         coalesce(password_complexity ->> 'hasNumber' = 'true', false),
         coalesce(password_complexity ->> 'hasSymbol' = 'true', false),
         coalesce(domain ->> 'userLoginMustBeDomain' = 'false', false),
         coalesce(login ->> 'forceMfa' = 'true', false),
         coalesce(login ->> 'allowExternalIdp' <> 'false', true),
         -- Null: no provider is left out.
         nullif(jsonb_path_query_array(login -> 'idps', '$[*].idpId'), '[]'::jsonb),
         directory.lifetime_seconds(login ->> 'externalLoginCheckLifetime'),
         coalesce(login ->> 'allowDomainDiscovery' = 'true', false),
         coalesce(login ->> 'allowImpersonation' = 'true', false);
END;

-- Sign-ins of administrators as another person: first the link that begins one, then its session. A deleted row ends both.
CREATE TABLE directory.impersonation (
  impersonation_id  directory.object_id PRIMARY KEY,
  administrator_id  directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  user_id           directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  -- Typed by the administrator; the person reads it.
  reason            text NOT NULL CHECK (char_length(reason) BETWEEN 10 AND 500),
  -- SHA-256 of the token of the link; null once it was used.
  token_hash        bytea UNIQUE CHECK (octet_length(token_hash) = 32),
  opened_at         timestamptz,
  -- End of the link, then of the session.
  expires_at        timestamptz NOT NULL,
  CONSTRAINT impersonation_of_another CHECK (administrator_id <> user_id),
  CONSTRAINT impersonation_link CHECK ((token_hash IS NULL) = (opened_at IS NOT NULL))
);
CREATE INDEX impersonation_administrator ON directory.impersonation (administrator_id);
CREATE INDEX impersonation_user ON directory.impersonation (user_id);
CREATE INDEX impersonation_expires_at ON directory.impersonation (expires_at);

-- Its sessions and tokens name it as a personal access token of the user `impersonation`.
CREATE TRIGGER record_endings AFTER DELETE ON directory.impersonation
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''p'', ''impersonation '' || impersonation_id, 1 FROM old_rows WHERE opened_at IS NOT NULL AND expires_at > now()');

-- Argument: a condition on the row `i` over the rows of the statement.
CREATE FUNCTION directory.end_impersonations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'DELETE FROM directory.impersonation i WHERE ' || TG_ARGV[0];
  RETURN NULL;
END $$;
-- An administrator loses a role, or the person gets one that may reach further than the administrator.
CREATE TRIGGER end_impersonations_insert AFTER INSERT ON directory.member
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.end_impersonations(
    'i.user_id IN (SELECT user_id FROM new_rows)');
CREATE TRIGGER end_impersonations_update AFTER UPDATE ON directory.member
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.end_impersonations(
    'i.administrator_id IN (SELECT user_id FROM old_rows) OR i.user_id IN (SELECT user_id FROM new_rows)');
CREATE TRIGGER end_impersonations_delete AFTER DELETE ON directory.member
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.end_impersonations(
    'i.administrator_id IN (SELECT user_id FROM old_rows)');
CREATE TRIGGER end_impersonations AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation AND NOT NEW.enable_impersonation)
  EXECUTE FUNCTION directory.end_impersonations('true');

-- The policy of the organization stops allowing it.
CREATE FUNCTION directory.end_impersonations_of_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.impersonation i
   USING directory.account a JOIN directory.effective_policy_v1 p USING (organization_id)
   WHERE a.user_id = i.user_id AND NOT p.allows_impersonation;
  RETURN NULL;
END $$;
CREATE TRIGGER end_impersonations AFTER UPDATE OR DELETE ON directory.organization_policy
  FOR EACH ROW WHEN (OLD.kind = 'login' AND OLD.document ->> 'allowImpersonation' = 'true')
  EXECUTE FUNCTION directory.end_impersonations_of_policy();
