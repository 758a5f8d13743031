-- What the management API needs besides the objects themselves.

-- A creation that is repeated under the same key is answered as the first time.
CREATE TABLE directory.idempotency_key (
  caller_id       text NOT NULL,
  key             text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  -- SHA-256 of the operation and its input
  request_digest  bytea NOT NULL CHECK (octet_length(request_digest) = 32),
  -- AES-256-GCM under the directory master key; null only inside the transaction that makes the object
  sealed_answer   bytea,
  claimed_at      timestamptz NOT NULL,
  PRIMARY KEY (caller_id, key)
);
-- Forgetting them after a day.
CREATE INDEX idempotency_key_claimed ON directory.idempotency_key (claimed_at);

-- Lists go by organization and id; registering and importing write in no order.
CREATE INDEX account_organization ON directory.account (organization_id, user_id);
