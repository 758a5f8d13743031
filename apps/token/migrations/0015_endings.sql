-- contract: replicas of token, introspection and login stop for this upgrade; the version before reads and writes
-- grants.revocation in another form.

-- The number of this database among those that a restore made. What was issued under a lower one is dead.
CREATE TABLE grants.generation (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  value     bigint NOT NULL CHECK (value >= 0)
);
INSERT INTO grants.generation (value) VALUES (0);

CREATE VIEW grants_read.generation_v1 AS SELECT value FROM grants.generation;

-- Keys stay revoked for ever, so they have a table without partitions.
CREATE TABLE grants.revoked_key (
  kid         text PRIMARY KEY CHECK (kid <> ''),
  revoked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX revoked_key_by_xid ON grants.revoked_key (xid);

INSERT INTO grants.revoked_key (kid, revoked_at)
  SELECT id, min(revoked_at) FROM grants.revocation WHERE kind = 'k' AND id <> '' GROUP BY id;

-- The id of the end of a personal access token is its user and itself, with a space in between; no id holds a space.
CREATE TABLE grants.carried_revocation AS
  SELECT CASE WHEN is_personal THEN 'p' ELSE kind END AS kind,
         CASE WHEN is_personal THEN subject || ' ' || substr(id, length(subject) + 4) ELSE id END AS id,
         max(value) AS value, max(revoked_at) + interval '24 hours 60 seconds' AS until
    FROM (SELECT *, kind = 't' AND id LIKE 'p.%' AS is_personal FROM grants.revocation) r
   WHERE kind <> 'k' AND revoked_at > clock_timestamp() - interval '24 hours 60 seconds'
   GROUP BY 1, 2;

DROP VIEW grants_read.revocation_v1;
DROP TABLE grants.revocation;

CREATE TABLE grants.revocation (
  -- Day of `until` in UTC, counted from 1970.
  day    integer NOT NULL,
  -- t access token, p personal access token, g grant, s session, u user, c client, o organization
  kind   text NOT NULL CHECK (kind IN ('t', 'p', 'g', 's', 'u', 'c', 'o')),
  id     text NOT NULL CHECK (id <> ''),
  -- 1 for what ends at once; for u, c and o the epoch below which everything is dead.
  value  bigint NOT NULL CHECK (value >= 1),
  -- Nothing that this could end lives longer.
  until  timestamptz NOT NULL,
  -- The last transaction that wrote the row: readers poll what their last snapshot did not see.
  xid    xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (day, kind, id)
) PARTITION BY RANGE (day);

CREATE INDEX revocation_by_id ON grants.revocation (kind, id);
CREATE INDEX revocation_by_xid ON grants.revocation (xid, kind, id);

-- An ending of now lies three days ahead at most. The token service makes and drops all others.
DO $$
DECLARE
  today integer := floor(extract(epoch FROM clock_timestamp()) / 86400);
BEGIN
  FOR slot IN today..today + 3 LOOP
    EXECUTE format('CREATE TABLE grants.revocation_%1$s PARTITION OF grants.revocation FOR VALUES FROM (%1$s) TO (%2$s)',
                   slot, slot + 1);
  END LOOP;
END $$;

INSERT INTO grants.revocation (day, kind, id, value, until)
  SELECT floor(extract(epoch FROM until) / 86400), kind, id, greatest(value, 1), until
    FROM grants.carried_revocation WHERE until > clock_timestamp() AND id <> '';
DROP TABLE grants.carried_revocation;

CREATE VIEW grants_read.revocation_v1 AS
  SELECT day, kind, id, value, until, xid FROM grants.revocation
   UNION ALL
  SELECT -1, 'k', kid, 1::bigint, 'infinity'::timestamptz, xid FROM grants.revoked_key;

GRANT USAGE ON SCHEMA grants_read TO signet_keys;
GRANT SELECT ON grants_read.revocation_v1, grants_read.generation_v1
  TO signet_introspection, signet_login, signet_directory, signet_keys;

-- What was exchanged for a personal access token rests on that token.
ALTER TABLE grants.grant_origin
  DROP CONSTRAINT grant_origin_kind_check,
  ADD CONSTRAINT grant_origin_kind_check CHECK (kind IN ('t', 'p', 'g', 's', 'u', 'c', 'o'));

-- The subject of such an origin is the user of the token.
WITH personal AS (
  SELECT DISTINCT g.end_week, g.grant_id, origin ->> 'tokenId' AS old_id,
         (origin ->> 'subject') || ' ' || substr(origin ->> 'tokenId', length(origin ->> 'subject') + 4) AS id
    FROM grants.authorization_grant g CROSS JOIN jsonb_array_elements(g.origins) AS origin
   WHERE g.origins <> '[]' AND origin ->> 'tokenId' LIKE 'p.%')
UPDATE grants.grant_origin o SET kind = 'p', id = personal.id FROM personal
 WHERE o.end_week = personal.end_week AND o.grant_id = personal.grant_id
   AND o.kind = 't' AND o.id = personal.old_id;

UPDATE grants.authorization_grant g SET origins = (
  SELECT jsonb_agg(CASE WHEN origin ->> 'tokenId' LIKE 'p.%'
           THEN (origin - 'tokenId') || jsonb_build_object('personalTokenId',
                  (origin ->> 'subject') || ' ' || substr(origin ->> 'tokenId', length(origin ->> 'subject') + 4))
           ELSE origin END ORDER BY position)
    FROM jsonb_array_elements(g.origins) WITH ORDINALITY AS o (origin, position))
 WHERE g.origins <> '[]' AND EXISTS (
   SELECT FROM jsonb_array_elements(g.origins) AS origin WHERE origin ->> 'tokenId' LIKE 'p.%');
