ALTER TABLE grants.authorization_grant
  -- The key that a public client proves at each refresh (RFC 9449 section 5, RFC 8705 section 7.1): `jkt.` or `x5t#S256.` and its
  -- thumbprint.
  ADD COLUMN bound_to text;
