-- What administrators ask the trail of all services: what somebody did, and what happened to something. Partitions get
-- theirs by being attached.
CREATE INDEX audit_event_actor ON keys.audit_event (actor_id, at, id);
CREATE INDEX audit_event_target ON keys.audit_event (target_id, at, id);
