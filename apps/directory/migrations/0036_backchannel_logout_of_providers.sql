-- Whether a provider may end the sessions of people who signed in by it (OpenID Connect Back-Channel Logout 1.0).
ALTER TABLE directory.identity_provider ADD COLUMN backchannel_logout boolean NOT NULL DEFAULT false;
