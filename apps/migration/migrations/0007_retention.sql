-- Ended jobs are deleted after SIGNET_MIGRATION_JOB_RETENTION_DAYS; what only a resumed run reads is deleted as soon as
-- the job cannot be resumed any more.
ALTER TABLE migration.job ADD COLUMN resume_data boolean NOT NULL DEFAULT true;
CREATE INDEX job_resume_data ON migration.job (ended_at) WHERE resume_data AND ended_at IS NOT NULL;
CREATE INDEX job_ended_at ON migration.job (ended_at) WHERE ended_at IS NOT NULL;
