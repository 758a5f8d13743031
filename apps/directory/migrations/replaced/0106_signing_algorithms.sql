-- The algorithms with which tokens are signed, and since when each is named. The keys service has keys for these alone, so
-- an application may choose an algorithm when every client has had its keys for a day. A new instance, which has no
-- organization, names its algorithms at once: no client has its key set.
ALTER TABLE directory.setting
  ADD COLUMN signing_algorithms text[] NOT NULL DEFAULT '{RS256,ES256}'
    CONSTRAINT signing_algorithms_known CHECK (signing_algorithms <@ '{RS256,ES256,EdDSA}')
    -- Of ID tokens at first, of manifests and of heads of the audit log.
    CONSTRAINT signing_algorithms_with_rs256 CHECK ('RS256' = ANY (signing_algorithms)),
  ADD COLUMN signing_algorithms_named jsonb NOT NULL DEFAULT '{"RS256": "-infinity", "ES256": "-infinity"}';

UPDATE directory.setting
   SET signing_algorithms = '{RS256,ES256,EdDSA}', signing_algorithms_named = signing_algorithms_named || '{"EdDSA": "-infinity"}'
 WHERE EXISTS (SELECT FROM directory.application WHERE 'EdDSA' IN (access_token_signing_alg, id_token_signing_alg))
    OR EXISTS (SELECT FROM directory.service_user WHERE access_token_signing_alg = 'EdDSA');

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

CREATE VIEW directory_read.signing_algorithm_v1 AS
  SELECT named.key AS algorithm, named.value::timestamptz AS named_at
    FROM directory.setting s, jsonb_each_text(s.signing_algorithms_named) AS named;
GRANT USAGE ON SCHEMA directory_read TO signet_keys;
GRANT SELECT ON directory_read.signing_algorithm_v1 TO signet_keys;
