-- A page asks for the answer of an endpoint: its origin is looked for among those of all applications.
CREATE INDEX application_allowed_origins ON directory.application USING gin (allowed_origins);
