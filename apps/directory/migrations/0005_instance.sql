-- What concerns the whole instance.

-- One row. The upper bounds are constants of the suite: keys and mirrors rely on them without coordination.
CREATE TABLE directory.setting (
  singleton                      boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  access_token_lifetime_seconds  integer NOT NULL DEFAULT 3600 CHECK (access_token_lifetime_seconds BETWEEN 1 AND 86400),
  id_token_lifetime_seconds      integer NOT NULL DEFAULT 3600 CHECK (id_token_lifetime_seconds BETWEEN 1 AND 86400),
  refresh_idle_seconds           integer NOT NULL DEFAULT 2592000 CHECK (refresh_idle_seconds BETWEEN 1 AND 34560000),
  refresh_absolute_seconds       integer NOT NULL DEFAULT 7776000 CHECK (refresh_absolute_seconds BETWEEN 1 AND 34560000),
  refresh_retry_window_seconds   integer NOT NULL DEFAULT 30 CHECK (refresh_retry_window_seconds BETWEEN 0 AND 60),
  session_idle_seconds           integer NOT NULL DEFAULT 604800 CHECK (session_idle_seconds BETWEEN 1 AND 34560000),
  session_absolute_seconds       integer NOT NULL DEFAULT 2592000 CHECK (session_absolute_seconds BETWEEN 1 AND 34560000),
  enable_impersonation           boolean NOT NULL DEFAULT false,
  default_organization_id        directory.object_id REFERENCES directory.organization ON DELETE SET NULL
);
INSERT INTO directory.setting DEFAULT VALUES;

CREATE TABLE directory.feature (
  name     text PRIMARY KEY,
  enabled  boolean NOT NULL
);

-- A known text sealed at first start: a process with another master key finds out before it harms anything.
CREATE TABLE directory.master_key_check (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  sealed     bytea NOT NULL
);

-- What the bootstrap file said when it was last applied, field by field. The row with the empty field stands for the
-- object itself and remembers the id it was given.
CREATE TABLE directory.bootstrap_fingerprint (
  object_kind  text NOT NULL,
  -- How the file names the object; independent of the id that was generated for it.
  object_key   text NOT NULL,
  field        text NOT NULL,
  fingerprint  bytea NOT NULL,
  object_id    text,
  PRIMARY KEY (object_kind, object_key, field)
);
