-- The day of the latest token of each client, so that clients that registered themselves and are in use are kept. A replica writes a
-- client once a day, beside its requests. Rows that no policy asks about any more are deleted by the hourly round.
CREATE TABLE grants.client_use (
  client_id  text PRIMARY KEY,
  -- Day in UTC, counted from 1970.
  day        integer NOT NULL
);
