-- Proves which entries of the log of endings in Redis the token service wrote. In no view, so that other roles cannot read
-- it. A backup holds it: after a restore the entries since the backup are still proven.
CREATE TABLE grants.log_key (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  key       bytea NOT NULL CHECK (length(key) = 32)
);
-- Each UUID has 122 random bits.
INSERT INTO grants.log_key (key)
  VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
