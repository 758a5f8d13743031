// The reasons for which a request of a client or a sign-in is refused or changed, by their labels, with what cures each. The
// labels are those of docs/reference/errors.md. `{application}`, `{user}`, `{project}`, `{received}` and `{scopes}` in a cure
// stand for values of the event.

/** The rule that was broken, and a sentence or a command that cures it. */
export interface RefusalReason {
  readonly cause: string
  readonly cure: string
}

const reason = (cause: string, cure: string): RefusalReason => ({ cause, cure })

const SEND_AGAIN = 'correct the request of the application; the description of the error names the parameter'
const START_AGAIN = 'start again at the authorization endpoint'
const BEGIN_DEVICE = 'begin again at the device authorization endpoint'
const NEW_SECRET = 'signet application rotate-secret {application}'
const SIGN_ASSERTION = 'correct how the application signs its assertion'
const SIGN_OBJECT = 'correct how the application signs its request object'
const WAIT = 'repeat the call a moment later'
const GRANT_ROLE = 'signet user-grant create {project} --set userId={user} --set roles=ROLE'
const ADD_REDIRECT_URI = 'signet application update {application} --set redirectUris+={received}'
const ALLOW_REFRESH = 'signet application update {application} --set grantTypes+=refresh_token'

const AUTHORIZATION = {
  redirect_uri_missing: reason('the request has no redirect_uri, or more than one', SEND_AGAIN),
  client_document_refused: reason(
    'the URL of the client, or its document, breaks the rule of this event',
    'the publisher of the client corrects its document; SIGNET_CLIENT_ID_METADATA_HOSTS decides about its host',
  ),
  redirect_uri_unregistered: reason(
    'the redirect URI is not registered character by character',
    ADD_REDIRECT_URI,
  ),
  parameter_repeated: reason('a parameter was sent more than once', SEND_AGAIN),
  parameter_zero_character: reason('a parameter holds a zero character', SEND_AGAIN),
  parameters_too_long: reason('the parameters are too long together', SEND_AGAIN),
  state_too_long: reason('state is too long', SEND_AGAIN),
  nonce_too_long: reason('nonce is too long', SEND_AGAIN),
  response_type_missing: reason('the request has no response_type', 'send response_type=code'),
  response_type_unsupported: reason('Signet has no such response_type', 'send response_type=code'),
  response_type_not_allowed: reason(
    'the application may not use this response_type',
    'send response_type=code, or add the type to responseTypes of the application',
  ),
  response_type_not_bound: reason(
    'access tokens of the application are bound, and the authorization endpoint binds none',
    'send response_type=code',
  ),
  dpop_jkt_of_other_key: reason(
    'dpop_jkt is not the key of the DPoP proof of the pushed request',
    'use one key',
  ),
  dpop_jkt_malformed: reason('dpop_jkt is not the base64url of a SHA-256 thumbprint', SEND_AGAIN),
  grant_type_not_allowed: reason(
    'the application may not use this grant type',
    'signet application update {application} --set grantTypes+=GRANT_TYPE',
  ),
  scope_missing: reason('the request has no scope', 'send scope=openid'),
  scope_without_openid: reason('the scope lacks openid', 'send a scope that includes openid'),
  scope_malformed: reason('the scope is not a list of words', 'send words separated by spaces'),
  scope_too_long: reason('the scope is too long', SEND_AGAIN),
  scopes_dropped: reason(
    'the scope has words that mean nothing here: {scopes}; they were left out',
    'correct the spelling; roles need urn:zitadel:iam:org:project:role:KEY or the scope groups',
  ),
  offline_access_dropped: reason(
    'offline_access was asked for, and the application has no grant type refresh_token, so no refresh token follows',
    ALLOW_REFRESH,
  ),
  offline_access_missing: reason(
    'the application has the grant type refresh_token, and did not ask for offline_access, so no refresh token follows',
    'add offline_access to the scope of the request, or ignore this where no refresh token is wanted',
  ),
  organization_unknown: reason('the organization in the scope does not exist', SEND_AGAIN),
  organization_several: reason('the scope names more than one organization', SEND_AGAIN),
  scope_of_other_organization: reason(
    'the scope restricts the sign-in to an organization that the person is not of',
    'leave the scope of the organization out, or sign in as a person of it',
  ),
  audience_not_allowed: reason(
    'the project of an audience scope does not exist, or does not list the client in allowedAudiences',
    'signet project update PROJECT --set allowedAudiences+=CLIENT_ID',
  ),
  api_not_allowed: reason(
    'only applications with mayCallApi may ask for the management API for people',
    'signet application update {application} --set mayCallApi=true',
  ),
  pkce_required: reason(
    'the request has no code_challenge',
    'let the application send code_challenge with code_challenge_method=S256',
  ),
  code_challenge_absent: reason(
    'the request has no code_challenge, which this application may leave out',
    'send code_challenge with code_challenge_method=S256, then signet application review {application}',
  ),
  code_challenge_missing: reason('code_challenge_method came without a code_challenge', SEND_AGAIN),
  pkce_method: reason('code_challenge_method is not S256', 'send code_challenge_method=S256'),
  code_challenge_malformed: reason('code_challenge is not the base64url of a SHA-256 value', SEND_AGAIN),
  nonce_missing: reason('the response type id_token needs a nonce', 'send a nonce'),
  prompt_unknown: reason('prompt has a value that is not defined', SEND_AGAIN),
  prompt_none_combined: reason('prompt=none came with another value', SEND_AGAIN),
  max_age_malformed: reason('max_age is not a number of seconds', SEND_AGAIN),
  claims_malformed: reason('claims is not the JSON of OpenID Connect Core section 5.5', SEND_AGAIN),
  request_object_encrypted: reason('the request object is encrypted', 'sign it, and do not encrypt it'),
  request_object_required: reason(
    'the application takes signed requests only, and the request has no request object',
    'sign the request, or: signet application update {application} --set requireSignedRequests=false',
  ),
  signed_response_required: reason(
    'the application takes signed responses only, and response_mode asks for none',
    'send response_mode=jwt, or: signet application update {application} --set requireSignedResponses=false',
  ),
  request_object_without_key: reason(
    'the application has no registered key, with which a request object is verified',
    'signet application-key create {application} --set …',
  ),
  request_object_unsigned: reason('the request object has alg none', 'sign it with a registered key'),
  request_object_malformed: reason('the request object is not a signed JWT', SIGN_OBJECT),
  request_object_payload: reason('the payload of the request object is not a JSON object', SIGN_OBJECT),
  request_object_signature: reason('the signature of the request object does not verify', SIGN_OBJECT),
  request_object_alg: reason('the request object has an algorithm that is not supported', SIGN_OBJECT),
  request_object_alg_of_key: reason('alg of the request object does not fit the registered key', SIGN_OBJECT),
  request_object_kid: reason(
    'kid of the request object names no registered key',
    'signet application-key create {application}',
  ),
  request_object_client: reason('client_id, iss or sub of the request object is wrong', SIGN_OBJECT),
  request_object_nested: reason('the request object holds request or request_uri', SIGN_OBJECT),
  request_object_audience: reason('aud of the request object is not the issuer', SIGN_OBJECT),
  request_object_times: reason(
    'exp, nbf or iat of the request object is no number, or too far from the others',
    SIGN_OBJECT,
  ),
  request_object_expired: reason('the request object has expired', 'sign a new one for each sign-in'),
  request_object_early: reason(
    'nbf or iat of the request object lies in the future',
    'correct the clock of the application',
  ),
  request_object_parameter: reason('a parameter in the request object is no string', SIGN_OBJECT),
  request_uri: reason(
    'request_uri is not one that this service gave out',
    'push the parameters to /oauth/v2/par, or send them themselves',
  ),
  request_uri_expired: reason(
    'the request_uri is unknown, or older than 90 seconds',
    'push a new request for each sign-in, at the moment when the browser is sent',
  ),
  request_uri_used: reason('the request_uri was used', 'push a new request for each sign-in'),
  request_uri_of_other_client: reason('the request_uri belongs to another client', SEND_AGAIN),
  request_uri_pushed: reason('a pushed request has a request_uri', 'push the parameters themselves'),
  push_required: reason(
    'the application, or the instance, takes pushed authorization requests only',
    'push the request, or: signet application update {application} --set requirePushedAuthorization=false',
  ),
  hint_invalid: reason('id_token_hint is not an ID token of this issuer', SEND_AGAIN),
  hint_other_user: reason('another person signed in than the hint names', 'sign in as that person'),
  login_required: reason(
    'prompt=none, and nobody is signed in, or the sign-in is older than max_age',
    'send the request without prompt=none',
  ),
  session_ended: reason('the session of the person has just ended', 'sign in again'),
  account_selection_required: reason(
    'prompt=none, and the browser has several accounts',
    'send the request without prompt=none',
  ),
  second_factor_required: reason(
    'prompt=none, and the person has to prove a second factor',
    'send the request without prompt=none',
  ),
  consent_required: reason(
    'prompt=none, and the person has not allowed what the application asks for',
    'send the request without prompt=none',
  ),
  impersonation_consent: reason(
    'an administrator acts as the person, who has not allowed the application',
    'let the person sign in once and allow it',
  ),
  impersonation_step_up: reason(
    'an administrator acts as the person, and the request asks for an authentication of the person',
    'act as the person in an application that asks for none',
  ),
  impersonation_api: reason(
    'an administrator acts as the person, which gives no access to our own APIs',
    'administer with the own account',
  ),
  consent_denied: reason('the person did not allow access', 'sign in again and allow it'),
  acr_unmet: reason('the sign-in does not reach the acr that claims demands', SEND_AGAIN),
  project_not_granted: reason(
    'hasProjectCheck: the project was not granted to the organization of the person',
    'signet project-grant add {project} --set organizationId=ORGANIZATION',
  ),
  project_refuses_user: reason('a project of the audience does not let the person in', GRANT_ROLE),
  request_too_long: reason('scope, claims and nonce are too long together', SEND_AGAIN),
  project_role_missing: reason('projectRoleCheck: the person has no role in the project', GRANT_ROLE),
  post_logout_redirect_uri_unregistered: reason(
    'the post_logout_redirect_uri is not registered character by character',
    'signet application update {application} --set postLogoutRedirectUris+={received}',
  ),
  client_mismatch: reason('client_id is not the application that id_token_hint was issued to', SEND_AGAIN),
  origin_not_allowed: reason(
    'pages of this origin may not read the response (CORS)',
    'signet application update {application} --set allowedOrigins+={received}',
  ),
  rate_limited: reason('too many requests', 'wait as long as Retry-After says'),
} satisfies Readonly<Record<string, RefusalReason>>

