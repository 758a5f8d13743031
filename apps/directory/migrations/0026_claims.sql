-- An id that was free needs no second look: an import claims hundreds of thousands of them.
CREATE OR REPLACE FUNCTION directory.claim_principal(claimed text, kind text, owner text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO directory.principal (principal_id, owner_kind, owner_id) VALUES (claimed, kind, owner)
    ON CONFLICT (principal_id) DO NOTHING;
  IF NOT FOUND AND NOT EXISTS (SELECT FROM directory.principal p
                                WHERE p.principal_id = claimed AND p.owner_kind = kind AND p.owner_id = owner) THEN
    RAISE unique_violation USING CONSTRAINT = 'principal_pkey', TABLE = 'principal',
      MESSAGE = format('the id %s belongs to another user, service user or application', claimed);
  END IF;
END $$;
