-- The browsers that depend on the secret of a person, so that one of them can be ended. Its rows end with it.
CREATE TABLE directory.trusted_browser (
  user_id       directory.object_id NOT NULL REFERENCES directory.browser_trust ON DELETE CASCADE,
  -- Random, in the cookie of the browser.
  browser_id    text NOT NULL,
  -- Names of browser and system such as `Firefox, Linux`; empty: unknown.
  agent         text NOT NULL,
  trusted_at    timestamptz NOT NULL,
  last_used_at  timestamptz NOT NULL,
  PRIMARY KEY (user_id, browser_id)
);