const SIGN_IN = {
  account_unknown: reason(
    'no active person has this login name at this application',
    'check the login name: signet user list',
  ),
  account_not_active: reason(
    'the account or its organization is not active',
    'signet user update {user} --set state=active',
  ),
  password_not_set: reason('the account has no password', 'signet user invite {user}'),
  password_wrong: reason('the password was wrong', 'signet user send-password-reset {user}'),
  password_sign_in_not_allowed: reason(
    'the login policy forbids sign-in with a password',
    'sign in with a passkey, or set allowUsernamePassword=true in the login policy of the organization',
  ),
  throttled: reason(
    'too many failed attempts; the next one has to wait',
    'wait, or: signet user unlock {user}',
  ),
  totp_not_set: reason('the account has no authenticator app', 'signet user read {user}'),
  totp_used: reason('the code was used before', 'wait for the next code'),
  totp_unusable: reason('the secret of the authenticator app cannot be opened', 'signet totp delete {user}'),
  totp_wrong: reason(
    'the code of the authenticator app was wrong',
    'check the clock of the telephone, or: signet totp delete {user}',
  ),
  recovery_code_wrong: reason('the recovery code was wrong, or was used', 'use another recovery code'),
  second_factor_set: reason('the account has a second factor already', 'use that one'),
  passkey_unknown: reason('no account has this passkey', 'use another passkey, or the password'),
  passkey_of_other_user: reason('the passkey belongs to another account', 'use a passkey of this account'),
  organization_other: reason(
    'the passkey or the identity provider belongs to another organization',
    'use another one',
  ),
  provider_not_usable: reason(
    'the identity provider is not active, or the login policy forbids sign-in by it',
    'signet identity-provider activate ID, and allowExternalIdp and idps of the login policy',
  ),
  identity_provider_refused: reason(
    'the answer of the identity provider broke the rule that the values name, or it did not answer',
    'docs/runbooks/upstream-sign-ins-refused.md, at {received}',
  ),
  single_logout_refused: reason(
    'a message of a sign-out from a SAML provider broke the rule that the values name',
    'docs/runbooks/upstream-sign-ins-refused.md, at {received}',
  ),
  assertion_incomplete: reason(
    'the identity provider asserted no issuer or no subject',
    'check subjectClaim of the identity provider',
  ),
  no_account: reason(
    'no account is linked to the identity, and the identity provider neither links nor makes accounts',
    'signet identity-link create USER, or linkingAllowed or creationAllowed of the identity provider',
  ),
  user_name_taken: reason(
    'a new account would get a user name that another account has',
    'signet identity-link create USER, if it is the same person',
  ),
  user_name_invalid: reason(
    'neither user name, address nor subject of the assertion can be a user name',
    'map userName to another claim in mappedClaims of the identity provider',
  ),
  too_many_attempts: reason('too many new accounts were asked for from one network', 'wait an hour'),
  passkey_wrong: reason('the response of the authenticator did not verify', 'try again'),
  passkey_cloned: reason(
    'the counter of the passkey went back: it may have been copied',
    'signet passkey list {user}, then signet passkey delete {user} ID',
  ),
  passkey_sign_in_not_allowed: reason(
    'the login policy forbids sign-in with a passkey',
    'sign in with the password',
  ),
} satisfies Readonly<Record<string, RefusalReason>>

