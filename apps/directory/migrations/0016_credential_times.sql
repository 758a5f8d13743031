-- When keys were registered and secrets made, for those who look after them.
ALTER TABLE directory.machine_key ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE directory.application_key ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE directory.service_user_secret ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE directory.application_secret ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
