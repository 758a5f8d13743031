-- replaces the files of commit 738cc7c4 and later ones:
--   0001_ring_key.sql 0002_revocation_and_audit.sql 0003_audit_actor.sql 0004_audit_search.sql 0005_audit_partitions.sql
--   0006_restored.sql

-- Keys by their purpose, sealed. docs/decisions has the reasons for their rings and states.

CREATE TABLE keys.ring_key (
  kid                      text PRIMARY KEY,
  ring                     text NOT NULL CHECK (ring IN ('signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac')),
  algorithm                text NOT NULL CHECK (algorithm IN ('RS256', 'ES256', 'EdDSA', 'A256GCM', 'HS256')),
  state                    text NOT NULL CHECK (state IN ('announced', 'active', 'retired', 'removed', 'verify-only')),
  announced_at             timestamptz NOT NULL,
  active_at                timestamptz NOT NULL,
  retire_at                timestamptz NOT NULL,
  remove_at                timestamptz NOT NULL,
  forget_at                timestamptz NOT NULL,
  public_jwk               jsonb,
  -- Sealed under a master key that it names; destroyed when nothing made with the key can be presented any more.
  sealed_secret            text,
  revoked_at               timestamptz,
  -- Null until the token service has ended everything that was made with the revoked key.
  revocation_published_at  timestamptz,
  CONSTRAINT ring_key_check1 CHECK ((sealed_secret IS NOT NULL) = (state IN ('announced', 'active', 'retired'))),
  CONSTRAINT ring_key_check2 CHECK ((public_jwk IS NOT NULL) = (ring = 'signing')),
  -- A key that is revoked or replaced in the moment of its activation was never used.
  CONSTRAINT ring_key_dates CHECK (active_at <= retire_at AND retire_at <= remove_at AND remove_at <= forget_at),
  CONSTRAINT ring_key_revoked CHECK (revoked_at IS NULL OR state = 'removed')
);
-- Of two replicas that both act as the leader, one fails here instead of signing with a second key.
CREATE UNIQUE INDEX ring_key_one_active ON keys.ring_key (ring, algorithm) WHERE state = 'active';

-- One row: rises with every change of any key, so that replicas notice by reading eight bytes.
CREATE TABLE keys.ring_revision (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision  bigint NOT NULL
);
INSERT INTO keys.ring_revision (revision) VALUES (0);

-- What `signet-migrate restored` does here while no service runs: no key of the backup seals or signs any more. Rings
-- that only services of the suite hold are emptied, and the service makes new keys at its start. A signing key retires
-- and the announced one takes over: verifiers outside may hold both.
CREATE FUNCTION keys.restored(moment timestamptz) RETURNS TABLE (part text, number bigint) LANGUAGE plpgsql AS $$
BEGIN
  part := 'sealing and MAC keys deleted';
  DELETE FROM keys.ring_key WHERE ring <> 'signing';
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  part := 'signing keys retired';
  UPDATE keys.ring_key SET retire_at = greatest(moment, active_at)
   WHERE ring = 'signing' AND state = 'active' AND retire_at > moment;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN NEXT;
  UPDATE keys.ring_revision SET revision = revision + 1;
END $$;

GRANT USAGE ON SCHEMA keys_read TO signet_directory;
