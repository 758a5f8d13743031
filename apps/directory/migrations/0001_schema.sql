-- replaces the files of commit 738cc7c4 and later ones:
--   0001_organization.sql 0002_account.sql 0003_project.sql 0004_application.sql 0005_instance.sql 0006_change_feed.sql
--   0007_published_views.sql 0008_epochs.sql 0009_self_service.sql 0010_sign_in_views.sql 0011_service_user_view.sql
--   0012_audit.sql 0013_instance_revision.sql 0014_application_origins.sql 0015_management.sql 0016_credential_times.sql
--   0017_project_endings.sql 0018_audit_search.sql 0019_grant_lists.sql 0020_organization_metadata.sql 0021_last_owner.sql
--   0025_transfer.sql 0026_claims.sql 0027_bulk_accounts.sql 0028_life_views.sql 0029_new_accounts.sql 0030_audit_partitions.sql
--   0031_api_and_first_party_marks.sql 0032_callers_of_our_apis.sql 0033_acceptance.sql 0034_owner_who_can_sign_in.sql
--   0036_policies_that_act.sql 0037_owner_without_password_sign_in.sql 0042_client_ids_of_projects.sql 0043_user_ids.sql
--   0044_tombstones.sql 0045_personal_access_tokens.sql 0046_ending_change.sql 0047_restored.sql 0048_client_logout.sql
--   0049_ended_token_ids.sql 0050_application_settings.sql 0051_undo.sql 0052_organization_order.sql
--   0053_endings_of_repeated_undos.sql 0060_mail.sql 0061_passkeys.sql 0064_recovery_codes.sql 0066_email_change.sql
--   0067_label_colours.sql 0068_second_factor_of_administrators.sql 0069_identifier_first.sql 0070_branding_files.sql
--   0071_login_texts.sql 0072_privacy_links.sql 0073_trusted_browsers.sql 0080_folded_user_names.sql
--   0085_import_job_of_organization.sql 0095_proofs_that_bind.sql 0096_stopped_factors.sql
--   0100_sessions_that_end_with_the_browser.sql 0105_refresh_retry.sql 0106_signing_algorithms.sql 0107_effective_policies.sql
--   0108_organization_deletion.sql

-- Organizations own everything else: people and service users, projects with their applications and roles, policies.

CREATE DOMAIN directory.object_id AS text;
-- Users keep the ids of the product that they come from, such as auth0|5f7c; which other ids may not hold `|` is checked where they
-- come in. A repetition with an upper bound makes the matcher build some hundred states for each value: 17 µs instead of 1.
-- NOT VALID: values that are older than this spelling of the rule were not checked again.
ALTER DOMAIN directory.object_id ADD CONSTRAINT object_id_syntax
  CHECK (length(value) BETWEEN 1 AND 200 AND value !~ '[^A-Za-z0-9._~@+|-]') NOT VALID;

---------------------------------------------------------------------------------------------------------------------------------
-- Organizations

CREATE TABLE directory.organization (
  organization_id  directory.object_id PRIMARY KEY,
  name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  -- An organization with more rows than one request may delete gets the state `deleting`, by which everything of it ends at
  -- once, and a job of the directory deletes its rows in batches, its own row last.
  state            text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive', 'deleting')),
  -- Login names are <user_name>@<primary_domain>.
  primary_domain   text NOT NULL,
  -- Everything made for members or applications of the organization under a lower epoch is dead.
  token_epoch      bigint NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL DEFAULT now(),
  -- An imported organization keeps the time at which it was created elsewhere, which may be earlier. Null: it was created here.
  imported_at      timestamptz,
  -- The job of the import that created it: until its end the document of this import writes as an owner of it.
  import_job_id    text
);
CREATE INDEX organization_deleting ON directory.organization (organization_id) WHERE state = 'deleting';

CREATE TABLE directory.organization_domain (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  domain           text NOT NULL
                   CONSTRAINT domain_syntax CHECK (domain = lower(domain) AND domain ~ '^[^\s@/]{1,253}$'),
  is_verified      boolean NOT NULL,
  PRIMARY KEY (organization_id, domain)
);
-- Resolves the part of a login name behind its last @; a verified domain belongs to one organization only.
CREATE UNIQUE INDEX organization_domain_verified ON directory.organization_domain (domain) WHERE is_verified;
-- Deferred, because an organization and its first domain refer to each other.
ALTER TABLE directory.organization ADD CONSTRAINT organization_primary_domain_fkey
  FOREIGN KEY (organization_id, primary_domain) REFERENCES directory.organization_domain (organization_id, domain)
  DEFERRABLE INITIALLY DEFERRED;

-- One document per kind; its members are typed where it enters.
CREATE TABLE directory.organization_policy (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  kind             text NOT NULL
                   CHECK (kind IN ('login', 'lockout', 'password_complexity', 'privacy', 'label', 'domain')),
  document         jsonb NOT NULL CHECK (jsonb_typeof(document) = 'object'),
  PRIMARY KEY (organization_id, kind)
);

-- What administrators note about an organization, as `user_metadata` is for an account.
CREATE TABLE directory.organization_metadata (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  key              text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  value            bytea NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 500000),
  PRIMARY KEY (organization_id, key)
);

-- The SMTP server by which the messages to its people go.
CREATE TABLE directory.organization_smtp (
  organization_id  directory.object_id PRIMARY KEY REFERENCES directory.organization ON DELETE CASCADE,
  host             text NOT NULL,
  port             integer NOT NULL,
  tls              text NOT NULL CHECK (tls IN ('implicit', 'starttls')),
  user_name        text,
  -- AES-256-GCM under the directory master key
  sealed_password  bytea,
  sender_address   text NOT NULL,
  sender_name      text,
  CHECK ((user_name IS NULL) = (sealed_password IS NULL))
);

-- Logos, icons and the font of the sign-in and account pages.
CREATE TABLE directory.branding_file (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  kind             text NOT NULL CHECK (kind IN ('logo', 'logo-dark', 'icon', 'icon-dark', 'font')),
  -- By the content, never by what the caller says.
  media_type       text NOT NULL
    CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'font/woff2')),
  content          bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 524288),
  -- In hexadecimal digits, as in the path under which the file is served.
  sha256           text NOT NULL GENERATED ALWAYS AS (encode(sha256(content), 'hex')) STORED,
  changed_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, kind),
  CHECK ((kind = 'font') = (media_type = 'font/woff2'))
);
-- Files of formats that are compressed already.
ALTER TABLE directory.branding_file ALTER COLUMN content SET STORAGE EXTERNAL;
-- Several organizations may have the same file.
CREATE INDEX branding_file_sha256 ON directory.branding_file (sha256);

-- The texts of the sign-in pages that an organization replaces in one language, by the names of docs/spec 6.2:
-- {"loginText.title": "…"}. The record of the export format, with all texts, is in directory.carried_record, sealed; both are
-- written in one transaction.
CREATE TABLE directory.login_text (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  language         text NOT NULL,
  texts            jsonb NOT NULL CHECK (jsonb_typeof(texts) = 'object'),
  PRIMARY KEY (organization_id, language)
);

---------------------------------------------------------------------------------------------------------------------------------
-- Ids

-- One namespace of ids spans users, service users and client_ids, so that `sub` and `client_id` can never mean two things.
CREATE TABLE directory.principal (
  principal_id  directory.object_id PRIMARY KEY,
  owner_kind    text NOT NULL CHECK (owner_kind IN ('account', 'application')),
  owner_id      directory.object_id NOT NULL
);
-- Deleting an owner releases its ids. Most owners have one id, their own, which the primary key finds.
CREATE INDEX principal_other_id ON directory.principal (owner_kind, owner_id) WHERE principal_id <> owner_id;

-- Ids that were given up. Relying parties know people and clients by their ids for ever (OpenID Connect Core section 2:
-- a subject identifier is never reassigned), so another organization never gets an id a second time.
CREATE TABLE directory.tombstone (
  id               text NOT NULL,
  -- What had the id. A service user has two, its own and its client_id; `client` is the client_id of an application.
  kind             text NOT NULL
                   CHECK (kind IN ('human', 'service_user', 'client', 'application', 'project', 'organization')),
  -- Where the same kind of object may have the id again; null: in no organization, because several had it or none is known.
  organization_id  text,
  ended_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id, kind)
);
-- Users who were deleted lately.
CREATE INDEX tombstone_ended ON directory.tombstone (ended_at);

---------------------------------------------------------------------------------------------------------------------------------
-- People and service users. What proves who they are lies in tables of its own, which no published view reads.

CREATE TABLE directory.account (
  user_id                directory.object_id PRIMARY KEY,
  organization_id        directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  kind                   text NOT NULL CHECK (kind IN ('human', 'service_user')),
  user_name              text NOT NULL CHECK (char_length(user_name) BETWEEN 1 AND 200),
  user_name_key          text NOT NULL,
  -- Kept by triggers: true where the organization's domain policy lets people sign in by the bare user name. A writer of many
  -- users of one organization reads the policy once and gives the value; without one the trigger reads it for each row.
  user_name_is_global    boolean NOT NULL,
  state                  text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive', 'locked')),
  display_name           text NOT NULL CHECK (char_length(display_name) BETWEEN 1 AND 200),
  given_name             text,
  family_name            text,
  middle_name            text,
  nickname               text,
  profile_url            text,
  picture                text,
  website                text,
  gender                 text,
  birthdate              text,
  zoneinfo               text,
  -- BCP 47
  preferred_language     text,
  email                  text,
  email_key              text,
  email_verified         boolean NOT NULL DEFAULT false,
  phone_number           text,
  phone_number_verified  boolean NOT NULL DEFAULT false,
  street_address         text,
  locality               text,
  region                 text,
  postal_code            text,
  country                text,
  token_epoch            bigint NOT NULL DEFAULT 0,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now(),
  CHECK ((email IS NULL) = (email_key IS NULL)),
  -- With the name first it serves sign-in by the user name alone too.
  CONSTRAINT account_user_name UNIQUE (user_name_key, organization_id)
);
COMMENT ON COLUMN directory.account.user_name_key IS
  'user_name as sign-in compares it: width mapped, NFC, case folded, the domain after an @ in ASCII';
COMMENT ON COLUMN directory.account.email_key IS 'email as sign-in compares it: NFC, lower case, the domain in ASCII';
CREATE UNIQUE INDEX account_global_user_name ON directory.account (user_name_key) WHERE user_name_is_global;
-- Sign-in by e-mail; unverified addresses prove nothing.
CREATE INDEX account_verified_email ON directory.account (email_key) WHERE email_verified;
-- Lists go by organization and id; registering and importing write in no order.
CREATE INDEX account_organization ON directory.account (organization_id, user_id);

