ALTER TABLE grants.authorization_grant
  -- The rich authorization of the grant (RFC 9396), each detail with the project of its type; null without.
  ADD COLUMN authorization_details jsonb;
