-- LIMIT: the row of the instance is never analyzed, and PostgreSQL takes it for hundreds. With that estimate the statement of a
-- sign-in, which reads this view, is planned again at each execution.
CREATE OR REPLACE VIEW directory.effective_policy_v1 AS
  SELECT o.organization_id, p.*
    FROM directory.organization o
   CROSS JOIN (SELECT setting AS row FROM directory.setting LIMIT 1) s
    LEFT JOIN directory.organization_policy login
           ON login.organization_id = o.organization_id AND login.kind = 'login'
    LEFT JOIN directory.organization_policy lockout
           ON lockout.organization_id = o.organization_id AND lockout.kind = 'lockout'
    LEFT JOIN directory.organization_policy password
           ON password.organization_id = o.organization_id AND password.kind = 'password_complexity'
    LEFT JOIN directory.organization_policy domain
           ON domain.organization_id = o.organization_id AND domain.kind = 'domain'
   CROSS JOIN LATERAL directory.effective_policy(
           login.document, lockout.document, password.document, domain.document, s.row) p;
