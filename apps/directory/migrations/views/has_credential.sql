-- Whether there is something that the account can sign in with now. The second factor is not looked at: it can be taken
-- away, and an account without one can enrol it.
CREATE OR REPLACE FUNCTION directory.has_credential(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM directory.account_password
                   JOIN directory.account a USING (user_id)
                   JOIN directory.effective_policy_v1 p USING (organization_id)
                  WHERE user_id = account AND p.allows_password)
      OR directory.has_credential_beside_password(account)
$$;

-- Whether the organization can turn sign-in with a password off: an IAM_OWNER who can sign in is left, or it has none.
CREATE OR REPLACE FUNCTION directory.can_forbid_passwords(organization text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM directory.member m JOIN directory.account a USING (user_id)
                      WHERE a.organization_id = organization AND m.level = 'instance' AND m.role = 'IAM_OWNER')
      OR EXISTS (SELECT FROM directory.member m
                   JOIN directory.account a USING (user_id)
                   JOIN directory.organization o ON o.organization_id = a.organization_id
                  WHERE m.level = 'instance' AND m.role = 'IAM_OWNER' AND a.state = 'active' AND o.state = 'active'
                    AND CASE WHEN a.organization_id = organization
                             THEN directory.has_credential_beside_password(a.user_id)
                             ELSE directory.has_credential(a.user_id) END)
$$;
