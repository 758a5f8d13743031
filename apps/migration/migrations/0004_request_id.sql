-- Of the request that started a job, or let it go on: the audit log names it for all that the job does. Null for older jobs.
ALTER TABLE migration.job ADD COLUMN request_id text;
