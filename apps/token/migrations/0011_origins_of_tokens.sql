-- What was exchanged for a token ends with that token too, not only with what stands behind it. The end of a personal
-- access token is that of a token whose id names its user and itself.
ALTER TABLE grants.grant_origin
  DROP CONSTRAINT grant_origin_kind_check,
  ADD CONSTRAINT grant_origin_kind_check CHECK (kind IN ('t', 'g', 's', 'u', 'c', 'o'));
