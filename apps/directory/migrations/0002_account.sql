-- People and service users. What proves who they are lies in tables of its own, which no published view reads.

CREATE TABLE directory.account (
  user_id                directory.object_id PRIMARY KEY,
  organization_id        directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  kind                   text NOT NULL CHECK (kind IN ('human', 'service_user')),
  user_name              text NOT NULL CHECK (char_length(user_name) BETWEEN 1 AND 200),
  -- user_name after NFC, trimming and lower-casing: what sign-in compares.
  user_name_key          text NOT NULL,
  -- Kept by triggers: true where the organization's domain policy lets people sign in by the bare user name.
  user_name_is_global    boolean NOT NULL DEFAULT false,
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
  -- email after NFC, trimming and lower-casing
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
  CONSTRAINT account_user_name UNIQUE (organization_id, user_name_key)
);

-- Sign-in by the user name alone.
CREATE INDEX account_user_name_key ON directory.account (user_name_key);
CREATE UNIQUE INDEX account_global_user_name ON directory.account (user_name_key) WHERE user_name_is_global;
-- Sign-in by e-mail; unverified addresses prove nothing.
CREATE INDEX account_verified_email ON directory.account (email_key) WHERE email_verified;

CREATE FUNCTION directory.user_names_are_global(organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT document ->> 'userLoginMustBeDomain' = 'false' FROM directory.organization_policy
                    WHERE organization_id = organization AND kind = 'domain'), false)
$$;

CREATE FUNCTION directory.account_settle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM directory.claim_principal(NEW.user_id, 'account', NEW.user_id);
  NEW.user_name_is_global := directory.user_names_are_global(NEW.organization_id);
  RETURN NEW;
END $$;
CREATE TRIGGER account_settle BEFORE INSERT ON directory.account
  FOR EACH ROW EXECUTE FUNCTION directory.account_settle();

CREATE FUNCTION directory.account_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM directory.principal WHERE owner_kind = 'account' AND owner_id = OLD.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER account_release AFTER DELETE ON directory.account
  FOR EACH ROW EXECUTE FUNCTION directory.account_release();

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

CREATE TRIGGER account_epoch BEFORE UPDATE ON directory.account
  FOR EACH ROW EXECUTE FUNCTION directory.raise_epoch();

CREATE TABLE directory.account_password (
  user_id     directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- An encoded hash; its prefix names the algorithm.
  hash        text NOT NULL,
  -- When the person's password last became another one; hashing the same one anew leaves it alone.
  changed_at  timestamptz NOT NULL
);

-- Another password ends what was made under the old one.
CREATE FUNCTION directory.password_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER password_changed AFTER UPDATE ON directory.account_password
  FOR EACH ROW WHEN (OLD.changed_at IS DISTINCT FROM NEW.changed_at)
  EXECUTE FUNCTION directory.password_changed();

CREATE TABLE directory.account_totp (
  user_id      directory.object_id PRIMARY KEY REFERENCES directory.account ON DELETE CASCADE,
  -- AES-256-GCM under the directory master key
  sealed_seed  bytea NOT NULL
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

CREATE TABLE directory.service_user_secret (
  secret_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id     directory.object_id NOT NULL REFERENCES directory.service_user ON DELETE CASCADE,
  hash        text NOT NULL,
  expires_at  timestamptz
);
CREATE INDEX service_user_secret_owner ON directory.service_user_secret (user_id);

-- Public halves; a service user signs jwt-bearer assertions with the private one.
CREATE TABLE directory.machine_key (
  user_id     directory.object_id NOT NULL REFERENCES directory.service_user ON DELETE CASCADE,
  kid         directory.object_id NOT NULL,
  jwk         jsonb NOT NULL,
  expires_at  timestamptz,
  PRIMARY KEY (user_id, kid)
);

CREATE TABLE directory.personal_access_token (
  user_id     directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  token_id    directory.object_id NOT NULL,
  -- SHA-256 of the token; unique, because a token is looked up by it.
  token_hash  bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  expires_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, token_id)
);
