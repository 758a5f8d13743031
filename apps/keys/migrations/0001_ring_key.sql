CREATE TABLE keys.ring_key (
  kid text PRIMARY KEY,
  ring text NOT NULL CHECK (ring IN ('signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac')),
  algorithm text NOT NULL CHECK (algorithm IN ('RS256', 'ES256', 'EdDSA', 'A256GCM', 'HS256')),
  state text NOT NULL CHECK (state IN ('announced', 'active', 'retired', 'removed', 'verify-only')),
  announced_at timestamptz NOT NULL,
  active_at timestamptz NOT NULL,
  retire_at timestamptz NOT NULL,
  remove_at timestamptz NOT NULL,
  forget_at timestamptz NOT NULL,
  public_jwk jsonb,
  -- Sealed under a master key that it names; destroyed when nothing made with the key can be presented any more.
  sealed_secret text,
  CHECK (active_at < retire_at AND retire_at <= remove_at AND remove_at <= forget_at),
  CHECK ((sealed_secret IS NOT NULL) = (state IN ('announced', 'active', 'retired'))),
  CHECK ((public_jwk IS NOT NULL) = (ring = 'signing'))
);

-- Two replicas that both took themselves for the leader would fail here instead of signing with two keys.
CREATE UNIQUE INDEX ring_key_one_active ON keys.ring_key (ring, algorithm) WHERE state = 'active';
CREATE UNIQUE INDEX ring_key_one_announced ON keys.ring_key (ring, algorithm) WHERE state = 'announced';

-- One row: rises with every change of any key, so that replicas notice by reading eight bytes.
CREATE TABLE keys.ring_revision (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision bigint NOT NULL
);
INSERT INTO keys.ring_revision (revision) VALUES (0);