CREATE TABLE directory.account_password (
  user_id          directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- An encoded hash; its prefix names the algorithm.
  hash             text NOT NULL,
  -- When the person's password last became another one; another hash of the same one leaves it alone.
  changed_at       timestamptz NOT NULL,
  -- The person has to choose another password before they are signed in.
  change_required  boolean NOT NULL DEFAULT false
);

CREATE TABLE directory.account_totp (
  user_id      directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- AES-256-GCM under the directory master key
  sealed_seed  bytea NOT NULL,
  -- The newest time step (RFC 6238) that a code was accepted for; no code of it or of an earlier one is accepted again.
  last_step    bigint NOT NULL DEFAULT 0
);

-- Passkeys (WebAuthn Level 3): public keys with which people sign in.
CREATE TABLE directory.passkey_user (
  user_id           directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- WebAuthn section 5.4.3: random, and no personal data, because authenticators show it to other sites.
  handle            bytea NOT NULL UNIQUE CHECK (octet_length(handle) = 32),
  -- When the person last declined to add a passkey.
  offer_skipped_at  timestamptz
);

CREATE TABLE directory.passkey (
  passkey_id       directory.object_id PRIMARY KEY,
  user_id          directory.object_id NOT NULL REFERENCES directory.passkey_user ON DELETE CASCADE,
  -- The relying party that it was made for; browsers offer it to no other.
  rp_id            text NOT NULL,
  credential_id    bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 16 AND 1023),
  -- COSE_Key (RFC 9052)
  public_key       bytea NOT NULL,
  -- The signature counter of the last sign-in; 0 for authenticators without one.
  counter          bigint NOT NULL,
  transports       text[] NOT NULL,
  aaguid           uuid NOT NULL,
  name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  -- Whether the private key may be on several devices, and whether it is.
  backup_eligible  boolean NOT NULL,
  backed_up        boolean NOT NULL,
  created_at       timestamptz NOT NULL,
  last_used_at     timestamptz,
  -- When the counter went back: two authenticators have the private key. It signs in no more.
  cloned_at        timestamptz,
  UNIQUE (rp_id, credential_id)
);
-- The passkeys of a person.
CREATE INDEX passkey_of_user ON directory.passkey (user_id, passkey_id);

-- Each code stands in once for the second factor of a person; a used one is deleted.
CREATE TABLE directory.recovery_code (
  user_id    directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  -- SHA-256: the code has 120 random bits.
  code_hash  bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  PRIMARY KEY (user_id, code_hash)
);

-- A random value that the cookies of trusted browsers depend on, which are not asked for a second factor for some time. Deleting
-- it ends all of them, and no later value equals it.
CREATE TABLE directory.browser_trust (
  user_id  directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  secret   bytea NOT NULL CHECK (octet_length(secret) = 32)
);

-- The browsers that depend on the secret of a person, so that one of them can be ended. Its rows end with it.
CREATE TABLE directory.trusted_browser (
  user_id       directory.object_id NOT NULL REFERENCES directory.browser_trust ON DELETE CASCADE,
  -- Random, in the cookie of the browser.
  browser_id    text NOT NULL,
  -- Names of browser and system such as `Firefox, Linux`; empty: unknown.
  agent         text NOT NULL,
  trusted_at    timestamptz NOT NULL,
  last_used_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, browser_id)
);

CREATE TABLE directory.user_metadata (
  user_id  directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  key      text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  value    bytea NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 500000),
  PRIMARY KEY (user_id, key)
);

CREATE TABLE directory.service_user (
  user_id                   directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- Null while no id is free for it: its user name may not be one, or may be taken.
  client_id                 directory.object_id UNIQUE,
  access_token_type         text NOT NULL DEFAULT 'bearer' CHECK (access_token_type IN ('bearer', 'jwt')),
  access_token_signing_alg  text NOT NULL DEFAULT 'RS256' CHECK (access_token_signing_alg IN ('RS256', 'ES256', 'EdDSA'))
);

CREATE TABLE directory.service_user_secret (
  secret_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id     directory.object_id NOT NULL REFERENCES directory.service_user ON DELETE CASCADE,
  hash        text NOT NULL,
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_user_secret_owner ON directory.service_user_secret (user_id);

-- Public halves; a service user signs jwt-bearer assertions with the private one.
CREATE TABLE directory.machine_key (
  user_id     directory.object_id NOT NULL REFERENCES directory.service_user ON DELETE CASCADE,
  kid         directory.object_id NOT NULL,
  jwk         jsonb NOT NULL,
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, kid)
);

CREATE TABLE directory.personal_access_token (
  user_id     directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  token_id    directory.object_id NOT NULL,
  -- SHA-256 of the token; unique, because a token is looked up by it.
  token_hash  bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- The administrator roles that a token is narrowed to; null: all that its owner holds.
  roles       text[],
  PRIMARY KEY (user_id, token_id)
);

---------------------------------------------------------------------------------------------------------------------------------
-- Projects bundle applications and roles; members administer. What crosses organizations counts when the receiving side has
-- accepted it. Rows that imports and bootstrap files write count as accepted.

CREATE TABLE directory.project (
  project_id                directory.object_id PRIMARY KEY,
  organization_id           directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  name                      text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  project_role_assertion    boolean NOT NULL DEFAULT false,
  project_role_check        boolean NOT NULL DEFAULT false,
  has_project_check         boolean NOT NULL DEFAULT false,
  created_at                timestamptz NOT NULL DEFAULT now(),
  -- Which clients of other organizations may name the project as an audience.
  allowed_audiences         text[] NOT NULL DEFAULT '{}',
  -- Whose colours the pages of a sign-in to an application of the project have; null: not stated. An older import stored it
  -- sealed, in directory.carried_record.
  private_labeling_setting  text
    CHECK (private_labeling_setting IN ('PRIVATE_LABELING_SETTING_UNSPECIFIED',
                                        'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
                                        'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'))
);
-- Lists of an organization go by id; deleting them with it.
CREATE INDEX project_organization ON directory.project (organization_id, project_id);

CREATE TABLE directory.project_role (
  project_id    directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  role_key      text NOT NULL CHECK (char_length(role_key) BETWEEN 1 AND 200),
  display_name  text NOT NULL,
  role_group    text,
  PRIMARY KEY (project_id, role_key)
);

-- Organizations that were granted a project: their people pass its check as those of its owner do.
CREATE TABLE directory.project_grant (
  project_id               directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  granted_organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  accepted                 boolean NOT NULL DEFAULT true,
  PRIMARY KEY (project_id, granted_organization_id)
);
CREATE INDEX project_grant_organization ON directory.project_grant (granted_organization_id);

CREATE TABLE directory.user_grant (
  user_id        directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  project_id     directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  user_grant_id  directory.object_id NOT NULL UNIQUE,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, project_id)
);
-- The grants of a project go by their id.
CREATE INDEX user_grant_project ON directory.user_grant (project_id, user_grant_id);

CREATE TABLE directory.user_grant_role (
  user_id     directory.object_id NOT NULL,
  project_id  directory.object_id NOT NULL,
  role_key    text NOT NULL,
  PRIMARY KEY (user_id, project_id, role_key),
  FOREIGN KEY (user_id, project_id) REFERENCES directory.user_grant ON DELETE CASCADE,
  FOREIGN KEY (project_id, role_key) REFERENCES directory.project_role ON DELETE CASCADE
);
-- Deleting a role takes it from all users who have it.
CREATE INDEX user_grant_role_role ON directory.user_grant_role (project_id, role_key);

CREATE TABLE directory.member (
  user_id          directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  level            text NOT NULL CHECK (level IN ('instance', 'organization', 'project')),
  organization_id  directory.object_id REFERENCES directory.organization ON DELETE CASCADE,
  project_id       directory.object_id REFERENCES directory.project ON DELETE CASCADE,
  role             text NOT NULL,
  accepted         boolean NOT NULL DEFAULT true,
  CONSTRAINT member_check CHECK ((level = 'organization') = (organization_id IS NOT NULL)),
  CONSTRAINT member_check1 CHECK ((level = 'project') = (project_id IS NOT NULL)),
  CONSTRAINT member_role_level CHECK (role ~ (CASE level WHEN 'instance' THEN '^IAM_[A-Z_]+$'
                                                         WHEN 'organization' THEN '^ORG_[A-Z_]+$'
                                                         ELSE '^PROJECT_[A-Z_]+$' END)),
  -- Also the index by user: what a caller may do is read at every call.
  CONSTRAINT member_once UNIQUE NULLS NOT DISTINCT (user_id, level, organization_id, project_id, role)
);
-- The members of the instance go by user.
CREATE INDEX member_instance ON directory.member (user_id) WHERE level = 'instance';
-- The members of the projects of an organization are exported with it.
CREATE INDEX member_project ON directory.member (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX member_organization ON directory.member (organization_id) WHERE organization_id IS NOT NULL;

---------------------------------------------------------------------------------------------------------------------------------
-- Applications: the OAuth clients that are not service users, and resource servers (type api).

CREATE TABLE directory.application (
  application_id                 directory.object_id PRIMARY KEY,
  client_id                      directory.object_id NOT NULL UNIQUE,
  project_id                     directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  name                           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  state                          text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  type                           text NOT NULL CHECK (type IN ('web', 'user_agent', 'native', 'api')),
  auth_method                    text NOT NULL
    CHECK (auth_method IN ('client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt')),
  redirect_uris                  text[] NOT NULL DEFAULT '{}',
  post_logout_redirect_uris      text[] NOT NULL DEFAULT '{}',
  response_types                 text[] NOT NULL
    CHECK (response_types <@ ARRAY['code', 'id_token', 'id_token token']),
  grant_types                    text[] NOT NULL
    CHECK (grant_types <@ ARRAY['authorization_code', 'implicit', 'refresh_token', 'client_credentials',
                                'urn:ietf:params:oauth:grant-type:jwt-bearer',
                                'urn:ietf:params:oauth:grant-type:token-exchange']),
  access_token_type              text NOT NULL DEFAULT 'bearer' CHECK (access_token_type IN ('bearer', 'jwt')),
  access_token_signing_alg       text NOT NULL DEFAULT 'RS256' CHECK (access_token_signing_alg IN ('RS256', 'ES256', 'EdDSA')),
  id_token_signing_alg           text NOT NULL DEFAULT 'RS256' CHECK (id_token_signing_alg IN ('RS256', 'ES256', 'EdDSA')),
  -- Null: the setting of the instance. At most a day, so that keys and readers of revocations know when a token is over.
  access_token_lifetime_seconds  integer CHECK (access_token_lifetime_seconds BETWEEN 1 AND 86400),
  id_token_lifetime_seconds      integer CHECK (id_token_lifetime_seconds BETWEEN 1 AND 86400),
  id_token_userinfo_assertion    boolean NOT NULL DEFAULT false,
  access_token_role_assertion    boolean NOT NULL DEFAULT false,
  id_token_role_assertion        boolean NOT NULL DEFAULT false,
  back_channel_logout_uri        text,
  allowed_origins                text[] NOT NULL DEFAULT '{}',
  dev_mode                       boolean NOT NULL DEFAULT false,
  pkce_optional                  boolean NOT NULL DEFAULT false,
  refresh_tokens_survive_logout  boolean NOT NULL DEFAULT false,
  token_epoch                    bigint NOT NULL DEFAULT 0,
  created_at                     timestamptz NOT NULL DEFAULT now(),
  -- Whether it gets tokens of people for Signet's own APIs.
  may_call_api                   boolean NOT NULL DEFAULT false,
  -- Whether people are not asked for consent.
  first_party                    boolean NOT NULL DEFAULT false,
  -- How the claim with the roles of a user looks.
  groups_claim                   text NOT NULL DEFAULT 'groups' CHECK (groups_claim IN ('groups', 'roles')),
  groups_qualified               boolean NOT NULL DEFAULT false,
  groups_as_objects              boolean NOT NULL DEFAULT false,
  -- Which claims it fills from metadata of users.
  claim_mapping                  jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(claim_mapping) = 'object'),
  -- Whether a native application keeps to the registered port of http://localhost.
  exact_localhost_port           boolean NOT NULL DEFAULT false
);
-- Lists of a project go by id; deleting them with it.
CREATE INDEX application_project ON directory.application (project_id, application_id);
-- A page asks for the answer of an endpoint: its origin is looked for among those of all applications.
CREATE INDEX application_allowed_origins ON directory.application USING gin (allowed_origins);