const CLIENT = {
  client_secret_wrong: reason('the client secret is wrong', NEW_SECRET),
  client_unknown: reason(
    'no active application has this client id, or its project or organization is not active',
    'signet application update {application} --set state=active',
  ),
  client_auth_method_not_registered: reason(
    'the application authenticated in another way than its authMethod',
    'signet application update {application} --set authMethod=METHOD',
  ),
  client_auth_method_of_grant_type: reason(
    'the grant type wants a stronger method of client authentication',
    'authenticate with a secret or a key',
  ),
  client_certificate_missing: reason(
    'the application authenticates by a certificate, or its tokens are bound to one, and none came with the request',
    'call the endpoint of mtls_endpoint_aliases in discovery; behind a proxy, docs/runbooks/client-certificates.md',
  ),
  client_certificate_malformed: reason(
    'the header of the proxy is not one client certificate',
    'let the proxy replace the header, docs/runbooks/client-certificates.md',
  ),
  client_certificate_unreadable: reason(
    'the client certificate has a key or extensions that cannot be read',
    'use a certificate with an RSA, P-256 or Ed25519 key and without malformed extensions',
  ),
  client_certificate_chain: reason(
    'the client certificate has no path to an authority of SIGNET_MTLS_CLIENT_CA',
    'send the certificates between both as well, or add the authority to the file',
  ),
  client_certificate_times: reason(
    'the client certificate, or one of its authorities, has expired or is not valid yet',
    'renew the certificate',
  ),
  client_certificate_name: reason(
    'the client certificate does not have the registered name',
    'signet application update {application} --set tlsClientAuthSubjectDn=NAME',
  ),
  client_certificate_name_unregistered: reason(
    'the application has not exactly one name of its certificate',
    'signet application update {application} --set tlsClientAuthSubjectDn=NAME',
  ),
  client_certificate_key: reason(
    'the key of the client certificate is not registered',
    'signet application-key create {application} --set …',
  ),
  client_authentication_throttled: reason(
    'many failed authentications of this client',
    'correct the secret, then wait a second',
  ),
  assertion_malformed: reason('the assertion is not a signed JWT', SIGN_ASSERTION),
  assertion_payload: reason('the payload of the assertion is not valid', SIGN_ASSERTION),
  assertion_subject: reason('sub of the assertion is not the client id', SIGN_ASSERTION),
  assertion_signature: reason(
    'the signature of the assertion does not verify',
    'signet application-key create {application} --set …',
  ),
  assertion_alg: reason('the alg of the assertion is not one that Signet takes', SIGN_ASSERTION),
  assertion_alg_of_key: reason('the alg of the assertion is not that of the key', SIGN_ASSERTION),
  assertion_kid: reason(
    'no key of the application has the kid of the assertion',
    'signet application-key list {application}',
  ),
  assertion_audience: reason('aud of the assertion is neither the issuer nor the endpoint', SIGN_ASSERTION),
  assertion_times: reason('the assertion has no exp or iat', SIGN_ASSERTION),
  assertion_expired: reason('the assertion has expired', 'check the clock of the signer'),
  assertion_too_long: reason('the assertion is valid for more than an hour', SIGN_ASSERTION),
  assertion_early: reason('iat or nbf of the assertion lies in the future', 'check the clock of the signer'),
  assertion_jti: reason('the assertion has no jti', SIGN_ASSERTION),
  assertion_replayed: reason('the assertion was used before', 'make a new assertion for each call'),
  issuer_not_trusted: reason(
    'neither the service user nor the application trusts the issuer of the assertion',
    'signet trusted-issuer create {user} --set issuer=ISSUER --set subject=SUBJECT; for an application: signet application-trusted-issuer create {application} …',
  ),
  issuer_claims: reason(
    'the assertion differs from the rules of the trusted issuer',
    'signet trusted-issuer list {user}, or signet application-trusted-issuer list {application}',
  ),
  issuer_keys_unknown: reason(
    'the keys of the trusted issuer cannot be read now',
    'check that Signet reaches the issuer, or upload its keySet',
  ),
  token_review_refused: reason(
    'the API server of the cluster no longer accepts the token: its pod or service account was deleted',
    'kubectl get pods --namespace NAMESPACE; a pod that runs has a token that counts',
  ),
  token_review_unavailable: reason(
    'the API server of the cluster cannot be asked about the token now',
    'check SIGNET_TOKEN_REVIEWS, and that Signet reaches the API server and may create TokenReviews',
  ),
  client_keys_unknown: reason(
    'the keys of a client with a URL cannot be read from its host now',
    'check that Signet reaches the host; its jwks_uri answers with a key set in three seconds',
  ),
  issuer_keys_not_uploaded: reason(
    'the keys of the trusted issuer are read for the token endpoint only',
    'upload them as keySet of the trusted issuer',
  ),
  assertion_unrecorded: reason('the assertion may have been used before', 'make a new assertion'),
} satisfies Readonly<Record<string, RefusalReason>>

