-- The deliveries to one host in order of time: the outbox takes a few of each host at once. `logout_delivery_due` is for
-- versions before this one.
CREATE INDEX logout_delivery_receiver ON grants.logout_delivery (
  lower(regexp_replace(split_part(split_part(uri, '/', 3), '?', 1), '^.*@|:[0-9]*$', '', 'g')), due_at)
  WHERE due_at IS NOT NULL;
