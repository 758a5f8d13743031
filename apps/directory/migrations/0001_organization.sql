-- Organizations own everything else. One namespace of ids spans users, service users and client_ids, so that `sub`
-- and `client_id` can never mean two things.

CREATE DOMAIN directory.object_id AS text
  CONSTRAINT object_id_syntax CHECK (value ~ '^[A-Za-z0-9._~@+-]{1,200}$');

CREATE TABLE directory.organization (
  organization_id  directory.object_id PRIMARY KEY,
  name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  state            text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'inactive')),
  -- Login names are <user_name>@<primary_domain>.
  primary_domain   text NOT NULL,
  -- Everything made for members or applications of the organization under a lower epoch is dead.
  token_epoch      bigint NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL DEFAULT now()
);

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

CREATE TABLE directory.principal (
  principal_id  directory.object_id PRIMARY KEY,
  owner_kind    text NOT NULL CHECK (owner_kind IN ('account', 'application')),
  owner_id      directory.object_id NOT NULL
);

-- Deleting an owner releases its ids.
CREATE INDEX principal_owner ON directory.principal (owner_kind, owner_id);

-- Claims an id for its owner. A service user may use one id as user id and as client_id; two owners may not share one.
CREATE FUNCTION directory.claim_principal(claimed text, kind text, owner text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.principal (principal_id, owner_kind, owner_id) VALUES (claimed, kind, owner)
    ON CONFLICT (principal_id) DO NOTHING;
  IF NOT EXISTS (SELECT FROM directory.principal p
                  WHERE p.principal_id = claimed AND p.owner_kind = kind AND p.owner_id = owner) THEN
    RAISE unique_violation USING CONSTRAINT = 'principal_pkey', TABLE = 'principal',
      MESSAGE = format('the id %s belongs to another user, service user or application', claimed);
  END IF;
END $$;

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