const MAKE_PROOF = 'make the proof with a library, one for each call'

const TOKEN = {
  parameters_invalid: reason('a parameter is missing or malformed', SEND_AGAIN),
  code_unknown: reason('the code is not one of Signet', START_AGAIN),
  code_expired: reason('the code is older than a minute', 'redeem codes at once; start again'),
  code_replayed: reason(
    'the code was used before; the tokens of its first use are revoked',
    'redeem a code once: look for a request that is sent twice',
  ),
  code_of_other_client: reason(
    'the code was issued to another application',
    'send the client id of the request',
  ),
  redirect_uri_mismatch: reason(
    'the redirect URI is not that of the authorization request',
    'send the same redirect_uri in both requests',
  ),
  device_pending: reason('the person has not answered yet', 'ask again after the interval'),
  device_too_fast: reason(
    'the device asked before the interval was over',
    'wait five seconds longer between two requests after each slow_down',
  ),
  device_code_unknown: reason('device_code is no device code of Signet', BEGIN_DEVICE),
  device_code_expired: reason('the device code is older than ten minutes, or unknown', BEGIN_DEVICE),
  device_code_of_other_client: reason(
    'the device code belongs to another client',
    'use the client that began the request',
  ),
  device_answered: reason('the request of the device was answered before', BEGIN_DEVICE),
  device_scope_of_api: reason(
    'a device gets no access to the APIs of Signet',
    'leave their scope out; programs without a person use a service user',
  ),
  device_of_fapi2_client: reason(
    'the application has fapi2, which has no device authorization grant',
    'use another application for devices',
  ),
  pkce_mismatch: reason(
    'code_verifier does not belong to the code_challenge',
    'keep the verifier of the request',
  ),
  code_verifier_missing: reason('the request for the code had a code_challenge', 'send its code_verifier'),
  code_verifier_surplus: reason(
    'the request for the code had no code_challenge',
    'send a code_challenge first',
  ),
  code_verifier_malformed: reason('code_verifier has 43 to 128 characters', SEND_AGAIN),
  account_gone: reason('the person was deleted', 'sign in as another person'),
  session_or_account_ended: reason('the person was signed out, deactivated or deleted', 'sign in again'),
  refresh_token_unknown: reason(
    'the refresh token is not one of Signet; without offline_access in the scope there is none',
    'ask for offline_access, and keep the refresh token of the last answer',
  ),
  refresh_token_not_current: reason('the refresh token has expired or was revoked', 'sign in again'),
  refresh_token_of_other_client: reason(
    'the refresh token was issued to another application',
    'sign in again',
  ),
  refresh_key_gone: reason('the key of the refresh token no longer exists', 'sign in again'),
  refresh_token_reused: reason(
    'an older refresh token came again, so the tokens of its family are revoked',
    'sign in again; let one process refresh, and keep each new refresh token',
  ),
  refresh_family_crowded: reason('many calls with one refresh token at once', 'refresh in one place'),
  scope_unknown: reason('the scope has a word that means nothing here', 'leave it out'),
  scope_exceeds_grant: reason(
    'the scope is wider than that of the authorization',
    'ask for less, or sign in again',
  ),
  dpop_proof_missing: reason(
    'the application has dpopBoundAccessTokens, and the request has no DPoP proof',
    'switch DPoP on in the library, or signet application update {application} --set dpopBoundAccessTokens=false',
  ),
  dpop_beside_certificate: reason(
    'the application has tlsClientCertificateBoundAccessTokens, and the request has a DPoP proof',
    'switch DPoP off in the library, or signet application update {application} --set tlsClientCertificateBoundAccessTokens=false',
  ),
  dpop_proof_malformed: reason('the header DPoP is not one signed JWT', MAKE_PROOF),
  dpop_proof_typ: reason('typ of the DPoP proof is not dpop+jwt', MAKE_PROOF),
  dpop_proof_alg: reason('alg of the DPoP proof is not one that Signet takes', MAKE_PROOF),
  dpop_proof_key: reason('jwk of the DPoP proof is not a public key that fits its alg', MAKE_PROOF),
  dpop_proof_signature: reason('the signature of the DPoP proof does not verify', MAKE_PROOF),
  dpop_proof_claims: reason('jti or nonce of the DPoP proof is missing or malformed', MAKE_PROOF),
  dpop_proof_request: reason(
    'htm or htu of the DPoP proof is not the method or the URL of the request',
    'make the proof for the public URL of the endpoint, as discovery names it',
  ),
  dpop_proof_age: reason(
    'iat of the DPoP proof is more than a minute away from now',
    'check the clock of the client',
  ),
  dpop_proof_token_hash: reason('ath of the DPoP proof is not the hash of the access token', MAKE_PROOF),
  dpop_proof_replayed: reason('the DPoP proof was used before', 'make a new proof for each call'),
  dpop_proof_unrecorded: reason(
    'the DPoP proof may have been used before Redis lost its records',
    'repeat the call with the nonce',
  ),
  dpop_nonce_required: reason(
    'requireDpopNonce is on, and the DPoP proof has no nonce of now',
    'repeat the call with the nonce of the header DPoP-Nonce',
  ),
  dpop_key_of_code: reason(
    'the code is bound to dpop_jkt, and another key was proven',
    'use one key from the authorization request on',
  ),
  key_of_refresh_token: reason(
    'the refresh token is bound to a key that the request does not prove',
    'keep the key as long as the refresh token; without it, sign in again',
  ),
  key_of_presented_token: reason(
    'a presented token is bound to a key that the request does not prove',
    'send a DPoP proof of that key with the exchange, or call with that certificate',
  ),
  key_of_access_token: reason(
    'a bound token came without its proof or certificate, or a token that is not bound came with a proof',
    'present a token of token_type DPoP by the scheme DPoP, every other one by Bearer, and one with cnf x5t#S256 with its certificate',
  ),
  token_of_other_client: reason('only the client of a token may revoke it', 'revoke it by its own client'),
  token_missing: reason('the request has no token', 'send token'),
  token_not_in_audience: reason(
    'the token is active, and this client is not in its audience, so the answer is active:false',
    'let the application ask for the scope urn:zitadel:iam:org:project:id:PROJECT:aud',
  ),
  feature_off: reason('token exchange is off', 'signet features set --set oidcTokenExchange=true'),
  subject_token: reason('the subject token is expired, revoked or not for this client', SEND_AGAIN),
  actor_token: reason('the actor token is expired, revoked or not for this client', SEND_AGAIN),
  subject_token_type: reason('the type of the subject token is not supported', SEND_AGAIN),
  actor_token_type: reason('the type of the actor token is not supported', SEND_AGAIN),
  actor_token_type_missing: reason('actor_token came without its type', SEND_AGAIN),
  requested_token_type: reason('the requested type is not supported', SEND_AGAIN),
  actor_missing: reason('the exchange needs an actor', 'send actor_token'),
  actor_of_public_client: reason('a public client may not act for others', 'use a client with a secret'),
  actor_chain: reason('too many actors stand behind the token', SEND_AGAIN),
  ended_meanwhile: reason('a presented token ended during the call', 'repeat the call with new tokens'),
  impersonation_off: reason(
    'the security policy forbids impersonation',
    'signet security-policy update --set enableImpersonation=true',
  ),
  impersonator_role_missing: reason(
    'the actor has no role that lets it act for people',
    'give it such a role',
  ),
  resource_unknown: reason(
    'resource is not the resourceUri of a project that the client may name',
    'signet project update PROJECT --set resourceUri=THE_URI; for a client of another organization its allowedAudiences too',
  ),
  resource_exceeds_grant: reason(
    'resource names an API that the authorization request did not name',
    'send resource in the authorization request',
  ),
  details_malformed: reason(
    'authorization_details is not an array of objects with a type, or has a value that no detail may have',
    SEND_AGAIN,
  ),
  details_too_long: reason('authorization_details is too long', 'ask for fewer or shorter details'),
  detail_type_unknown: reason(
    'authorization_details has a type that no project defines, or whose project the client may not name',
    'add the type to authorizationDetailTypes of the project of the API; for a client of another organization its allowedAudiences too',
  ),
  detail_invalid: reason(
    'a detail breaks the schema of its type, or its locations are not the API of the type',
    SEND_AGAIN,
  ),
  details_exceed_grant: reason(
    'authorization_details goes further than what was granted before',
    'ask for the details, or for shorter lists of locations, actions, datatypes or privileges in them',
  ),
  details_not_taken: reason('authorization_details does not work with this request', SEND_AGAIN),
  audience_exceeds_tokens: reason('the audience is not one of the presented tokens', 'ask for less'),
  scope_exceeds_tokens: reason('the scope is wider than that of the presented tokens', 'ask for less'),
  openid_missing: reason('the access token was granted without openid', 'ask for the scope openid'),
  replay_guard_unreachable: reason('Redis did not answer', WAIT),
  secret_verification_busy: reason('too many secrets are verified at once', WAIT),
} satisfies Readonly<Record<string, RefusalReason>>

