import { BlockList } from 'node:net'
import type { z } from 'zod'
import { LOG_LEVELS } from '../logger/logger.ts'
import {
  addresses,
  certificateHeader,
  certificateOrigin,
  clientHosts,
  contacts,
  domain,
  flag,
  host,
  identifier,
  integer,
  issuer,
  mailSender,
  masterKeys,
  networks,
  oneOf,
  origins,
  password,
  path,
  port,
  redisUrl,
  secret,
  smtpUrl,
  tokenReviews,
  trustPrefix,
  url,
  userIdentifier,
  vaultUrl,
} from './settings-fields.ts'
import { TRACING_SETTINGS } from './tracing-settings.ts'

const postgresUrl = url('postgres:', 'postgresql:')
const rpcAddress = (callee: string) =>
  addresses.describe(
    `Where ${callee} serves gRPC: name:port, whose addresses are used in turn, or ip:port,ip:port.`,
  )
const rolePassword = (role: string) =>
  secret(password).describe(`Password that the migration gives the database role ${role}.`)
/** Read again for each connection, so that a file of it can change while the service runs. */
const connectionPassword = (address: string) =>
  secret(password)
    .optional()
    .describe(
      `Password for ${address}, unless it stands there; its file is read again for each new connection.`,
    )
const sentinelPassword = (address: string) =>
  secret(password)
    .optional()
    .describe(`Password of the sentinels of ${address}, unless it stands there; read as the other one.`)

const rateLimit = (subject: string) =>
  integer(0, 1_000_000)
    .optional()
    .describe(
      `Most requests a second of one ${subject}, counted in each process; no limit when 0 or left out.`,
    )

/** Returns the limit of callers that prove nothing: it applies unless it is switched off. */
const networkLimit = (subject: string) =>
  integer(0, 1_000_000)
    .default(50)
    .describe(`Most requests a second of one network ${subject}, counted in each process; no limit when 0.`)

