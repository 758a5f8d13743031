-- Consents of before count no more: the client answers at another place, or has another name or type.
ALTER TABLE directory.client_registration ADD COLUMN recipients_changed_at timestamptz;