const ALLOW_ACCESS =
  'signet application update {application} --set \'crossAppAccess={"ISSUER":{"clientId":"ID","scopes":["SCOPE"]}}\''

const CROSS_APP = {
  cross_app_public_client: reason(
    'identity assertions are for clients that authenticate',
    'give the application a key or a secret: signet application update {application} --set authMethod=private_key_jwt',
  ),
  cross_app_actor: reason('a request for an identity assertion has an actor', 'leave actor_token out'),
  cross_app_not_allowed: reason('the application may not reach this authorization server', ALLOW_ACCESS),
  cross_app_scope: reason('the scope is wider than crossAppAccess, or than the assertion', ALLOW_ACCESS),
  cross_app_resource: reason(
    'resource is no URI, is one that the assertion does not name, or an API of Signet',
    'send a resource that the assertion names',
  ),
  cross_app_own_assertion: reason(
    'the assertion was issued here',
    'present it to the authorization server that its aud names',
  ),
  cross_app_issuer_not_trusted: reason(
    'no active identity provider with this issuer has crossAppAccess',
    'signet identity-provider update ID --set crossAppAccess=true',
  ),
  cross_app_claims: reason(
    'the assertion lacks client_id or jti, or its auth_time is no time before iat',
    'correct the issuer',
  ),
  cross_app_client: reason(
    'the assertion names another client',
    'name {application} at the issuer as the client that the application is here',
  ),
  cross_app_access_ended: reason(
    'the person ended the access of the application, and has not signed in at the issuer since',
    'the person signs in at the issuer again; its assertions need auth_time',
  ),
  cross_app_ambiguous: reason(
    'people of several organizations that the application serves have this subject',
    'end the link of one of them: signet identity-link delete USER LINK',
  ),
  cross_app_person_unknown: reason(
    'no person is linked to the subject at a provider of an organization that the application belongs to',
    'the person signs in by the provider once, or: signet identity-link create USER --set providerId=ID --set subject=SUBJECT',
  ),
} satisfies Readonly<Record<string, RefusalReason>>

