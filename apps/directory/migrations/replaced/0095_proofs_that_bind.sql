-- Who asked for a message with a link, for the message and the page of its link.
ALTER TABLE directory.mail_delivery
  -- Null: the person, on a page that asks for a login name or in their own account.
  ADD COLUMN asked_by text CHECK (asked_by IN ('registration', 'administrator')),
  -- The name of the application from which the person came; null: none is known.
  ADD COLUMN application text;
