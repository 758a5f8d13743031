-- E-mail: the outbox, SMTP servers of organizations, and the one-time tokens of its links.

-- Whether the instance has an SMTP server, and the most messages in 24 hours that one organization sends through it (0: no
-- limit). The directory writes both at start, since only its settings say so.
ALTER TABLE directory.setting ADD COLUMN sends_mail boolean NOT NULL DEFAULT false,
  ADD COLUMN smtp_daily_limit integer NOT NULL DEFAULT 1000;

CREATE TABLE directory.organization_smtp (
  organization_id  directory.object_id PRIMARY KEY REFERENCES directory.organization ON DELETE CASCADE,
  host             text NOT NULL,
  port             integer NOT NULL,
  tls              text NOT NULL CHECK (tls IN ('implicit', 'starttls')),
  user_name        text,
  -- AES-256-GCM under the directory master key
  sealed_password  bytea,
  sender_address   text NOT NULL,
  sender_name      text,
  CHECK ((user_name IS NULL) = (sealed_password IS NULL))
);

CREATE TABLE directory.mail_delivery (
  -- Day of the request, counted from 1970.
  day              integer NOT NULL,
  -- In Message-ID, the same in every try.
  delivery_id      text NOT NULL DEFAULT gen_random_uuid()::text,
  kind             text NOT NULL,
  -- Null for a request whose login name is not resolved yet, and after the deletion of the user: the row counts further.
  user_id          directory.object_id REFERENCES directory.account ON DELETE SET NULL,
  -- HMAC of the normalised address under a subkey of the directory master key.
  recipient_key    bytea,
  -- The organization of the person.
  organization_id  directory.object_id,
  -- The organization by whose SMTP server the message goes; null: that of the instance.
  smtp             directory.object_id,
  -- Has a share of the deliveries in flight. An id of an organization has no colon.
  receiver         text NOT NULL GENERATED ALWAYS AS (
    CASE kind WHEN 'password_reset_request' THEN ':requests' ELSE coalesce(smtp::text, ':instance') END) STORED,
  language         text,
  -- What the person typed, under the directory master key until there is an outcome.
  sealed_request   bytea,
  created_at       timestamptz NOT NULL,
  failures         integer NOT NULL DEFAULT 0,
  -- Null once there is an outcome. A replica that tries moves it ahead, so that another one takes over.
  due_at           timestamptz,
  outcome          text CHECK (outcome IN ('delivered', 'given_up')),
  PRIMARY KEY (day, delivery_id),
  CHECK ((due_at IS NULL) = (outcome IS NOT NULL))
);
CREATE INDEX mail_delivery_due_instance ON directory.mail_delivery (receiver, due_at)
  WHERE due_at IS NOT NULL AND smtp IS NULL;
CREATE INDEX mail_delivery_due_tenant ON directory.mail_delivery (receiver, due_at)
  WHERE due_at IS NOT NULL AND smtp IS NOT NULL;
-- The limits of one person, one address, and one organization at the server of the instance.
CREATE INDEX mail_delivery_user ON directory.mail_delivery (user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX mail_delivery_recipient ON directory.mail_delivery (recipient_key, created_at)
  WHERE recipient_key IS NOT NULL;
CREATE INDEX mail_delivery_organization ON directory.mail_delivery (organization_id, created_at)
  WHERE organization_id IS NOT NULL AND smtp IS NULL;

CREATE TABLE directory.mail_token (
  -- The delivery that it was sent with.
  day                  integer NOT NULL,
  delivery_id          text NOT NULL,
  purpose              text NOT NULL CHECK (purpose IN ('password_reset', 'email_verification', 'invitation')),
  user_id              directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  -- SHA-256: the token has 256 random bits.
  token_hash           bytea NOT NULL UNIQUE,
  -- HMAC under a subkey of the directory master key: the code has 60 random bits.
  code_hash            bytea UNIQUE,
  -- The state of the account when the message was sent; another one voids the token.
  email_key            text NOT NULL,
  -- Rises with each password and each end of access.
  user_epoch           bigint NOT NULL,
  expires_at           timestamptz NOT NULL,
  code_expires_at      timestamptz,
  spent_at             timestamptz,
  PRIMARY KEY (day, delivery_id)
);
CREATE INDEX mail_token_user ON directory.mail_token (user_id);

-- Tries by network address, of registrations and of the pages for links and codes.
ALTER TABLE directory.registration_attempt ADD COLUMN kind text NOT NULL DEFAULT 'registration';

CREATE VIEW directory_read.password_reset_v1 AS
  SELECT o.organization_id, login.allows_password,
         (s.sends_mail OR smtp.organization_id IS NOT NULL) AND NOT login.hides_reset AND login.allows_password AS offered
    FROM directory.organization o
   CROSS JOIN directory.setting s
    LEFT JOIN directory.organization_smtp smtp USING (organization_id)
    LEFT JOIN directory.organization_policy policy
           ON policy.organization_id = o.organization_id AND policy.kind = 'login'
   CROSS JOIN LATERAL (
     SELECT coalesce(policy.document ->> 'allowUsernamePassword' <> 'false', true) AS allows_password,
            coalesce(policy.document ->> 'hidePasswordReset' = 'true', false) AS hides_reset) AS login;
GRANT SELECT ON directory_read.password_reset_v1 TO signet_login;
