-- One row for every export and import; the truth that the queue only points to.
CREATE TABLE migration.job (
  job_id      text PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('export', 'import')),
  state       text NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  created_by  text NOT NULL,
  created_at  timestamptz NOT NULL,
  ended_at    timestamptz
);

-- What a worker looks for.
CREATE INDEX job_unfinished ON migration.job (created_at) WHERE ended_at IS NULL;
