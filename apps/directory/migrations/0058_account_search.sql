-- A search for a part of a name looks at users in the order of their ids, which is not that of the rows. Here it needs no row. The
-- longest values together stay below the limit of an entry, 2,704 bytes.
CREATE INDEX account_search ON directory.account (user_id)
  INCLUDE (organization_id, kind, state, user_name_key, display_name, email_key);

-- Lists of the few who are not active, and of service users, among a million active people.
CREATE INDEX account_not_active ON directory.account (user_id) WHERE state <> 'active';
CREATE INDEX account_service_user ON directory.account (user_id) WHERE kind = 'service_user';