const REGISTRATION = {
  initial_access_token_invalid: reason(
    'the initial access token is expired, or its organization is not active',
    'signet registration-token create PROJECT makes another one',
  ),
  registrations_exhausted: reason(
    'the initial access token has registered as many clients as it may',
    'delete clients that are not used, or make another token with a higher mostClients',
  ),
  registration_frozen: reason(
    'the initial access token of the client was deleted, the client or its organization is not active, or an IAM_OWNER gave it flags',
    'register another client',
  ),
  client_metadata_invalid: reason(
    'members of the registration break their rules or the policy of the initial access token',
    'correct the members; the description of the error names them',
  ),
  software_statement_refused: reason(
    'software statements are not accepted',
    'leave software_statement out of the registration',
  ),
} satisfies Readonly<Record<string, RefusalReason>>

export const REFUSAL_REASONS: Readonly<Record<string, RefusalReason>> = {
  ...AUTHORIZATION,
  ...SIGN_IN,
  ...CLIENT,
  ...TOKEN,
  ...CROSS_APP,
  ...REGISTRATION,
}

/**
 * The cause and the cure of a reason with the values of an event; undefined for a label without a row. A shell reads each value of
 * a cure as one word: anyone can send a request whose cure an administrator pastes.
 */
export function explainReason(
  label: string,
  values: Readonly<Record<string, string | undefined>>,
): RefusalReason | undefined {
  const found = Object.hasOwn(REFUSAL_REASONS, label) ? REFUSAL_REASONS[label] : undefined
  if (found === undefined) return undefined
  const filled = (text: string, written: (value: string) => string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name]
      return value === undefined ? name.toUpperCase() : written(value)
    })
  return { cause: filled(found.cause, (value) => value), cure: filled(found.cure, shellWord) }
}

/** Quotes a value so that a POSIX shell reads it as one word. */
export const shellWord = (value: string): string =>
  /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
