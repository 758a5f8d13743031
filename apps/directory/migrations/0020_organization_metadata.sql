-- What administrators note about an organization, as `user_metadata` is for an account.
CREATE TABLE directory.organization_metadata (
  organization_id  directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  key              text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  value            bytea NOT NULL CHECK (octet_length(value) BETWEEN 1 AND 500000),
  PRIMARY KEY (organization_id, key)
);
