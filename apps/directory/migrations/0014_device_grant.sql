ALTER TABLE directory.application
  DROP CONSTRAINT application_grant_types_check,
  ADD CONSTRAINT application_grant_types_check
    CHECK (grant_types <@ ARRAY['authorization_code', 'implicit', 'refresh_token', 'client_credentials',
                                'urn:ietf:params:oauth:grant-type:jwt-bearer',
                                'urn:ietf:params:oauth:grant-type:token-exchange',
                                'urn:ietf:params:oauth:grant-type:device_code']);

-- Whether any application has the grant, which discovery shows.
CREATE INDEX application_device_grant ON directory.application (application_id)
  WHERE grant_types @> ARRAY['urn:ietf:params:oauth:grant-type:device_code'];
