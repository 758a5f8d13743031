-- The deliveries to one host in order of time: the outbox takes a few of each host at once. `logout_delivery_due` is for
-- versions before this one.
CREATE INDEX logout_delivery_receiver ON grants.logout_delivery (split_part(uri, '/', 3), due_at)
  WHERE due_at IS NOT NULL;
