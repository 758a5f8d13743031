-- The providers by which people of an organization sign in with an identity that they have there.
CREATE TABLE directory.identity_provider (
  provider_id           directory.object_id PRIMARY KEY,
  organization_id       directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  name                  text NOT NULL,
  type                  text NOT NULL DEFAULT 'oidc' CHECK (type = 'oidc'),
  -- A label, and the defaults of the creation.
  preset                text,
  issuer                text NOT NULL,
  client_id             text NOT NULL,
  client_authentication text NOT NULL CHECK (client_authentication IN ('client_secret_basic', 'client_secret_post', 'none')),
  sealed_secret         bytea,
  scopes                text[] NOT NULL,
  subject_claim         text NOT NULL DEFAULT 'sub',
  required_claims       jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(required_claims) = 'object'),
  mapped_claims         jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(mapped_claims) = 'object'),
  groups_claim          text,
  -- [{group, projectId, roles}]
  role_mappings         jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(role_mappings) = 'array'),
  linking_allowed       boolean NOT NULL DEFAULT false,
  creation_allowed      boolean NOT NULL DEFAULT false,
  updates_profile       boolean NOT NULL DEFAULT false,
  trusted_email_domains text[] NOT NULL DEFAULT '{}',
  trusts_methods        boolean NOT NULL DEFAULT false,
  state                 text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  created_at            timestamptz NOT NULL DEFAULT now(),
  changed_at            timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX identity_provider_organization ON directory.identity_provider (organization_id);

-- The identities of people at providers. A row is the only thing that finds the account of an identity.
CREATE TABLE directory.identity_link (
  link_id      directory.object_id PRIMARY KEY,
  user_id      directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  provider_id  directory.object_id NOT NULL REFERENCES directory.identity_provider ON DELETE CASCADE,
  issuer       text NOT NULL,
  subject      text NOT NULL,
  display_name text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT identity_link_identity UNIQUE (provider_id, issuer, subject)
);
CREATE INDEX identity_link_user ON directory.identity_link (user_id);

-- The sign-in page of the organization shows its providers. No reader caches links.
CREATE TRIGGER record_insert AFTER INSERT ON directory.identity_provider REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('organization', 'organization_id');
CREATE TRIGGER record_update AFTER UPDATE ON directory.identity_provider
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('organization', 'organization_id');
CREATE TRIGGER record_delete AFTER DELETE ON directory.identity_provider REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change('organization', 'organization_id');

-- The members of a login policy about sign-ins by providers.
ALTER TYPE directory.effective_policy ADD ATTRIBUTE force_mfa_of_providers boolean;
ALTER TYPE directory.effective_policy ADD ATTRIBUTE allows_providers boolean;
ALTER TYPE directory.effective_policy ADD ATTRIBUTE provider_ids jsonb;
ALTER TYPE directory.effective_policy ADD ATTRIBUTE provider_seconds bigint;

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
         directory.lifetime_seconds(login ->> 'externalLoginCheckLifetime');
END;
