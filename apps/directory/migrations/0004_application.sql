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
  -- Null: the setting of the instance. At most a day, so that keys and mirrors know when a token is over.
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
  created_at                     timestamptz NOT NULL DEFAULT now()
);
-- The applications of a project, and deleting them with it.
CREATE INDEX application_project ON directory.application (project_id);

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
  DELETE FROM directory.principal WHERE owner_kind = 'application' AND owner_id = OLD.application_id;
  RETURN NULL;
END $$;
CREATE TRIGGER application_release AFTER DELETE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.application_release();

CREATE TRIGGER application_epoch BEFORE UPDATE ON directory.application
  FOR EACH ROW EXECUTE FUNCTION directory.raise_epoch();

-- Several may be valid at once: the old one stays for a while after a rotation.
CREATE TABLE directory.application_secret (
  secret_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application_id  directory.object_id NOT NULL REFERENCES directory.application ON DELETE CASCADE,
  -- sha256$<base64url>, or an encoded slow hash for a short secret that a person chose
  hash            text NOT NULL,
  expires_at      timestamptz
);
CREATE INDEX application_secret_owner ON directory.application_secret (application_id);

-- Public halves of private_key_jwt keys.
CREATE TABLE directory.application_key (
  application_id  directory.object_id NOT NULL REFERENCES directory.application ON DELETE CASCADE,
  kid             directory.object_id NOT NULL,
  jwk             jsonb NOT NULL,
  expires_at      timestamptz,
  PRIMARY KEY (application_id, kid)
);
