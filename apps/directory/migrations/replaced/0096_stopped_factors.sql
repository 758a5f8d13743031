-- A passkey can stop counting as a factor without being deleted. The person is told, and sessions that may rest on it end.

-- The RP ID of the last start of the directory; null before the first one. Passkeys of another one do not count.
ALTER TABLE directory.setting ADD COLUMN passkey_rp_id text;

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

-- Whether a login policy accepts passkeys alone, and after a password (directory_read.passkey_policy_v1).
CREATE FUNCTION directory.accepted_passkeys(document jsonb) RETURNS boolean[] IMMUTABLE LANGUAGE sql AS $$
  SELECT ARRAY[
    coalesce(document ->> 'passwordlessType' <> 'PASSWORDLESS_TYPE_NOT_ALLOWED', true),
    coalesce(nullif(document -> 'secondFactors', 'null'::jsonb) ? 'SECOND_FACTOR_TYPE_U2F', true)]
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