-- Several may be valid at once: the old one stays for a while after a rotation.
CREATE TABLE directory.application_secret (
  secret_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application_id  directory.object_id NOT NULL REFERENCES directory.application ON DELETE CASCADE,
  -- sha256$<base64url>, or an encoded slow hash for a short secret that a person chose
  hash            text NOT NULL,
  expires_at      timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX application_secret_owner ON directory.application_secret (application_id);

-- Public halves of private_key_jwt keys.
CREATE TABLE directory.application_key (
  application_id  directory.object_id NOT NULL REFERENCES directory.application ON DELETE CASCADE,
  kid             directory.object_id NOT NULL,
  jwk             jsonb NOT NULL,
  expires_at      timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (application_id, kid)
);

-- What a person has agreed to give an application.
CREATE TABLE directory.consent (
  user_id    directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  client_id  directory.object_id NOT NULL REFERENCES directory.application (client_id)
             ON DELETE CASCADE ON UPDATE CASCADE,
  scope      text NOT NULL CHECK (char_length(scope) BETWEEN 1 AND 1000),
  agreed_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, client_id, scope)
);
-- Deleting an application.
CREATE INDEX consent_client ON directory.consent (client_id);

---------------------------------------------------------------------------------------------------------------------------------
-- The instance

-- One row. The upper bounds are constants of the suite: keys and readers of revocations rely on them without coordination.
CREATE TABLE directory.setting (
  singleton                      boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  access_token_lifetime_seconds  integer NOT NULL DEFAULT 3600 CHECK (access_token_lifetime_seconds BETWEEN 1 AND 86400),
  id_token_lifetime_seconds      integer NOT NULL DEFAULT 3600 CHECK (id_token_lifetime_seconds BETWEEN 1 AND 86400),
  refresh_idle_seconds           integer NOT NULL DEFAULT 2592000 CHECK (refresh_idle_seconds BETWEEN 1 AND 34560000),
  refresh_absolute_seconds       integer NOT NULL DEFAULT 7776000 CHECK (refresh_absolute_seconds BETWEEN 1 AND 34560000),
  refresh_retry_window_seconds   integer NOT NULL DEFAULT 30 CHECK (refresh_retry_window_seconds BETWEEN 0 AND 60),
  session_idle_seconds           integer NOT NULL DEFAULT 604800 CHECK (session_idle_seconds BETWEEN 1 AND 34560000),
  session_absolute_seconds       integer NOT NULL DEFAULT 2592000 CHECK (session_absolute_seconds BETWEEN 1 AND 34560000),
  enable_impersonation           boolean NOT NULL DEFAULT false,
  default_organization_id        directory.object_id REFERENCES directory.organization ON DELETE SET NULL,
  -- Whether a token with `act` is a bearer at all.
  allow_impersonated_api_calls   boolean NOT NULL DEFAULT false,
  -- Of people who call with a role of the instance. Null: any age.
  iam_sign_in_max_age_seconds    integer CHECK (iam_sign_in_max_age_seconds > 0),
  -- Whether roles of the instance need a second factor. Null on a new instance: the first start of the directory stores it, which
  -- depends on the issuer. No person can sign in before that start.
  iam_requires_mfa               boolean,
  -- The floors below which no organization may go.
  password_min_length            integer NOT NULL DEFAULT 8 CHECK (password_min_length BETWEEN 1 AND 72),
  -- Failures after which the next try has to wait; 0: it never has to.
  max_password_attempts          integer NOT NULL DEFAULT 5 CHECK (max_password_attempts BETWEEN 0 AND 1000),
  max_otp_attempts               integer NOT NULL DEFAULT 5 CHECK (max_otp_attempts BETWEEN 0 AND 1000),
  -- How long a personal access token may live that is made from now on; older ones and those of the bootstrap file keep
  -- their ends.
  personal_access_token_seconds  integer NOT NULL DEFAULT 31536000
    CHECK (personal_access_token_seconds BETWEEN 1 AND 34560000),
  -- Whether the instance has an SMTP server, and the most messages in 24 hours that one organization sends through it (0: no
  -- limit). The directory writes both at start, since only its settings say so.
  sends_mail                     boolean NOT NULL DEFAULT false,
  smtp_daily_limit               integer NOT NULL DEFAULT 1000,
  -- The RP ID of the last start of the directory; null before the first one. Passkeys of another one do not count.
  passkey_rp_id                  text,
  -- For how long a refresh token is a retry while its successor was never used, at native and public clients, which
  -- lose answers.
  refresh_unused_retry_seconds   integer NOT NULL DEFAULT 600 CHECK (refresh_unused_retry_seconds BETWEEN 0 AND 600),
  -- The algorithms with which tokens are signed, and since when each is named. The keys service has keys for these alone, so
  -- an application may choose an algorithm when every client has had its keys for a day. A new instance, which has no
  -- organization, names its algorithms at once: no client has its key set.
  signing_algorithms             text[] NOT NULL DEFAULT '{RS256,ES256}'
    CONSTRAINT signing_algorithms_known CHECK (signing_algorithms <@ '{RS256,ES256,EdDSA}')
    -- Of ID tokens at first, of manifests and of heads of the audit log.
    CONSTRAINT signing_algorithms_with_rs256 CHECK ('RS256' = ANY (signing_algorithms)),
  signing_algorithms_named       jsonb NOT NULL DEFAULT '{"RS256": "-infinity", "ES256": "-infinity"}'
);

CREATE TABLE directory.feature (
  name     text PRIMARY KEY,
  enabled  boolean NOT NULL
);

