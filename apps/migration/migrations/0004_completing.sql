-- How long the object is that an attempt was about to complete. When its worker is lost before it can say that the object
-- is there, the next attempt finds it and knows that it is its own. Null until then.
ALTER TABLE migration.job ADD COLUMN completing_bytes bigint;
