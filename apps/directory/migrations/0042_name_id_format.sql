-- The format of the NameID that a SAML provider has to send; without it any but a transient one.
ALTER TABLE directory.identity_provider ADD COLUMN name_id_format text;
ALTER TABLE directory.identity_provider ADD CONSTRAINT identity_provider_name_id_format
  CHECK (name_id_format IS NULL OR type = 'saml');
