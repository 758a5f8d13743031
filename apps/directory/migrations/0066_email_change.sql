-- Changes of an e-mail address by its owner: a link goes to the new address, and a notice to the former one.

-- Of a message that does not go to the address of the account; null once there is an outcome.
ALTER TABLE directory.mail_delivery ADD COLUMN address text, ADD COLUMN address_key text,
  ADD CHECK ((address IS NULL) = (address_key IS NULL));

-- The address that the token proves and that becomes the one of the account. Its email_key is '' for an account without
-- an address.
ALTER TABLE directory.mail_token ADD COLUMN new_email text, ADD COLUMN new_email_key text,
  DROP CONSTRAINT mail_token_purpose_check,
  ADD CHECK (purpose IN ('password_reset', 'email_verification', 'invitation', 'email_change')),
  ADD CHECK ((purpose = 'email_change') = (new_email IS NOT NULL AND new_email_key IS NOT NULL));
