-- A batch of an undo that is repeated publishes again what the first call ended: that call may have ended before it could.
ALTER TABLE directory.applied_batch ADD COLUMN xid xid8;