/** Every setting of every service. A `SIGNET_` name that is not here stops the start of all of them. */
export const SETTINGS = {
  SIGNET_ISSUER: issuer.describe('Public origin of the suite; equals `iss` in every token.'),
  SIGNET_PORT: port.default(8080).describe('Port of `npm start`.'),
  SIGNET_DATA_DIR: path
    .default('.data')
    .describe('Folder in which `npm start` keeps its databases and keys.'),
  SIGNET_BOOTSTRAP_FILE: path
    .optional()
    .describe('YAML or JSON file of organizations, users, projects and applications to apply at start.'),
  SIGNET_TLS_CERT: path
    .optional()
    .describe('PEM file with the certificate chain; `npm start` then serves https.'),
  SIGNET_TLS_KEY: path.optional().describe('PEM file with the private key of SIGNET_TLS_CERT.'),
  SIGNET_POSTGRES_URL: secret(postgresUrl).describe('PostgreSQL, as the database role of the service.'),
  SIGNET_POSTGRES_PASSWORD: connectionPassword('SIGNET_POSTGRES_URL'),
  SIGNET_POSTGRES_DIRECT_URL: secret(postgresUrl)
    .optional()
    .describe('PostgreSQL without a pooler in between, for migrations; SIGNET_POSTGRES_URL when left out.'),
  SIGNET_POSTGRES_POOL_SIZE: integer(1, 1000).default(10).describe('Most connections of one process.'),
  SIGNET_POSTGRES_NAMED_STATEMENTS: flag
    .default(true)
    .describe('Whether statements are prepared by name; off for poolers that cannot.'),
  SIGNET_REDIS_URL: secret(redisUrl).describe('Redis 6.2 or later; its eviction policy must be noeviction.'),
  SIGNET_REDIS_PASSWORD: connectionPassword('SIGNET_REDIS_URL'),
  SIGNET_REDIS_SENTINEL_PASSWORD: sentinelPassword('SIGNET_REDIS_URL'),
  SIGNET_REVOCATION_LOG: flag
    .default(true)
    .describe(
      'Whether revocations are read from Redis; off (for all services alike) when its servers do not show their run_id.',
    ),
  SIGNET_REVOCATION_STALENESS_SECONDS: integer(1, 300)
    .default(10)
    .describe(
      'How long revocations are checked without PostgreSQL while it is away; one that a lost Redis primary alone knew is missed for as long.',
    ),
  SIGNET_REVOCATION_ENDINGS_MAX: integer(1_000, 10_000_000)
    .default(1_000_000)
    .describe(
      'Most unexpired revocations that a process holds, 60 bytes each; beyond it PostgreSQL is queried for each check.',
    ),
  SIGNET_REVOCATION_CANARY_SECONDS: integer(0, 3_600)
    .default(60)
    .describe(
      'How often token revokes a token of its own and measures for how long its reader still answers active; 0: never.',
    ),
  SIGNET_REVOCATION_MIRROR: flag.optional().describe('Retired: use SIGNET_REVOCATION_LOG.'),
  SIGNET_QUEUE_REDIS_URL: secret(redisUrl)
    .optional()
    .describe('Redis of the job queues; SIGNET_REDIS_URL when left out.'),
  SIGNET_QUEUE_REDIS_PASSWORD: connectionPassword('SIGNET_QUEUE_REDIS_URL'),
  SIGNET_QUEUE_REDIS_SENTINEL_PASSWORD: sentinelPassword('SIGNET_QUEUE_REDIS_URL'),
  SIGNET_KEYS_MASTER_KEY: secret(masterKeys).describe(
    'Wraps signing and sealing keys at rest; newest first.',
  ),
  SIGNET_DIRECTORY_MASTER_KEY: secret(masterKeys).describe(
    'Wraps TOTP seeds and identity-provider secrets at rest; newest first.',
  ),
  SIGNET_LOGIN_MASTER_KEY: secret(masterKeys).describe(
    'Authenticates the cookies and records of the sign-in pages; newest first.',
  ),
  SIGNET_MIGRATION_MASTER_KEY: secret(masterKeys).describe(
    'Wraps staged rows and storage credentials at rest; newest first.',
  ),
  SIGNET_FEDERATION_MASTER_KEY: secret(masterKeys).describe(
    'Wraps the nonces and code verifiers of sign-ins by identity providers; newest first.',
  ),
  SIGNET_VAULT_URL: vaultUrl.describe(
    'Server of Vault or OpenBao whose transit engine wrapped master keys: https://vault.example.com:8200. It may have a private address.',
  ),
  SIGNET_VAULT_TOKEN: secret(password).describe(
    'Token for SIGNET_VAULT_URL; give it as SIGNET_VAULT_TOKEN_FILE, the file that an agent of Vault keeps.',
  ),
  SIGNET_VAULT_NAMESPACE: path.optional().describe('Namespace of the keys at SIGNET_VAULT_URL.'),
  SIGNET_VAULT_CA: path
    .optional()
    .describe(
      'PEM file of the authority of SIGNET_VAULT_URL; the authorities that Node.js knows when left out.',
    ),
  SIGNET_PKCS11_MODULE: path.describe(
    'PKCS #11 module, a shared library, of the token whose AES keys wrapped master keys: /usr/lib/softhsm/libsofthsm2.so.',
  ),
  SIGNET_PKCS11_PIN: secret(password).describe(
    'PIN of the user of that token; give it as SIGNET_PKCS11_PIN_FILE. A wrong one is entered once.',
  ),
  SIGNET_TRUSTED_PROXIES: networks
    .default(() => new BlockList())
    .describe('Addresses and networks of the proxies whose X-Forwarded-For is believed.'),
  SIGNET_MTLS_ORIGIN: certificateOrigin
    .optional()
    .describe(
      'Origin at which clients present certificates (RFC 8705), such as https://mtls.id.example.com: mtls_endpoint_aliases of discovery name it. With https://{service}.mtls.id.example.com each service has a host of its own. Certificates count nowhere when left out.',
    ),
  SIGNET_MTLS_CLIENT_CA: path
    .optional()
    .describe(
      'PEM file of the authorities of certificates of clients with authMethod tls_client_auth; read again when it changes. No client authenticates so when left out.',
    ),
  SIGNET_MTLS_HEADER: certificateHeader
    .optional()
    .describe(
      'Header in which SIGNET_TRUSTED_PROXIES pass the certificate of a client on, in requests to the host of SIGNET_MTLS_ORIGIN; client-cert (RFC 9440) when left out.',
    ),
  SIGNET_MTLS_PORT: port
    .optional()
    .describe(
      'Port of a service, or of `npm start`, that asks clients for certificates itself; needs SIGNET_MTLS_CERT and SIGNET_MTLS_KEY.',
    ),
  SIGNET_MTLS_CERT: path
    .optional()
    .describe('PEM file with the certificate chain of SIGNET_MTLS_PORT; read again when it changes.'),
  SIGNET_MTLS_KEY: path.optional().describe('PEM file with the private key of SIGNET_MTLS_CERT.'),
  SIGNET_RATE_LIMIT_SIGN_IN: networkLimit('at the authorization endpoint and the sign-in pages'),
  SIGNET_RATE_LIMIT_MANAGEMENT: integer(0, 1_000_000)
    .default(200)
    .describe(
      'Most requests a second of one caller at the management APIs, counted in each process; no limit when 0.',
    ),
  SIGNET_RATE_LIMIT_PUBLIC: networkLimit('at the token endpoint by clients that do not authenticate'),
  SIGNET_RATE_LIMIT_TOKEN: rateLimit('client at the token endpoint'),
  SIGNET_RATE_LIMIT_INTROSPECTION: rateLimit('client at the introspection endpoint'),
  SIGNET_RATE_LIMIT_REVOCATION: rateLimit('client at the revocation endpoint'),
  SIGNET_RATE_LIMIT_USERINFO: rateLimit('client whose tokens come to the userinfo endpoint'),
  SIGNET_PASSKEY_RP_ID: domain
    .optional()
    .describe(
      'RP ID of passkeys: the host of SIGNET_ISSUER, which is the default, or a registrable domain above it. Passkeys made for another one no longer sign in.',
    ),
  SIGNET_PASSKEY_RELATED_ORIGINS: origins
    .optional()
    .describe(
      'Origins of other sites that may use the passkeys of this issuer, https://a.example,https://b.example: /.well-known/webauthn lists them. No such file when left out.',
    ),
  SIGNET_OUTBOUND_ALLOW: networks
    .optional()
    .describe(
      'Private addresses and networks that may be called at URLs which applications register, such as that of back-channel logout, for SMTP servers of organizations and for identity providers; loopback for a loopback issuer when left out.',
    ),
  SIGNET_TOKEN_REVIEWS: tokenReviews
    .optional()
    .describe(
      'API servers of Kubernetes that are asked, by TokenReview, whether the pod of a token still runs: [{"issuer":"https://kubernetes.default.svc.cluster.local","url":"https://kubernetes.default.svc","tokenFile":"/run/signet/kubernetes/token","caFile":"/run/signet/kubernetes/ca.crt"}]. For token, introspection and login; no server is asked when left out.',
    ),
  SIGNET_SECURITY_CONTACT: contacts
    .optional()
    .describe(
      'Where to report a vulnerability: mailto:, https: or tel: URIs, separated by commas. They stand in /.well-known/security.txt, which is 404 when left out.',
    ),
  SIGNET_SMTP_URL: secret(smtpUrl)
    .optional()
    .describe(
      'SMTP server of the instance: smtp://user:password@host:587 with STARTTLS, or smtps://user:password@host:465. Without it only organizations with a server of their own send messages.',
    ),
  SIGNET_SMTP_SENDER: mailSender
    .optional()
    .describe('Sender of messages through SIGNET_SMTP_URL: id@example.com, or Example <id@example.com>.'),
  SIGNET_SMTP_DAILY_LIMIT: integer(0, 100_000)
    .default(1_000)
    .describe(
      'Most messages in 24 hours to the people of one organization through SIGNET_SMTP_URL; no limit when 0. Messages through the server of the organization do not count.',
    ),
  SIGNET_PLACES_FILE: path
    .optional()
    .describe(
      "Database of cities or countries in MaxMind's format, such as GeoLite2-City.mmdb, by which sessions and notices of sign-ins name the place of a network address. Read again when it changes.",
    ),
  SIGNET_SIGN_IN_NOTICES: flag
    .default(true)
    .describe(
      'Whether people get a message when a browser that did not sign in to their account within 90 days does so with a password.',
    ),
  SIGNET_OAUTH_METADATA: flag
    .default(false)
    .describe(
      'Whether /.well-known/oauth-authorization-server and /.well-known/oauth-protected-resource are served (RFC 8414, RFC 9728), which challenges of the management API name; 404 when off. For keys, directory and migration.',
    ),
  SIGNET_CLIENT_REGISTRATION: flag
    .default(false)
    .describe(
      'Whether clients register themselves at /oauth/v2/register with initial access tokens (RFC 7591, RFC 7592); 404 when off. For directory and keys.',
    ),
  SIGNET_CLIENT_ID_METADATA_PROJECT: identifier
    .optional()
    .describe(
      'Project of the clients that no organization registered and whose client_id is the URL of their document (draft-ietf-oauth-client-id-metadata-document); without it there are none. For directory, login, token and keys.',
    ),
  SIGNET_CLIENT_ID_METADATA_HOSTS: clientHosts
    .optional()
    .describe(
      'Hosts of their documents, such as app.example, *.example.com for the hosts below and !bad.example for one that is refused; any host that is not refused when only refused ones or none are named.',
    ),
  SIGNET_CONSOLE: flag.default(true).describe('Whether the console is served at /console.'),
  SIGNET_OWN_ACCOUNT_DELETION: flag
    .default(false)
    .describe(
      'Whether people without a role of an administrator may delete their own accounts, at once and for ever.',
    ),
  SIGNET_PASSWORD_MIN_SCORE: integer(1, 4)
    .default(3)
    .describe(
      'The least score by zxcvbn of a password that a person or an administrator sets: 3 takes more than 10^8 guesses, 4 more than 10^10.',
    ),
  SIGNET_BREACHED_PASSWORDS_URL: url('https:', 'http:', 'file:')
    .optional()
    .describe(
      'Passwords in this list are refused: a server of the range protocol such as https://api.pwnedpasswords.com/range, which learns five digits of a hash, or file:///list with sorted lines of SHA-1 hashes. No list when left out.',
    ),
  SIGNET_BIND_HOST: host
    .default('127.0.0.1')
    .describe(
      'Address that the ports of a service listen on; `::` for all, those of IPv4 on a machine without IPv6. Anything but loopback needs SIGNET_RPC_CERT.',
    ),
  SIGNET_HTTP_PORT: port.default(8080).describe('Public HTTP port of one service.'),
  SIGNET_RPC_PORT: port.default(9090).describe('Port on which one service serves gRPC to the others.'),
  SIGNET_RPC_TRANSFER_PORT: port
    .default(9092)
    .describe('Port on which directory serves imports and exports to migration.'),
  SIGNET_OPERATIONS_PORT: port
    .default(9091)
    .describe('Port of `/healthz`, `/readyz` and `/metrics` of one service; not public.'),
  SIGNET_RPC_DIRECTORY_ADDRESS: rpcAddress('directory'),
  SIGNET_RPC_TOKEN_ADDRESS: rpcAddress('token'),
  SIGNET_RPC_KEYS_ADDRESS: rpcAddress('keys'),
  SIGNET_RPC_LOGIN_ADDRESS: rpcAddress('login'),
  SIGNET_RPC_FEDERATION_ADDRESS: rpcAddress('federation'),
  SIGNET_RPC_TRANSFER_ADDRESS: rpcAddress('SIGNET_RPC_TRANSFER_PORT of directory'),
  SIGNET_MIGRATION_ROLES: oneOf(['all', 'api', 'worker'])
    .default('all')
    .describe('What a process of migration does: api answers calls, worker runs jobs; all does both.'),
  SIGNET_MIGRATION_STALL_SECONDS: integer(1, 3600)
    .default(60)
    .describe('A worker that has not been heard of for this long is taken to be gone.'),
  SIGNET_MIGRATION_JOB_RETENTION_DAYS: integer(1, 3650)
    .default(30)
    .describe(
      'Ended exports and imports are deleted after this many days, with their results. One that stopped can be resumed for a day.',
    ),
  SIGNET_MIGRATION_SEALED_EXPORTS: flag
    .default(false)
    .describe(
      'Whether every export must be sealed: one that names no recipients, which are public keys of age, is refused.',
    ),
  SIGNET_STORAGE_URL: url('s3:', 'gs:', 'file:')
    .optional()
    .describe(
      'Where exports go, and imports come from, that name a path but no storage: s3://bucket/prefix, gs://bucket/prefix or file:///folder.',
    ),
  SIGNET_STORAGE_CREDENTIALS: oneOf(['keys', 'platform'])
    .optional()
    .describe(
      'Whether SIGNET_STORAGE_URL is used with the keys of other settings, or with what the platform gives the process: a role of AWS (default credential chain), Application Default Credentials of Google. keys when left out; locations that callers name never get those of the platform.',
    ),
  SIGNET_STORAGE_S3_ENDPOINT: url('https:', 'http:')
    .optional()
    .describe('Server of an s3 SIGNET_STORAGE_URL when that is not AWS; it may have a private address.'),
  SIGNET_STORAGE_S3_REGION: path.optional().describe('Region of an s3 SIGNET_STORAGE_URL.'),
  SIGNET_STORAGE_S3_ACCESS_KEY_ID: path.optional().describe('Name of the key for an s3 SIGNET_STORAGE_URL.'),
  SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: secret(password)
    .optional()
    .describe('The key for an s3 SIGNET_STORAGE_URL; it need not allow more than to create and to read.'),
  SIGNET_STORAGE_S3_ENCRYPTION: oneOf(['SSE-S3', 'SSE-KMS'])
    .optional()
    .describe(
      'How S3 encrypts objects that are written to SIGNET_STORAGE_URL; as its bucket says when left out.',
    ),
  SIGNET_STORAGE_S3_KMS_KEY_ID: path
    .optional()
    .describe('The KMS key of SSE-KMS; that of the account for S3 when left out.'),
  SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: secret(password)
    .optional()
    .describe('Key file of the service account for a gs SIGNET_STORAGE_URL, as it is or in base64.'),
  SIGNET_STORAGE_GCS_ENDPOINT: url('https:', 'http:')
    .optional()
    .describe(
      'Server of a gs SIGNET_STORAGE_URL: a regional or private endpoint of Google, or another with its JSON API. Tokens then come from token_uri of the key file, if it has one.',
    ),
  SIGNET_RPC_CA: path
    .optional()
    .describe(
      'PEM file of the authority that signed the certificates of all services, or of several while they change.',
    ),
  SIGNET_RPC_CERT: path
    .optional()
    .describe('PEM file of the certificate of this service; its common name is the service name.'),
  SIGNET_RPC_KEY: path.optional().describe('PEM file of the private key of SIGNET_RPC_CERT.'),
  SIGNET_RPC_TRUST_PREFIX: trustPrefix
    .optional()
    .describe(
      'Callers are known by the URI <prefix>/service/<name> of their certificates, and refused without; by the common name when left out.',
    ),
  SIGNET_RPC_CONNECTION_AGE_SECONDS: integer(1, 86_400)
    .default(120)
    .describe('After this long a gRPC connection is renewed, so that callers meet new replicas.'),
  SIGNET_DRAIN_DELAY_SECONDS: integer(0, 300)
    .default(5)
    .describe('How long a stopping service stays open after it stopped being ready, until everybody knows.'),
  SIGNET_DRAIN_DEADLINE_SECONDS: integer(1, 600)
    .default(15)
    .describe('How long running requests may take after that until they are cut.'),
  SIGNET_POSTGRES_ROLE_AUTHENTICATION: oneOf(['password', 'certificate'])
    .default('password')
    .describe(
      'What the database roles of the services sign in with: passwords that the migration gives them, or client certificates alone, when it takes their passwords away.',
    ),
  SIGNET_POSTGRES_LOGIN_PASSWORD: rolePassword('signet_login'),
  SIGNET_POSTGRES_TOKEN_PASSWORD: rolePassword('signet_token'),
  SIGNET_POSTGRES_INTROSPECTION_PASSWORD: rolePassword('signet_introspection'),
  SIGNET_POSTGRES_KEYS_PASSWORD: rolePassword('signet_keys'),
  SIGNET_POSTGRES_DIRECTORY_PASSWORD: rolePassword('signet_directory'),
  SIGNET_POSTGRES_MIGRATION_PASSWORD: rolePassword('signet_migration'),
  SIGNET_POSTGRES_FEDERATION_PASSWORD: rolePassword('signet_federation'),
  SIGNET_TOKEN: secret(password).describe(
    'Personal access token with which the command `signet` calls the suite.',
  ),
  SIGNET_WORKLOAD_TOKEN: secret(password).describe(
    'Token of its platform with which the command `signet` gets tokens of SIGNET_WORKLOAD_USER; give it as SIGNET_WORKLOAD_TOKEN_FILE, a projected service account token for example, which is read again when a token ends.',
  ),
  SIGNET_WORKLOAD_USER: userIdentifier.describe(
    'Id of the service user that trusts the issuer of SIGNET_WORKLOAD_TOKEN.',
  ),
  SIGNET_LOG_LEVEL: oneOf(LOG_LEVELS).default('info').describe('The least level that is logged.'),
  ...TRACING_SETTINGS,
} as const satisfies Record<`SIGNET_${string}`, z.ZodType> & typeof TRACING_SETTINGS
