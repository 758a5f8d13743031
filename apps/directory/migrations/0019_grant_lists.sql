-- Who administers the instance goes by user, and the grants of a project go by their id.
CREATE INDEX member_instance ON directory.member (user_id) WHERE level = 'instance';

DROP INDEX directory.user_grant_project;
CREATE INDEX user_grant_project ON directory.user_grant (project_id, user_grant_id);
