CREATE OR REPLACE VIEW keys_read.audit_event_v1 AS
  SELECT id, at, actor_id, actor_kind, action, target_kind, target_id, organization_id, client_address, result, details
    FROM keys_audit.audit_event;

GRANT SELECT ON keys_read.audit_event_v1 TO signet_directory;