-- When the features and the security policy of the instance changed last, and how often; kept by triggers, so that a
-- change is counted whichever statement makes it.
CREATE TABLE directory.instance_revision (
  kind        text PRIMARY KEY CHECK (kind IN ('features', 'security_policy')),
  sequence    bigint NOT NULL DEFAULT 0,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO directory.instance_revision (kind, sequence) VALUES ('features', 0), ('security_policy', 1);

-- A known text sealed at first start: a process with another master key finds out before it harms anything.
CREATE TABLE directory.master_key_check (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  sealed     bytea NOT NULL
);

-- What the bootstrap file said when it was last applied, field by field. The row with the empty field stands for the
-- object itself and remembers the id it was given.
CREATE TABLE directory.bootstrap_fingerprint (
  object_kind  text NOT NULL,
  -- How the file names the object; independent of the id that was generated for it.
  object_key   text NOT NULL,
  field        text NOT NULL,
  fingerprint  bytea NOT NULL,
  object_id    text,
  PRIMARY KEY (object_kind, object_key, field)
);

---------------------------------------------------------------------------------------------------------------------------------
-- Feeds of changes and endings

-- What readers must drop from their caches. Filled by triggers on every table that a published view reads, so that no
-- writer can forget it.
CREATE TABLE directory.change (
  seq   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Readers ask for everything at or above the oldest transaction that was still running at their last poll: a row
  -- that commits late is seen, whatever its seq.
  xid   xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind  text NOT NULL,
  id    text NOT NULL
);
CREATE INDEX change_xid ON directory.change (xid);

-- What ended tokens and sessions, for the token service, which keeps the revocations. Filled by triggers, so that no writer can
-- forget it.
CREATE TABLE directory.ending_change (
  seq         bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME directory.epoch_change_seq_seq)
              CONSTRAINT epoch_change_pkey PRIMARY KEY,
  -- Read like the change feed: everything at or above the oldest transaction that ran at the last poll.
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- user, client, organization or personal access token: what the id in a token means
  kind        text NOT NULL CHECK (kind IN ('u', 'c', 'o', 'p')),
  id          text NOT NULL,
  -- For u, c and o: everything made under a lower epoch is dead.
  value       bigint NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ending_change_xid ON directory.ending_change (xid);
-- Repeating the deletion of a personal access token.
CREATE INDEX ending_change_id ON directory.ending_change (kind, id);

-- The epochs of ids that were given up. An object that gets such an id later begins there, so that nothing that was made
-- for its predecessor comes back to life; sessions and refresh tokens live for up to 400 days.
CREATE TABLE directory.retired_epoch (
  kind             text NOT NULL CHECK (kind IN ('u', 'c', 'o')),
  id               text NOT NULL,
  epoch            bigint NOT NULL,
  -- What had the id, by its own id: a service user has two.
  owner_kind       text NOT NULL CHECK (owner_kind IN ('account', 'application', 'organization')),
  owner_id         text NOT NULL,
  -- Whose administrators may repeat the deletion; null for an application that went with its project.
  organization_id  text,
  retired_at       timestamptz NOT NULL DEFAULT now(),
  -- Deleting a project ends its applications; a repeated deletion finds what the first one ended.
  project_id       text
);
-- What the next holder of an id must outlive.
CREATE INDEX retired_epoch_id ON directory.retired_epoch (kind, id);
-- Repeating a deletion.
CREATE INDEX retired_epoch_owner ON directory.retired_epoch (owner_kind, owner_id);
CREATE INDEX retired_epoch_project ON directory.retired_epoch (project_id) WHERE project_id IS NOT NULL;

---------------------------------------------------------------------------------------------------------------------------------
-- What the management API and the pages need besides the objects themselves

-- A creation that is repeated under the same key is answered as the first time.
CREATE TABLE directory.idempotency_key (
  caller_id       text NOT NULL,
  key             text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  -- SHA-256 of the operation and its input
  request_digest  bytea NOT NULL CHECK (octet_length(request_digest) = 32),
  -- AES-256-GCM under the directory master key; null only inside the transaction that makes the object
  sealed_answer   bytea,
  claimed_at      timestamptz NOT NULL,
  PRIMARY KEY (caller_id, key)
);
-- Forgetting them after a day.
CREATE INDEX idempotency_key_claimed ON directory.idempotency_key (claimed_at);

-- Tries by network address, of registrations and of the pages for links and codes: an IPv4 address, or the /64 of an IPv6 one,
-- since that is what one household has.
CREATE TABLE directory.registration_attempt (
  source        inet NOT NULL,
  attempted_at  timestamptz NOT NULL,
  kind          text NOT NULL DEFAULT 'registration'
);
CREATE INDEX registration_attempt_source ON directory.registration_attempt (source, attempted_at);

CREATE TABLE directory.mail_delivery (
  -- Day of the request, counted from 1970.
  day              integer NOT NULL,
  -- In Message-ID, the same in every try.
  delivery_id      text NOT NULL DEFAULT gen_random_uuid()::text,
  kind             text NOT NULL,
  -- Null for a request whose login name is not resolved yet, and after the deletion of the user: the row counts further.
  user_id          directory.object_id REFERENCES directory.account ON DELETE SET NULL,
  -- HMAC of the normalised address under a subkey of the directory master key.
  recipient_key    bytea,
  -- The organization of the person.
  organization_id  directory.object_id,
  -- The organization by whose SMTP server the message goes; null: that of the instance.
  smtp             directory.object_id,
  -- Has a share of the deliveries in flight. An id of an organization has no colon.
  receiver         text NOT NULL GENERATED ALWAYS AS (
    CASE kind WHEN 'password_reset_request' THEN ':requests' ELSE coalesce(smtp::text, ':instance') END) STORED,
  language         text,
  -- What the person typed, under the directory master key until there is an outcome.
  sealed_request   bytea,
  created_at       timestamptz NOT NULL,
  failures         integer NOT NULL DEFAULT 0,
  -- Null once there is an outcome. A replica that tries moves it ahead, so that another one takes over.
  due_at           timestamptz,
  outcome          text CHECK (outcome IN ('delivered', 'given_up')),
  -- Of a message that does not go to the address of the account; null once there is an outcome.
  address          text,
  address_key      text,
  -- Who asked for a message with a link, for the message and the page of its link. Null: the person, on a page that asks for a
  -- login name or in their own account.
  asked_by         text CHECK (asked_by IN ('registration', 'administrator')),
  -- The name of the application from which the person came; null: none is known.
  application      text,
  PRIMARY KEY (day, delivery_id),
  CHECK ((due_at IS NULL) = (outcome IS NOT NULL)),
  CHECK ((address IS NULL) = (address_key IS NULL))
);
CREATE INDEX mail_delivery_due_instance ON directory.mail_delivery (receiver, due_at)
  WHERE due_at IS NOT NULL AND smtp IS NULL;
CREATE INDEX mail_delivery_due_tenant ON directory.mail_delivery (receiver, due_at)
  WHERE due_at IS NOT NULL AND smtp IS NOT NULL;
-- The limits of one person, one address, and one organization at the server of the instance.
CREATE INDEX mail_delivery_user ON directory.mail_delivery (user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX mail_delivery_recipient ON directory.mail_delivery (recipient_key, created_at)
  WHERE recipient_key IS NOT NULL;
CREATE INDEX mail_delivery_organization ON directory.mail_delivery (organization_id, created_at)
  WHERE organization_id IS NOT NULL AND smtp IS NULL;

-- The one-time tokens of links in messages.
CREATE TABLE directory.mail_token (
  -- The delivery that it was sent with.
  day              integer NOT NULL,
  delivery_id      text NOT NULL,
  purpose          text NOT NULL CHECK (purpose IN ('password_reset', 'email_verification', 'invitation', 'email_change')),
  user_id          directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  -- SHA-256: the token has 256 random bits.
  token_hash       bytea NOT NULL UNIQUE,
  -- HMAC under a subkey of the directory master key: the code has 60 random bits.
  code_hash        bytea UNIQUE,
  -- The address of the account when the message was sent, '' where it had none; another one voids the token.
  email_key        text NOT NULL,
  -- Rises with each password and each end of access.
  user_epoch       bigint NOT NULL,
  expires_at       timestamptz NOT NULL,
  code_expires_at  timestamptz,
  spent_at         timestamptz,
  -- The address that the token proves and that becomes the one of the account.
  new_email        text,
  new_email_key    text,
  PRIMARY KEY (day, delivery_id),
  CHECK ((purpose = 'email_change') = (new_email IS NOT NULL AND new_email_key IS NOT NULL))
);
CREATE INDEX mail_token_user ON directory.mail_token (user_id);

---------------------------------------------------------------------------------------------------------------------------------
-- Moving organizations between instances

-- Batches of imports that were written, with the outcomes of their records. It is written in the transaction of the
-- rows, so that a batch is applied exactly once whatever ends in between.
CREATE TABLE directory.applied_batch (
  job_id      text NOT NULL,
  batch       bigint NOT NULL,
  -- One letter for each record: c created, u updated, s skipped, f failed.
  outcomes    text NOT NULL,
  failures    jsonb NOT NULL DEFAULT '[]',
  notes       text[] NOT NULL DEFAULT '{}',
  applied_at  timestamptz NOT NULL DEFAULT now(),
  -- A batch of an undo that is repeated publishes again what the first call ended: that call may have ended before it could.
  xid         xid8,
  PRIMARY KEY (job_id, batch)
);
-- Forgetting them when no job can ask again.
CREATE INDEX applied_batch_age ON directory.applied_batch (applied_at);

-- What batches of imports created and changed, so that an import can be taken back. Written in the transaction of the
-- rows; an undo removes what it took back, in the transaction that takes it back.
CREATE TABLE directory.undo_batch (
  job_id           text NOT NULL,
  batch            bigint NOT NULL,
  list             text NOT NULL,
  organization_id  text NOT NULL,
  -- A compressed JSON object, AES-256-GCM under the directory master key: it names users, and the rows before an update
  -- hold hashes and seeds.
  sealed           bytea NOT NULL,
  expires_at       timestamptz NOT NULL,
  -- Users who were deleted until shortly before this time are not in it.
  cleared_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, batch)
);
-- It is compressed before it is sealed.
ALTER TABLE directory.undo_batch ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX undo_batch_expires ON directory.undo_batch (expires_at);
CREATE INDEX undo_batch_cleared ON directory.undo_batch (cleared_at);

-- What a document says that nothing here interprets yet: whole records of lists, and the members of other records for
-- which there is no column. Sealed, since some hold secrets of other systems.
CREATE TABLE directory.carried_record (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  list             text NOT NULL,
  record_key       text NOT NULL,
  -- Where it belongs to an object that may be deleted before the organization is.
  user_id          directory.object_id REFERENCES directory.account ON DELETE CASCADE,
  project_id       directory.object_id REFERENCES directory.project ON DELETE CASCADE,
  application_id   directory.object_id REFERENCES directory.application ON DELETE CASCADE,
  -- AES-256-GCM under the directory master key
  sealed_record    bytea NOT NULL,
  PRIMARY KEY (organization_id, list, record_key)
);
CREATE INDEX carried_record_user ON directory.carried_record (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX carried_record_project ON directory.carried_record (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX carried_record_application ON directory.carried_record (application_id)
  WHERE application_id IS NOT NULL;

---------------------------------------------------------------------------------------------------------------------------------
-- Policies in force. docs/reference/policy-members.md says how a member is added.

-- The stricter number of failures, of documents that may come from elsewhere at most 1,000; an organization that names none has the number of the instance.
CREATE FUNCTION directory.stricter_attempts(of_organization numeric, of_instance integer) RETURNS integer
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN of_organization IS NULL OR of_organization = 0 AND of_instance > 0 THEN of_instance
              WHEN of_instance = 0 THEN least(of_organization, 1000)::integer
              ELSE least(of_organization, of_instance)::integer END
$$;

-- `864000s` as a number; null: no such rule.
CREATE FUNCTION directory.lifetime_seconds(lifetime text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT trunc(rtrim(lifetime, 's')::numeric)::bigint
$$;

CREATE TYPE directory.effective_policy AS (
  allows_password           boolean,
  allows_registration       boolean,
  force_mfa                 boolean,
  passkey_sign_in           boolean,
  passkey_second_factor     boolean,
  passkey_multi_factor      boolean,
  passkey_offer_seconds     bigint,
  password_seconds          bigint,
  second_factor_seconds     bigint,
  multi_factor_seconds      bigint,
  identifier_first          boolean,
  hides_password_reset      boolean,
  session_ends_with_browser boolean,
  email_is_login_name       boolean,
  max_password_attempts     integer,
  max_otp_attempts          integer,
  password_min_length       integer,
  password_needs_uppercase  boolean,
  password_needs_lowercase  boolean,
  password_needs_number     boolean,
  password_needs_symbol     boolean,
  user_names_are_global     boolean
);

-- Only this function reads the members of login, lockout, password complexity and domain policies. A document is null where the
-- organization has no such policy; `floors` is null where no floor is asked for.
CREATE FUNCTION directory.effective_policy(
  login jsonb, lockout jsonb, password_complexity jsonb, domain jsonb, floors directory.setting
) RETURNS SETOF directory.effective_policy LANGUAGE sql IMMUTABLE ROWS 1
-- Parsed now: roles that read the views may not look names up in this schema.
BEGIN ATOMIC
  SELECT coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- A person who registers chooses a password, which is of no use where it does not sign in.
         (login IS NULL OR coalesce(login ->> 'allowRegister' = 'true', false))
           AND coalesce(login ->> 'allowUsernamePassword' <> 'false', true),
         -- Every sign-in is local, so the two members mean the same.
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
         coalesce(domain ->> 'userLoginMustBeDomain' = 'false', false);
END;

-- The rules for new passwords of an organization, with the members of the policy.
CREATE FUNCTION directory.password_complexity(organization text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('minLength', p.password_min_length, 'hasUppercase', p.password_needs_uppercase,
                            'hasLowercase', p.password_needs_lowercase, 'hasNumber', p.password_needs_number,
                            'hasSymbol', p.password_needs_symbol)
    FROM directory.setting s
    LEFT JOIN directory.organization_policy o ON o.organization_id = organization AND o.kind = 'password_complexity'
   CROSS JOIN LATERAL directory.effective_policy(NULL, NULL, o.document, NULL, s) p
$$;

CREATE FUNCTION directory.user_names_are_global(organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT p.user_names_are_global
                     FROM directory.organization_policy o
                    CROSS JOIN LATERAL directory.effective_policy(NULL, NULL, NULL, o.document, NULL) p
                    WHERE o.organization_id = organization AND o.kind = 'domain'), false)
$$;

-- Whether a login policy accepts passkeys alone, and after a password (directory_read.passkey_policy_v1).
CREATE FUNCTION directory.accepted_passkeys(document jsonb) RETURNS boolean[] IMMUTABLE LANGUAGE sql AS $$
  SELECT ARRAY[p.passkey_sign_in, p.passkey_second_factor]
    FROM directory.effective_policy(document, NULL, NULL, NULL, NULL) p
$$;

---------------------------------------------------------------------------------------------------------------------------------
-- Ids are claimed and released by triggers, and nothing that was made for a former holder of an id comes back

-- An id that was free needs no second look: an import claims hundreds of thousands of them.
CREATE FUNCTION directory.claim_principal(claimed text, kind text, owner text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.principal (principal_id, owner_kind, owner_id) VALUES (claimed, kind, owner)
    ON CONFLICT (principal_id) DO NOTHING;
  IF NOT FOUND AND NOT EXISTS (SELECT FROM directory.principal p
                                WHERE p.principal_id = claimed AND p.owner_kind = kind AND p.owner_id = owner) THEN
    RAISE unique_violation USING CONSTRAINT = 'principal_pkey', TABLE = 'principal',
      MESSAGE = format('the id %s belongs to another user, service user or application', claimed);
  END IF;
END $$;

-- Where every id was free nobody has to look whose they are.
CREATE FUNCTION directory.account_claim() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  claimed bigint;
  taken text;
BEGIN
  INSERT INTO directory.principal (principal_id, owner_kind, owner_id)
    SELECT user_id, 'account', user_id FROM new_rows ON CONFLICT (principal_id) DO NOTHING;
  GET DIAGNOSTICS claimed = ROW_COUNT;
  IF claimed = (SELECT count(*) FROM new_rows) THEN
    RETURN NULL;
  END IF;
  SELECT p.principal_id INTO taken
    FROM new_rows n CROSS JOIN LATERAL (SELECT * FROM directory.principal WHERE principal_id = n.user_id) p
   WHERE p.owner_kind <> 'account' OR p.owner_id <> n.user_id LIMIT 1;
  IF FOUND THEN
    RAISE unique_violation USING CONSTRAINT = 'principal_pkey', TABLE = 'principal',
      MESSAGE = format('the id %s belongs to another user, service user or application', taken);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_claim AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.account_claim();

CREATE FUNCTION directory.release_principals(kind text, owner text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.principal WHERE principal_id = owner AND owner_kind = kind AND owner_id = owner;
  DELETE FROM directory.principal WHERE owner_kind = kind AND owner_id = owner AND principal_id <> owner_id;
END $$;

CREATE FUNCTION directory.account_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM directory.release_principals('account', OLD.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER account_release AFTER DELETE ON directory.account
  FOR EACH ROW EXECUTE FUNCTION directory.account_release();

CREATE FUNCTION directory.service_user_settle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM directory.principal
     WHERE principal_id = OLD.client_id AND owner_kind = 'account' AND owner_id = OLD.user_id
       AND principal_id <> OLD.user_id;
  END IF;
  IF NEW.client_id IS NOT NULL THEN
    PERFORM directory.claim_principal(NEW.client_id, 'account', NEW.user_id);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER service_user_settle BEFORE INSERT OR UPDATE OF client_id ON directory.service_user
  FOR EACH ROW EXECUTE FUNCTION directory.service_user_settle();

CREATE FUNCTION directory.application_settle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM directory.principal
     WHERE principal_id = OLD.client_id AND owner_kind = 'application' AND owner_id = OLD.application_id;
  END IF;
  PERFORM directory.claim_principal(NEW.client_id, 'application', NEW.application_id);
  RETURN NEW;
END $$;
CREATE TRIGGER application_settle BEFORE INSERT OR UPDATE OF client_id ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.application_settle();

CREATE FUNCTION directory.application_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM directory.release_principals('application', OLD.application_id);
  RETURN NULL;
END $$;
CREATE TRIGGER application_release AFTER DELETE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.application_release();

-- Client ids and ids of projects stand together in `aud`, and an API takes a token that names its project for one of its
-- own. So no client is called like a project of another organization, in whichever order the two are made.
CREATE FUNCTION directory.is_foreign_project(id text, organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.project p WHERE p.project_id = id AND p.organization_id <> organization)
$$;

-- Argument: a query for id and organization of the clients or projects that the statement made, and for what stands in
-- their way.
CREATE FUNCTION directory.refuse_foreign_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  IF coalesce(current_setting('signet.placeholders', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  EXECUTE TG_ARGV[0] || ' LIMIT 1' INTO refused;
  IF refused IS NOT NULL THEN
    RAISE unique_violation USING CONSTRAINT = 'foreign_name_rule', TABLE = TG_TABLE_NAME,
      MESSAGE = format('the id %s is the id of a project and the client id of a client in another organization', refused);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_foreign_names AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.project_id FROM new_rows n
      WHERE EXISTS (SELECT FROM directory.application a JOIN directory.project p USING (project_id)
                     WHERE a.client_id = n.project_id AND p.organization_id <> n.organization_id)
         OR EXISTS (SELECT FROM directory.service_user s JOIN directory.account a USING (user_id)
                     WHERE s.client_id = n.project_id AND a.organization_id <> n.organization_id)');
CREATE TRIGGER refuse_foreign_names_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN directory.project p USING (project_id)
      WHERE directory.is_foreign_project(n.client_id, p.organization_id)');
CREATE TRIGGER refuse_foreign_names_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN old_rows o USING (application_id)
       JOIN directory.project p ON p.project_id = n.project_id
      WHERE n.client_id <> o.client_id AND directory.is_foreign_project(n.client_id, p.organization_id)');
CREATE TRIGGER refuse_foreign_names_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN directory.account a USING (user_id)
      WHERE directory.is_foreign_project(n.client_id, a.organization_id)');
CREATE TRIGGER refuse_foreign_names_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION directory.refuse_foreign_names(
    'SELECT n.client_id FROM new_rows n JOIN old_rows o USING (user_id) JOIN directory.account a USING (user_id)
      WHERE n.client_id IS DISTINCT FROM o.client_id
        AND directory.is_foreign_project(n.client_id, a.organization_id)');

-- Argument: a query for id, kind and organization of what the statement gave up.
CREATE FUNCTION directory.keep_tombstones() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.tombstone AS t (id, kind, organization_id) ' || TG_ARGV[0] || '
             ON CONFLICT (id, kind) DO UPDATE
            SET ended_at = excluded.ended_at,
                organization_id = CASE WHEN t.organization_id = excluded.organization_id THEN t.organization_id END';
  RETURN NULL;
END $$;
CREATE TRIGGER keep_tombstones AFTER DELETE ON directory.organization
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT organization_id, ''organization'', organization_id FROM old_rows');
CREATE TRIGGER keep_tombstones AFTER DELETE ON directory.account
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT user_id, kind, organization_id FROM old_rows');
CREATE TRIGGER keep_tombstones_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT o.client_id, ''service_user'', a.organization_id
       FROM old_rows o JOIN new_rows n USING (user_id) JOIN directory.account a USING (user_id)
      WHERE o.client_id IS DISTINCT FROM n.client_id AND o.client_id IS NOT NULL AND o.client_id <> o.user_id');
CREATE TRIGGER keep_tombstones_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.keep_tombstones(
    'SELECT o.client_id, ''client'', p.organization_id
       FROM old_rows o JOIN new_rows n USING (application_id) JOIN directory.project p ON p.project_id = o.project_id
      WHERE o.client_id <> n.client_id');

-- Before the row goes: afterwards its client_id is gone with it.
CREATE FUNCTION directory.keep_tombstone_of_service_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT s.client_id, 'service_user', OLD.organization_id
      FROM directory.service_user s
     WHERE s.user_id = OLD.user_id AND s.client_id IS NOT NULL AND s.client_id <> OLD.user_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstone BEFORE DELETE ON directory.account
  FOR EACH ROW WHEN (OLD.kind = 'service_user') EXECUTE FUNCTION directory.keep_tombstone_of_service_user();

-- Of an application, while its project still says to which organization it belongs.
CREATE FUNCTION directory.keep_tombstones_of_application() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT gone.id, gone.kind, p.organization_id
      FROM directory.project p
      CROSS JOIN (VALUES (OLD.client_id::text, 'client'), (OLD.application_id::text, 'application')) AS gone (id, kind)
     WHERE p.project_id = OLD.project_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstones BEFORE DELETE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.keep_tombstones_of_application();

CREATE FUNCTION directory.keep_tombstones_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.tombstone (id, kind, organization_id)
    SELECT OLD.project_id, 'project', OLD.organization_id
     UNION ALL
    SELECT gone.id, gone.kind, OLD.organization_id
      FROM directory.application a
      CROSS JOIN LATERAL (VALUES (a.client_id::text, 'client'), (a.application_id::text, 'application')) AS gone (id, kind)
     WHERE a.project_id = OLD.project_id
    ON CONFLICT (id, kind) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_tombstones BEFORE DELETE ON directory.project
  FOR EACH ROW EXECUTE FUNCTION directory.keep_tombstones_of_project();

-- Arguments: a query for id, kind and organization of what the statement made, and the kinds that share its namespace.
-- After the insert: only then has it waited for the transaction that deletes whatever had the id. What a dry run of an
-- import puts in the place of objects that it will make is no such object.
CREATE FUNCTION directory.refuse_tombstones() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  IF coalesce(current_setting('signet.placeholders', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  EXECUTE 'SELECT made.id FROM (' || TG_ARGV[0] || ') AS made (id, kind, organization_id)
             JOIN directory.tombstone t ON t.id = made.id AND t.kind = ANY ($1)
            WHERE t.kind <> made.kind OR t.organization_id IS DISTINCT FROM made.organization_id LIMIT 1'
     INTO refused USING TG_ARGV[1]::text[];
  IF refused IS NOT NULL THEN
    RAISE unique_violation USING CONSTRAINT = 'tombstone_rule', TABLE = 'tombstone',
      MESSAGE = format('the id %s belonged to a deleted user, client, application or project; only the same kind of '
                       'object in the same organization may have it again', refused);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_tombstones AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT user_id, kind, organization_id FROM new_rows', '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''service_user'', a.organization_id FROM new_rows n JOIN directory.account a USING (user_id)',
    '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''service_user'', a.organization_id
       FROM new_rows n JOIN old_rows o USING (user_id) JOIN directory.account a USING (user_id)
      WHERE n.client_id IS DISTINCT FROM o.client_id', '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''client'', p.organization_id FROM new_rows n JOIN directory.project p USING (project_id)',
    '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones_id AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.application_id, ''application'', p.organization_id FROM new_rows n JOIN directory.project p USING (project_id)',
    '{application}');
CREATE TRIGGER refuse_tombstones_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT n.client_id, ''client'', p.organization_id
       FROM new_rows n JOIN old_rows o USING (application_id) JOIN directory.project p ON p.project_id = n.project_id
      WHERE n.client_id <> o.client_id', '{human,service_user,client}');
CREATE TRIGGER refuse_tombstones AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_tombstones(
    'SELECT project_id, ''project'', organization_id FROM new_rows', '{project}');

---------------------------------------------------------------------------------------------------------------------------------
-- Login names

CREATE FUNCTION directory.account_settle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.user_name_is_global := directory.user_names_are_global(NEW.organization_id);
  RETURN NEW;
END $$;
CREATE TRIGGER account_settle BEFORE INSERT ON directory.account
  FOR EACH ROW WHEN (NEW.user_name_is_global IS NULL) EXECUTE FUNCTION directory.account_settle();

CREATE FUNCTION directory.policy_settle() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  organization text := coalesce(NEW.organization_id, OLD.organization_id);
BEGIN
  UPDATE directory.account SET user_name_is_global = directory.user_names_are_global(organization)
   WHERE organization_id = organization
     AND user_name_is_global <> directory.user_names_are_global(organization);
  RETURN NULL;
END $$;
CREATE TRIGGER policy_settle_change AFTER INSERT OR UPDATE ON directory.organization_policy
  FOR EACH ROW WHEN (NEW.kind = 'domain') EXECUTE FUNCTION directory.policy_settle();
CREATE TRIGGER policy_settle_delete AFTER DELETE ON directory.organization_policy
  FOR EACH ROW WHEN (OLD.kind = 'domain') EXECUTE FUNCTION directory.policy_settle();

---------------------------------------------------------------------------------------------------------------------------------
-- Epochs and endings

-- Epochs only rise, and rise by themselves when something stops being active: no writer can forget it.
CREATE FUNCTION directory.raise_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.token_epoch < OLD.token_epoch THEN
    RAISE check_violation USING MESSAGE = 'a token epoch never falls';
  END IF;
  IF OLD.state = 'active' AND NEW.state <> 'active' AND NEW.token_epoch = OLD.token_epoch THEN
    NEW.token_epoch := OLD.token_epoch + 1;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER organization_epoch BEFORE UPDATE ON directory.organization
  FOR EACH ROW EXECUTE FUNCTION directory.raise_epoch();
CREATE TRIGGER account_epoch BEFORE UPDATE ON directory.account
  FOR EACH ROW EXECUTE FUNCTION directory.raise_epoch();
CREATE TRIGGER application_epoch BEFORE UPDATE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.raise_epoch();

-- Another password ends what was made under the old one.
CREATE FUNCTION directory.password_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER password_changed AFTER UPDATE ON directory.account_password
  FOR EACH ROW WHEN (OLD.changed_at IS DISTINCT FROM NEW.changed_at)
  EXECUTE FUNCTION directory.password_changed();

-- Argument: a query for kind, id and value over the rows of the statement.
CREATE FUNCTION directory.record_epochs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.ending_change (kind, id, value) ' || TG_ARGV[0];
  RETURN NULL;
END $$;
CREATE TRIGGER record_epochs AFTER UPDATE ON directory.organization
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''o'', n.organization_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (organization_id)
      WHERE n.token_epoch > o.token_epoch');
CREATE TRIGGER record_epochs AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''c'', n.client_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (application_id)
      WHERE n.token_epoch > o.token_epoch');
-- The tokens that a service user gets as a client die with it.
CREATE TRIGGER record_epochs AFTER UPDATE ON directory.account
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'WITH risen AS (SELECT n.user_id, n.token_epoch FROM new_rows n JOIN old_rows o USING (user_id)
                     WHERE n.token_epoch > o.token_epoch)
     SELECT ''u'', user_id, token_epoch FROM risen
      UNION ALL
     SELECT ''c'', s.client_id, r.token_epoch FROM risen r JOIN directory.service_user s USING (user_id)
      WHERE s.client_id IS NOT NULL');
CREATE TRIGGER record_epochs AFTER INSERT ON directory.retired_epoch
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT kind, id, epoch FROM new_rows');
-- No id holds a space.
CREATE TRIGGER record_endings AFTER DELETE ON directory.personal_access_token
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.record_epochs(
    'SELECT ''p'', user_id || '' '' || token_id, 1 FROM old_rows');

-- Argument: a query for the columns of retired_epoch over the rows of the statement.
CREATE FUNCTION directory.retire_epochs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id) ' || TG_ARGV[0];
  RETURN NULL;
END $$;
CREATE TRIGGER retire_epochs AFTER DELETE ON directory.organization
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''o'', organization_id, token_epoch + 1, ''organization'', organization_id, organization_id FROM old_rows');
CREATE TRIGGER retire_epochs AFTER DELETE ON directory.account
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''u'', user_id, token_epoch + 1, ''account'', user_id, organization_id FROM old_rows');
-- Finds no account when it is the account that was deleted.
CREATE TRIGGER retire_epochs_delete AFTER DELETE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, a.token_epoch + 1, ''account'', a.user_id, a.organization_id
       FROM old_rows o JOIN directory.account a USING (user_id) WHERE o.client_id IS NOT NULL');
CREATE TRIGGER retire_epochs_update AFTER UPDATE ON directory.service_user
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_epochs(
    'SELECT ''c'', o.client_id, a.token_epoch + 1, ''account'', a.user_id, a.organization_id
       FROM old_rows o JOIN new_rows n USING (user_id) JOIN directory.account a USING (user_id)
      WHERE o.client_id IS NOT NULL AND o.client_id IS DISTINCT FROM n.client_id');

-- Argument: a query for the columns of retired_epoch, the project included, over the rows of the statement.
CREATE FUNCTION directory.retire_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id, project_id) '
          || TG_ARGV[0];
  RETURN NULL;
END $$;
CREATE TRIGGER retire_epochs_delete AFTER DELETE ON directory.application
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_applications(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id, o.project_id
       FROM old_rows o LEFT JOIN directory.project p USING (project_id)');
CREATE TRIGGER retire_epochs_update AFTER UPDATE ON directory.application
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION directory.retire_applications(
    'SELECT ''c'', o.client_id, o.token_epoch + 1, ''application'', o.application_id, p.organization_id, o.project_id
       FROM old_rows o JOIN new_rows n USING (application_id) LEFT JOIN directory.project p ON p.project_id = o.project_id
      WHERE o.client_id <> n.client_id');

-- Before the row goes: afterwards the client_id is gone with it.
CREATE FUNCTION directory.retire_service_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.retired_epoch (kind, id, epoch, owner_kind, owner_id, organization_id)
    SELECT 'c', s.client_id, OLD.token_epoch + 1, 'account', OLD.user_id, OLD.organization_id
      FROM directory.service_user s WHERE s.user_id = OLD.user_id AND s.client_id IS NOT NULL;
  RETURN OLD;
END $$;
CREATE TRIGGER retire_service_user BEFORE DELETE ON directory.account
  FOR EACH ROW WHEN (OLD.kind = 'service_user') EXECUTE FUNCTION directory.retire_service_user();

-- Raises new holders of an id above what was retired under it. After the insert and not before it: only then has an
-- insert waited for the transaction that deletes the predecessor. Arguments: the table with the epoch, its key, and
-- the kind and the column of the id.
CREATE FUNCTION directory.outlive_retired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  late record;
BEGIN
  FOR late IN EXECUTE format(
    'SELECT t.%2$I AS key, max(e.epoch) AS epoch
       FROM new_rows n JOIN directory.retired_epoch e ON e.kind = %3$L AND e.id = n.%4$I
       JOIN directory.%1$I t ON t.%2$I = n.%2$I
      WHERE t.token_epoch < e.epoch GROUP BY t.%2$I', TG_ARGV[0], TG_ARGV[1], TG_ARGV[2], TG_ARGV[3])
  LOOP
    EXECUTE format('UPDATE directory.%I SET token_epoch = $2 WHERE %I = $1', TG_ARGV[0], TG_ARGV[1])
      USING late.key, late.epoch;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER outlive_retired AFTER INSERT ON directory.organization REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('organization', 'organization_id', 'o', 'organization_id');
CREATE TRIGGER outlive_retired AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'u', 'user_id');
CREATE TRIGGER outlive_retired_insert AFTER INSERT ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_update AFTER UPDATE ON directory.service_user REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('account', 'user_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_insert AFTER INSERT ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('application', 'application_id', 'c', 'client_id');
CREATE TRIGGER outlive_retired_update AFTER UPDATE ON directory.application REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.outlive_retired('application', 'application_id', 'c', 'client_id');

-- The end of a personal access token is known by the ids of its user and itself, for a day: a token that was made
-- meanwhile with both would be dead.
CREATE FUNCTION directory.refuse_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM directory.ending_change
              WHERE kind = 'p' AND id = NEW.user_id || ' ' || NEW.token_id) THEN
    RAISE unique_violation USING CONSTRAINT = 'personal_access_token_ended', TABLE = 'personal_access_token',
      MESSAGE = format('the id %s belonged to a token of this user that was deleted in the last 25 hours', NEW.token_id);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_ended BEFORE INSERT ON directory.personal_access_token
  FOR EACH ROW EXECUTE FUNCTION directory.refuse_ended();

-- Deletes the tokens with these ids, each the id of the user, a space and the id of the token; returns how many. Of the
-- ids of a day only those of tokens that exist cost a statement each: a round of directory has 55 seconds.
CREATE FUNCTION directory.end_personal_access_tokens(ids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deleted bigint := 0;
  ended record;
BEGIN
  FOR ended IN
    SELECT t.user_id, t.token_id
      FROM (SELECT DISTINCT split_part(id, ' ', 1) AS user_id, split_part(id, ' ', 2) AS token_id FROM unnest(ids) AS id) AS e
      JOIN directory.personal_access_token t USING (user_id, token_id)
     ORDER BY t.user_id, t.token_id
  LOOP
    BEGIN
      DELETE FROM directory.personal_access_token
       WHERE user_id = ended.user_id AND token_id = ended.token_id;
      IF FOUND THEN deleted := deleted + 1; END IF;
    EXCEPTION WHEN check_violation THEN
      RAISE WARNING 'a personal access token that was ended stays: it is the last credential of the last IAM_OWNER';
    END;
  END LOOP;
  RETURN deleted;
END $$;

-- Raises epochs to those that grants_read.revocation_v1 publishes, and deletes personal access tokens whose end stands
-- there: after a fail-over to a standby that lacked the last commits, people and applications would otherwise get tokens
-- of an ended epoch for ever, and a deleted personal access token would work again. Looks at the rows that the snapshot
-- `seen` did not contain, and returns how many objects it changed. The token that is the last credential of the last
-- IAM_OWNER stays.
CREATE FUNCTION directory.follow_endings(seen pg_snapshot) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  changed bigint;
  token record;
BEGIN
  WITH published AS MATERIALIZED (
    SELECT kind, id, max(value) AS epoch
      FROM ((SELECT kind, id, value FROM grants_read.revocation_v1 WHERE xid >= pg_snapshot_xmax(seen))
            UNION ALL
            (SELECT kind, id, value FROM grants_read.revocation_v1
              WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen))))) AS unseen
     WHERE kind IN ('u', 'c', 'o') GROUP BY kind, id
  ), accounts AS (
    UPDATE directory.account a SET token_epoch = risen.epoch
      FROM (SELECT user_id, max(epoch) AS epoch
              FROM (SELECT id AS user_id, epoch FROM published WHERE kind = 'u'
                    UNION ALL
                    SELECT s.user_id, p.epoch FROM published p
                      JOIN directory.service_user s ON s.client_id = p.id WHERE p.kind = 'c') AS of_users
             GROUP BY user_id) AS risen
     WHERE a.user_id = risen.user_id AND a.token_epoch < risen.epoch RETURNING 1
  ), applications AS (
    UPDATE directory.application a SET token_epoch = p.epoch FROM published p
     WHERE p.kind = 'c' AND a.client_id = p.id AND a.token_epoch < p.epoch RETURNING 1
  ), organizations AS (
    UPDATE directory.organization o SET token_epoch = p.epoch FROM published p
     WHERE p.kind = 'o' AND o.organization_id = p.id AND o.token_epoch < p.epoch RETURNING 1
  )
  SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM applications) + (SELECT count(*) FROM organizations)
    INTO changed;
  RETURN changed + directory.end_personal_access_tokens(ARRAY(
    SELECT ended.id
      FROM (SELECT id, until FROM grants_read.revocation_v1 WHERE kind = 'p' AND xid >= pg_snapshot_xmax(seen)
             UNION
            SELECT id, until FROM grants_read.revocation_v1
             WHERE kind = 'p' AND xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen)))) AS ended
      JOIN directory.personal_access_token t
        ON t.user_id = split_part(ended.id, ' ', 1) AND t.token_id = split_part(ended.id, ' ', 2)
       -- An ending is kept for so long: a token with the id of an ended one that was made since is not meant.
       AND t.created_at < ended.until - interval '86460 seconds'));
END $$;

-- What `signet-migrate restored` does here while no service runs. The rows of both feeds get the current transaction:
-- another cluster may count transactions from a lower number.
CREATE FUNCTION directory.restored(ended_tokens text[]) RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.change SET xid = pg_current_xact_id();
  UPDATE directory.ending_change SET xid = pg_current_xact_id();
  part := 'personal access tokens that the log says were ended';
  number := directory.end_personal_access_tokens(ended_tokens);
  RETURN NEXT;
END $$;

-- What may have been revoked since a backup and is valid in it: for the administrator who restores it.
CREATE FUNCTION directory.live_secrets() RETURNS TABLE (kind text, id text, owner text, organization_id text,
                                                        created_at timestamptz, expires_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT 'personal access token', t.token_id::text, t.user_id::text, a.organization_id::text, t.created_at, t.expires_at
    FROM directory.personal_access_token t JOIN directory.account a USING (user_id)
   WHERE t.expires_at IS NULL OR t.expires_at > now()
   UNION ALL
  SELECT 'secret of a service user', s.secret_id::text, s.user_id::text, a.organization_id::text, s.created_at,
         s.expires_at
    FROM directory.service_user_secret s JOIN directory.account a USING (user_id)
   WHERE s.expires_at IS NULL OR s.expires_at > now()
   UNION ALL
  SELECT 'secret of an application', s.secret_id::text, c.client_id::text, p.organization_id::text, s.created_at,
         s.expires_at
    FROM directory.application_secret s JOIN directory.application c USING (application_id)
    JOIN directory.project p USING (project_id)
   WHERE s.expires_at IS NULL OR s.expires_at > now()
   ORDER BY 1, 4, 3, 5
$$;

---------------------------------------------------------------------------------------------------------------------------------
-- The feed of changes

-- Arguments: the kind to record and the column that holds the id.
CREATE FUNCTION directory.record_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  source text := CASE TG_OP
    WHEN 'INSERT' THEN format('SELECT %I::text AS id FROM new_rows', TG_ARGV[1])
    WHEN 'DELETE' THEN format('SELECT %I::text AS id FROM old_rows', TG_ARGV[1])
    ELSE format('SELECT %1$I::text AS id FROM new_rows UNION SELECT %1$I::text FROM old_rows', TG_ARGV[1])
  END;
BEGIN
  EXECUTE format('INSERT INTO directory.change (kind, id) SELECT DISTINCT $1, id FROM (%s) AS changed', source)
    USING TG_ARGV[0];
  RETURN NULL;
END $$;

DO $$
DECLARE
  source record;
BEGIN
  FOR source IN
    SELECT * FROM (VALUES
      ('organization', 'organization', 'organization_id'),
      ('organization_domain', 'organization', 'organization_id'),
      ('organization_policy', 'organization', 'organization_id'),
      ('account', 'account', 'user_id'),
      ('user_metadata', 'account', 'user_id'),
      ('service_user', 'account', 'user_id'),
      ('service_user_secret', 'account', 'user_id'),
      ('machine_key', 'account', 'user_id'),
      ('project', 'project', 'project_id'),
      ('project_role', 'project', 'project_id'),
      ('user_grant', 'user_grant', 'user_id'),
      ('user_grant_role', 'user_grant', 'user_id'),
      ('application', 'application', 'application_id'),
      ('application_secret', 'application', 'application_id'),
      ('application_key', 'application', 'application_id'),
      ('setting', 'setting', 'singleton'),
      ('feature', 'feature', 'name'),
      ('project_grant', 'project', 'project_id'),
      ('branding_file', 'branding_file', 'organization_id'),
      ('login_text', 'login_text', 'organization_id')
    ) AS t (table_name, kind, id_column)
  LOOP
    -- New accounts are recorded by record_new_accounts.
    IF source.table_name <> 'account' THEN
      EXECUTE format('CREATE TRIGGER record_insert AFTER INSERT ON directory.%I REFERENCING NEW TABLE AS new_rows
                      FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                     source.table_name, source.kind, source.id_column);
    END IF;
    EXECUTE format('CREATE TRIGGER record_update AFTER UPDATE ON directory.%I
                    REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                   source.table_name, source.kind, source.id_column);
    EXECUTE format('CREATE TRIGGER record_delete AFTER DELETE ON directory.%I REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION directory.record_change(%L, %L)',
                   source.table_name, source.kind, source.id_column);
  END LOOP;
END $$;

-- Nobody has a row of an account in a cache that is only now there; they may remember that it is missing, and any change
-- of an account makes them look again. So one of them tells of all: readers that are told of thousands drop everything.
CREATE FUNCTION directory.record_new_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.change (kind, id) SELECT 'account', user_id FROM new_rows LIMIT 1;
  RETURN NULL;
END $$;
CREATE TRIGGER record_insert AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.record_new_accounts();

CREATE FUNCTION directory.count_instance_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.instance_revision SET sequence = sequence + 1, changed_at = now() WHERE kind = TG_ARGV[0];
  RETURN NULL;
END $$;
CREATE TRIGGER count_revision AFTER INSERT OR UPDATE OR DELETE ON directory.feature
  FOR EACH ROW EXECUTE FUNCTION directory.count_instance_revision('features');
CREATE TRIGGER count_revision AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation <> NEW.enable_impersonation)
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');
CREATE TRIGGER count_revision_of_callers AFTER UPDATE ON directory.setting
  FOR EACH ROW WHEN (OLD.enable_impersonation = NEW.enable_impersonation
                     AND (OLD.allow_impersonated_api_calls, OLD.iam_sign_in_max_age_seconds, OLD.iam_requires_mfa)
                           IS DISTINCT FROM
                         (NEW.allow_impersonated_api_calls, NEW.iam_sign_in_max_age_seconds, NEW.iam_requires_mfa))
  EXECUTE FUNCTION directory.count_instance_revision('security_policy');

---------------------------------------------------------------------------------------------------------------------------------
-- The last IAM_OWNER who can sign in stays. views/has_credential.sql says who can.

-- A password counts as a credential of an IAM_OWNER only where the login policy lets people sign in with one, so turning
-- that off is refused where it would take the last IAM_OWNER who can sign in away.
CREATE FUNCTION directory.has_credential_beside_password(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.personal_access_token
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.machine_key
                  WHERE user_id = account AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM directory.service_user_secret s JOIN directory.service_user u USING (user_id)
                  WHERE user_id = account AND u.client_id IS NOT NULL
                    AND (s.expires_at IS NULL OR s.expires_at > now()))
$$;

-- What counts is an active account of an active organization with the role. A locked account does not. What somebody
-- signs in with is not looked at: passwords are forgotten and tokens expire without anybody's doing.
CREATE FUNCTION directory.keep_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME IN ('organization', 'organization_policy') THEN
    IF TG_TABLE_NAME = 'organization_policy' THEN
      -- An account of the organization may be getting the role right now, from a transaction that counts its password.
      PERFORM FROM directory.organization WHERE organization_id = NEW.organization_id FOR NO KEY UPDATE;
    END IF;
    IF NOT EXISTS (SELECT FROM directory.member m JOIN directory.account a USING (user_id)
                    WHERE a.organization_id = NEW.organization_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME <> 'member' THEN
    IF TG_TABLE_NAME <> 'account' THEN
      -- The account may be getting the role right now, from a transaction that counts the credential.
      PERFORM FROM directory.account WHERE user_id = OLD.user_id FOR NO KEY UPDATE;
    END IF;
    IF NOT EXISTS (SELECT FROM directory.member m
                    WHERE m.user_id = OLD.user_id AND m.level = 'instance' AND m.role = 'IAM_OWNER') THEN
      RETURN NULL;
    END IF;
  END IF;
  -- Of two that take an owner away each would see the other's. The lock is a statement of its own: the next one then
  -- reads what was committed while it waited.
  PERFORM pg_advisory_xact_lock(7331021);
  IF NOT EXISTS (SELECT FROM directory.member m
                   JOIN directory.account a USING (user_id)
                   JOIN directory.organization o ON o.organization_id = a.organization_id
                  WHERE m.level = 'instance' AND m.role = 'IAM_OWNER' AND a.state = 'active' AND o.state = 'active'
                    AND directory.has_credential(a.user_id)) THEN
    RAISE EXCEPTION 'no IAM_OWNER who can sign in would be left; give IAM_OWNER to another active user first'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'last_iam_owner';
  END IF;
  RETURN NULL;
END $$;
-- Deferrable for those who write a role anew by taking it away first.
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE ON directory.member
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.level = 'instance' AND OLD.role = 'IAM_OWNER') EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF state ON directory.account
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.state = 'active' AND NEW.state <> 'active') EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF state ON directory.organization
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.state = 'active' AND NEW.state <> 'active') EXECUTE FUNCTION directory.keep_instance_owner();
-- The name is that of the other triggers, which are deferred by it.
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE ON directory.account_password
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.personal_access_token
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.machine_key
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER DELETE OR UPDATE OF expires_at, user_id ON directory.service_user_secret
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION directory.keep_instance_owner();
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER UPDATE OF client_id ON directory.service_user
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (OLD.client_id IS NOT NULL AND NEW.client_id IS NULL) EXECUTE FUNCTION directory.keep_instance_owner();
-- The name is that of the other triggers, which are deferred by it.
CREATE CONSTRAINT TRIGGER keep_instance_owner AFTER INSERT OR UPDATE ON directory.organization_policy
  DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW
  WHEN (NEW.kind = 'login' AND NEW.document ->> 'allowUsernamePassword' = 'false')
  EXECUTE FUNCTION directory.keep_instance_owner();

-- A new owner waits for whoever ends its account or organization at the same time, and they for it: otherwise neither
-- would see the other, and the new owner would be counted although it is none.
CREATE FUNCTION directory.hold_instance_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM directory.account a JOIN directory.organization o USING (organization_id)
    WHERE a.user_id = NEW.user_id FOR SHARE;
  RETURN NEW;
END $$;
CREATE TRIGGER hold_instance_owner BEFORE INSERT ON directory.member FOR EACH ROW
  WHEN (NEW.level = 'instance' AND NEW.role = 'IAM_OWNER') EXECUTE FUNCTION directory.hold_instance_owner();

---------------------------------------------------------------------------------------------------------------------------------
-- Second factors, recovery codes and trusted browsers

-- A statement for all new factors, because an import adds thousands at once.
CREATE FUNCTION directory.end_browser_trust() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.browser_trust r USING added WHERE r.user_id = added.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER account_totp_added AFTER INSERT ON directory.account_totp
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION directory.end_browser_trust();
CREATE TRIGGER passkey_added AFTER INSERT ON directory.passkey
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION directory.end_browser_trust();

-- For each row, because deleting an account fires it only for the factors that there are.
CREATE FUNCTION directory.end_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.browser_trust WHERE user_id = OLD.user_id;
  IF TG_OP = 'DELETE' THEN
    -- Of two factors that are deleted at once, the later transaction sees that none is left.
    PERFORM FROM directory.account WHERE user_id = OLD.user_id FOR NO KEY UPDATE;
    DELETE FROM directory.recovery_code
     WHERE user_id = OLD.user_id
       AND NOT EXISTS (SELECT FROM directory.account_totp WHERE user_id = OLD.user_id)
       AND NOT EXISTS (SELECT FROM directory.passkey WHERE user_id = OLD.user_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_totp_removed AFTER DELETE OR UPDATE OF sealed_seed ON directory.account_totp
  FOR EACH ROW EXECUTE FUNCTION directory.end_factor();
CREATE TRIGGER passkey_removed AFTER DELETE OR UPDATE OF cloned_at ON directory.passkey
  FOR EACH ROW EXECUTE FUNCTION directory.end_factor();

-- Requests a notice for each of these people, as the directory does (src/mail/notices.ts).
CREATE FUNCTION directory.request_stopped_notices(people text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, created_at, due_at)
  SELECT floor(extract(epoch FROM now()) / 86400)::integer, gen_random_uuid()::text, 'managed_notice_request:factor_stopped',
         a.user_id, now(), now()
    FROM directory.account a CROSS JOIN directory.setting s
   WHERE a.user_id = ANY (people) AND a.kind = 'human' AND a.email_verified
     AND (s.sends_mail
          OR EXISTS (SELECT FROM directory.organization_smtp o WHERE o.organization_id = a.organization_id))
$$;

CREATE FUNCTION directory.stop_passkeys_of_policy() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before boolean[] := directory.accepted_passkeys(CASE WHEN TG_OP <> 'INSERT' THEN OLD.document END);
  after boolean[] := directory.accepted_passkeys(CASE WHEN TG_OP <> 'DELETE' THEN NEW.document END);
  people text[];
BEGIN
  IF coalesce(NEW.kind, OLD.kind) = 'login' AND ((before[1] AND NOT after[1]) OR (before[2] AND NOT after[2])) THEN
    -- account_organization, passkey_of_user; in one order, so that two of these do not wait for each other.
    SELECT coalesce(array_agg(a.user_id ORDER BY a.user_id), '{}') INTO people
      FROM directory.account a
     WHERE a.organization_id = coalesce(NEW.organization_id, OLD.organization_id)
       AND EXISTS (SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.cloned_at IS NULL);
    UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = ANY (people);
    PERFORM directory.request_stopped_notices(people);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER organization_policy_stops_passkeys AFTER INSERT OR UPDATE OR DELETE ON directory.organization_policy
  FOR EACH ROW EXECUTE FUNCTION directory.stop_passkeys_of_policy();

---------------------------------------------------------------------------------------------------------------------------------
-- Signing algorithms

-- Notes the time at which an algorithm is named, and keeps those that are chosen. The lock of the row keeps choices away.
CREATE FUNCTION directory.name_signing_algorithms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chosen text;
BEGIN
  SELECT algorithm INTO chosen
    FROM (SELECT unnest(ARRAY[access_token_signing_alg, id_token_signing_alg]) AS algorithm FROM directory.application
           UNION ALL
          SELECT access_token_signing_alg FROM directory.service_user) AS used
   WHERE algorithm <> ALL (NEW.signing_algorithms) LIMIT 1;
  IF chosen IS NOT NULL THEN
    RAISE check_violation USING CONSTRAINT = 'signing_algorithm', TABLE = 'setting', COLUMN = 'signing_algorithms',
      MESSAGE = format('must keep %s, which applications or service users have; give them another one first', chosen);
  END IF;
  NEW.signing_algorithms_named := (
    SELECT jsonb_object_agg(algorithm, coalesce(
             OLD.signing_algorithms_named -> algorithm,
             to_jsonb(CASE WHEN EXISTS (SELECT FROM directory.organization) THEN now() ELSE '-infinity' END)))
      FROM unnest(NEW.signing_algorithms) AS algorithm);
  RETURN NEW;
END $$;
CREATE TRIGGER name_signing_algorithms BEFORE UPDATE OF signing_algorithms ON directory.setting
  FOR EACH ROW WHEN (OLD.signing_algorithms <> NEW.signing_algorithms)
  EXECUTE FUNCTION directory.name_signing_algorithms();

-- Why an application or a service user may not choose an algorithm; null when it may.
CREATE FUNCTION directory.signing_algorithm_problem(wanted text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN NOT wanted = ANY (s.signing_algorithms) THEN
      format('must be one of %s, the signing algorithms of the instance; add %s to settings.signingAlgorithms a day before',
             array_to_string(s.signing_algorithms, ', '), wanted)
    WHEN named.at > now() - interval '1 day' THEN
      format('may be %s from %s on, a day after it was named: clients cache the keys', wanted,
             to_char((named.at + interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    END
    FROM directory.setting s, LATERAL (SELECT (s.signing_algorithms_named ->> wanted)::timestamptz AS at) AS named
$$;

CREATE FUNCTION directory.require_signing_algorithm() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  problem text;
  field text;
BEGIN
  -- A change of the setting waits until this transaction ends.
  PERFORM FROM directory.setting FOR SHARE;
  SELECT directory.signing_algorithm_problem(n.value), n.key INTO problem, field
    FROM jsonb_each_text(to_jsonb(NEW)) AS n
   WHERE n.key IN ('access_token_signing_alg', 'id_token_signing_alg')
     AND (TG_OP = 'INSERT' OR n.value IS DISTINCT FROM to_jsonb(OLD) ->> n.key)
     AND directory.signing_algorithm_problem(n.value) IS NOT NULL
   LIMIT 1;
  IF problem IS NOT NULL THEN
    RAISE check_violation USING CONSTRAINT = 'signing_algorithm', TABLE = TG_TABLE_NAME, COLUMN = field, MESSAGE = problem;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER require_signing_algorithm
  BEFORE INSERT OR UPDATE OF access_token_signing_alg, id_token_signing_alg ON directory.application
  FOR EACH ROW WHEN (NEW.access_token_signing_alg <> 'RS256' OR NEW.id_token_signing_alg <> 'RS256')
  EXECUTE FUNCTION directory.require_signing_algorithm();
CREATE TRIGGER require_signing_algorithm
  BEFORE INSERT OR UPDATE OF access_token_signing_alg ON directory.service_user
  FOR EACH ROW WHEN (NEW.access_token_signing_alg <> 'RS256')
  EXECUTE FUNCTION directory.require_signing_algorithm();

---------------------------------------------------------------------------------------------------------------------------------
-- Organizations that are being deleted

-- A deletion is never taken back: a part of the rows is gone.
CREATE FUNCTION directory.keep_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING CONSTRAINT = 'organization_deleting', TABLE = 'organization',
    MESSAGE = format('the organization %s is being deleted', OLD.organization_id);
END $$;
CREATE TRIGGER keep_deleting BEFORE UPDATE OF state ON directory.organization FOR EACH ROW
  WHEN (OLD.state = 'deleting' AND NEW.state <> 'deleting') EXECUTE FUNCTION directory.keep_deleting();

-- A person or a project that is added meanwhile would be deleted a moment later, although its creation was confirmed.
CREATE FUNCTION directory.refuse_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused text;
BEGIN
  SELECT o.organization_id INTO refused
    FROM new_rows n JOIN directory.organization o USING (organization_id) WHERE o.state = 'deleting' LIMIT 1;
  IF refused IS NOT NULL THEN
    RAISE check_violation USING CONSTRAINT = 'organization_deleting', TABLE = 'organization',
      MESSAGE = format('the organization %s is being deleted', refused);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_deleting AFTER INSERT ON directory.account REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_deleting();
CREATE TRIGGER refuse_deleting AFTER INSERT ON directory.project REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION directory.refuse_deleting();

-- After the triggers, which note it.
INSERT INTO directory.setting DEFAULT VALUES;

GRANT USAGE ON SCHEMA directory_read TO signet_token, signet_introspection, signet_login, signet_keys;
