-- Projects bundle applications and roles; members administer.

CREATE TABLE directory.project (
  project_id              directory.object_id PRIMARY KEY,
  organization_id         directory.object_id NOT NULL REFERENCES directory.organization ON DELETE CASCADE,
  name                    text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  project_role_assertion  boolean NOT NULL DEFAULT false,
  project_role_check      boolean NOT NULL DEFAULT false,
  has_project_check       boolean NOT NULL DEFAULT false,
  created_at              timestamptz NOT NULL DEFAULT now()
);
-- The projects of an organization, and deleting them with it.
CREATE INDEX project_organization ON directory.project (organization_id);

CREATE TABLE directory.project_role (
  project_id    directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  role_key      text NOT NULL CHECK (char_length(role_key) BETWEEN 1 AND 200),
  display_name  text NOT NULL,
  role_group    text,
  PRIMARY KEY (project_id, role_key)
);

CREATE TABLE directory.user_grant (
  user_id        directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  project_id     directory.object_id NOT NULL REFERENCES directory.project ON DELETE CASCADE,
  user_grant_id  directory.object_id NOT NULL UNIQUE,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, project_id)
);
CREATE INDEX user_grant_project ON directory.user_grant (project_id);

CREATE TABLE directory.user_grant_role (
  user_id     directory.object_id NOT NULL,
  project_id  directory.object_id NOT NULL,
  role_key    text NOT NULL,
  PRIMARY KEY (user_id, project_id, role_key),
  FOREIGN KEY (user_id, project_id) REFERENCES directory.user_grant ON DELETE CASCADE,
  FOREIGN KEY (project_id, role_key) REFERENCES directory.project_role ON DELETE CASCADE
);
-- Deleting a role takes it from everybody who has it.
CREATE INDEX user_grant_role_role ON directory.user_grant_role (project_id, role_key);

CREATE TABLE directory.member (
  user_id          directory.object_id NOT NULL REFERENCES directory.account ON DELETE CASCADE,
  level            text NOT NULL CHECK (level IN ('instance', 'organization', 'project')),
  organization_id  directory.object_id REFERENCES directory.organization ON DELETE CASCADE,
  project_id       directory.object_id REFERENCES directory.project ON DELETE CASCADE,
  role             text NOT NULL,
  CHECK ((level = 'organization') = (organization_id IS NOT NULL)),
  CHECK ((level = 'project') = (project_id IS NOT NULL)),
  CONSTRAINT member_role_level CHECK (role ~ (CASE level WHEN 'instance' THEN '^IAM_[A-Z_]+$'
                                                         WHEN 'organization' THEN '^ORG_[A-Z_]+$'
                                                         ELSE '^PROJECT_[A-Z_]+$' END)),
  -- Also the index by user: what somebody may do is read at every call.
  CONSTRAINT member_once UNIQUE NULLS NOT DISTINCT (user_id, level, organization_id, project_id, role)
);
