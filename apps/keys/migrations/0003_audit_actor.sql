-- The service that rotates by the calendar is called `service`, as in every other trail. Replicas of the version before
-- go on writing `system` until they are replaced, and what they wrote stays as it is.
ALTER TABLE keys.audit_event
  DROP CONSTRAINT audit_event_actor_kind_check,
  ADD CONSTRAINT audit_event_actor_kind_check
    CHECK (actor_kind IN ('human', 'service_user', 'service', 'system'));
