-- Whether a sign-out goes on at the provider of the session (OpenID Connect RP-Initiated Logout 1.0).
ALTER TABLE directory.identity_provider ADD COLUMN rp_initiated_logout boolean NOT NULL DEFAULT false;
