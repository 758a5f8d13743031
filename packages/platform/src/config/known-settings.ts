import { BlockList } from 'node:net'
import { z } from 'zod'
import { LOG_LEVELS } from '../logger/logger.ts'
import {
  addresses,
  described,
  flag,
  host,
  integer,
  issuer,
  keyValues,
  masterKeys,
  networks,
  oneOf,
  optional,
  password,
  path,
  port,
  redisUrl,
  Secret,
  type Setting,
  secret,
  share,
  truth,
  url,
} from './settings-fields.ts'

const webUrl = url('http:', 'https:')

/** Of all settings that OpenTelemetry gives its programs, those that count here; others are ignored, not refused. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    described('Where traces are sent over OTLP/HTTP, below /v1/traces; no traces when left out.', webUrl),
    undefined,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    described('The whole URL that traces are sent to, instead of one below the other endpoint.', webUrl),
    undefined,
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(
    described('The one encoding of OTLP that is spoken.', oneOf(['http/protobuf'])),
    'http/protobuf',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    secret('Headers for the collector: name=value,name=value, percent-encoded.', keyValues),
    new Secret({}),
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: optional(
    secret('Headers for the collector of traces, beside the others.', keyValues),
    undefined,
  ),
  OTEL_SERVICE_NAME: optional(
    described('`service.name` of traces; signet-<service> when left out.', z.string()),
    undefined,
  ),
  OTEL_RESOURCE_ATTRIBUTES: optional(
    described('Attributes of all spans: name=value,name=value, percent-encoded.', keyValues),
    {},
  ),
  OTEL_TRACES_SAMPLER: optional(
    described(
      'Which traces are kept.',
      oneOf([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ]),
    ),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: optional(described('The share that `traceidratio` keeps.', share), 1),
  OTEL_BSP_SCHEDULE_DELAY: optional(
    described('Milliseconds in which spans are collected before they are sent.', integer(1, 600_000)),
    5_000,
  ),
  OTEL_SDK_DISABLED: optional(
    described('Whether there are no traces in spite of an endpoint.', truth),
    false,
  ),
} as const satisfies Record<`OTEL_${string}`, Setting<unknown>>

const postgresUrl = url('postgres:', 'postgresql:')
const rpcAddress = (callee: string) =>
  described(
    `Where ${callee} serves gRPC: name:port, whose addresses are used in turn, or ip:port,ip:port.`,
    addresses,
  )
const rolePassword = (role: string) =>
  secret(`Password that the migration gives the database role ${role}.`, password)

const rateLimit = (subject: string) =>
  optional(
    described(
      `Most requests a second of one ${subject}, counted in each process; no limit when 0 or left out.`,
      integer(0, 1_000_000),
    ),
    undefined,
  )

/** Of callers that prove nothing: there is a limit unless it is taken away. */
const networkLimit = (subject: string) =>
  optional(
    described(
      `Most requests a second of one network ${subject}, counted in each process; no limit when 0.`,
      integer(0, 1_000_000),
    ),
    50,
  )

/** Every setting of every service. A `SIGNET_` name that is not here stops the start of all of them. */
export const SETTINGS = {
  SIGNET_ISSUER: described('Public origin of the suite; equals `iss` in every token.', issuer),
  SIGNET_PORT: optional(described('Port of `npm start`.', port), 8080),
  SIGNET_DATA_DIR: optional(
    described('Folder in which `npm start` keeps its databases and keys.', path),
    '.data',
  ),
  SIGNET_BOOTSTRAP_FILE: optional(
    described(
      'YAML or JSON file of organizations, users, projects and applications to apply at start.',
      path,
    ),
    undefined,
  ),
  SIGNET_TLS_CERT: optional(
    described('PEM file with the certificate chain; `npm start` then serves https.', path),
    undefined,
  ),
  SIGNET_TLS_KEY: optional(described('PEM file with the private key of SIGNET_TLS_CERT.', path), undefined),
  SIGNET_POSTGRES_URL: secret('PostgreSQL, as the database role of the service.', postgresUrl),
  SIGNET_POSTGRES_DIRECT_URL: optional(
    secret(
      'PostgreSQL without a pooler in between, for migrations; SIGNET_POSTGRES_URL when left out.',
      postgresUrl,
    ),
    undefined,
  ),
  SIGNET_POSTGRES_POOL_SIZE: optional(described('Most connections of one process.', integer(1, 1000)), 10),
  SIGNET_POSTGRES_NAMED_STATEMENTS: optional(
    described('Whether statements are prepared by name; off for poolers that cannot.', flag),
    true,
  ),
  SIGNET_REDIS_URL: secret('Redis 6.2 or later; its eviction policy must be noeviction.', redisUrl),
  SIGNET_REVOCATION_LOG: optional(
    described(
      'Whether revocations are read from Redis; off (for all services alike) when its servers do not show their run_id.',
      flag,
    ),
    true,
  ),
  SIGNET_REVOCATION_STALENESS_SECONDS: optional(
    described(
      'How long revocations are checked without PostgreSQL while it is away; one that a lost Redis primary alone knew is missed for as long.',
      integer(1, 300),
    ),
    10,
  ),
  SIGNET_REVOCATION_ENDINGS_MAX: optional(
    described(
      'Most unexpired revocations that a process holds, 60 bytes each; beyond it PostgreSQL is queried for each check.',
      integer(1_000, 10_000_000),
    ),
    1_000_000,
  ),
  SIGNET_REVOCATION_MIRROR: optional(described('Retired: use SIGNET_REVOCATION_LOG.', flag), undefined),
  SIGNET_QUEUE_REDIS_URL: optional(
    secret('Redis of the job queues; SIGNET_REDIS_URL when left out.', redisUrl),
    undefined,
  ),
  SIGNET_KEYS_MASTER_KEY: secret('Wraps signing and sealing keys at rest; newest first.', masterKeys),
  SIGNET_DIRECTORY_MASTER_KEY: secret(
    'Wraps TOTP seeds and identity-provider secrets at rest; newest first.',
    masterKeys,
  ),
  SIGNET_LOGIN_MASTER_KEY: secret(
    'Authenticates the cookies and records of the sign-in pages; newest first.',
    masterKeys,
  ),
  SIGNET_MIGRATION_MASTER_KEY: secret(
    'Wraps staged rows and storage credentials at rest; newest first.',
    masterKeys,
  ),
  SIGNET_TRUSTED_PROXIES: optional(
    described('Addresses and networks of the proxies whose X-Forwarded-For is believed.', networks),
    new BlockList(),
  ),
  SIGNET_RATE_LIMIT_SIGN_IN: networkLimit('at the authorization endpoint and the sign-in pages'),
  SIGNET_RATE_LIMIT_PUBLIC: networkLimit('at the token endpoint by clients that do not authenticate'),
  SIGNET_RATE_LIMIT_TOKEN: rateLimit('client at the token endpoint'),
  SIGNET_RATE_LIMIT_INTROSPECTION: rateLimit('client at the introspection endpoint'),
  SIGNET_RATE_LIMIT_REVOCATION: rateLimit('client at the revocation endpoint'),
  SIGNET_RATE_LIMIT_USERINFO: rateLimit('client whose tokens come to the userinfo endpoint'),
  SIGNET_OUTBOUND_ALLOW: optional(
    described(
      'Private addresses and networks that may be called at URLs which applications register, such as that of back-channel logout; loopback for a loopback issuer when left out.',
      networks,
    ),
    undefined,
  ),
  SIGNET_BIND_HOST: optional(
    described(
      'Address that the ports of a service listen on; `::` for all. Anything but loopback needs SIGNET_RPC_CERT.',
      host,
    ),
    '127.0.0.1',
  ),
  SIGNET_HTTP_PORT: optional(described('Public HTTP port of one service.', port), 8080),
  SIGNET_RPC_PORT: optional(described('Port on which one service serves gRPC to the others.', port), 9090),
  SIGNET_RPC_TRANSFER_PORT: optional(
    described('Port on which directory serves imports and exports to migration.', port),
    9092,
  ),
  SIGNET_OPERATIONS_PORT: optional(
    described('Port of `/healthz`, `/readyz` and `/metrics` of one service; not public.', port),
    9091,
  ),
  SIGNET_RPC_DIRECTORY_ADDRESS: rpcAddress('directory'),
  SIGNET_RPC_TOKEN_ADDRESS: rpcAddress('token'),
  SIGNET_RPC_KEYS_ADDRESS: rpcAddress('keys'),
  SIGNET_RPC_LOGIN_ADDRESS: rpcAddress('login'),
  SIGNET_RPC_TRANSFER_ADDRESS: rpcAddress('SIGNET_RPC_TRANSFER_PORT of directory'),
  SIGNET_MIGRATION_ROLES: optional(
    described(
      'What a process of migration does: api answers calls, worker runs jobs; all does both.',
      oneOf(['all', 'api', 'worker']),
    ),
    'all',
  ),
  SIGNET_MIGRATION_STALL_SECONDS: optional(
    described('A worker that has not been heard of for this long is taken to be gone.', integer(1, 3600)),
    60,
  ),
  SIGNET_MIGRATION_JOB_RETENTION_DAYS: optional(
    described(
      'Ended exports and imports are deleted after this many days, with their results. One that stopped can be resumed for a day.',
      integer(1, 3650),
    ),
    30,
  ),
  SIGNET_STORAGE_URL: optional(
    described(
      'Where exports go, and imports come from, that name a path but no storage: s3://bucket/prefix, gs://bucket/prefix or file:///folder.',
      url('s3:', 'gs:', 'file:'),
    ),
    undefined,
  ),
  SIGNET_STORAGE_S3_ENDPOINT: optional(
    described(
      'Server of an s3 SIGNET_STORAGE_URL when that is not AWS; it may have a private address.',
      url('https:', 'http:'),
    ),
    undefined,
  ),
  SIGNET_STORAGE_S3_REGION: optional(described('Region of an s3 SIGNET_STORAGE_URL.', path), undefined),
  SIGNET_STORAGE_S3_ACCESS_KEY_ID: optional(
    described('Name of the key for an s3 SIGNET_STORAGE_URL.', path),
    undefined,
  ),
  SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: optional(
    secret(
      'The key for an s3 SIGNET_STORAGE_URL; it need not allow more than to create and to read.',
      password,
    ),
    undefined,
  ),
  SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: optional(
    secret('Key file of the service account for a gs SIGNET_STORAGE_URL, as it is or in base64.', password),
    undefined,
  ),
  SIGNET_RPC_CA: optional(
    described('PEM file of the authority that signed the certificates of all services.', path),
    undefined,
  ),
  SIGNET_RPC_CERT: optional(
    described('PEM file of the certificate of this service; its common name is the service name.', path),
    undefined,
  ),
  SIGNET_RPC_KEY: optional(described('PEM file of the private key of SIGNET_RPC_CERT.', path), undefined),
  SIGNET_RPC_CONNECTION_AGE_SECONDS: optional(
    described(
      'After this long a gRPC connection is renewed, so that callers meet new replicas.',
      integer(1, 86_400),
    ),
    120,
  ),
  SIGNET_DRAIN_DELAY_SECONDS: optional(
    described(
      'How long a stopping service stays open after it stopped being ready, until everybody knows.',
      integer(0, 300),
    ),
    5,
  ),
  SIGNET_DRAIN_DEADLINE_SECONDS: optional(
    described('How long running requests may take after that until they are cut.', integer(1, 600)),
    15,
  ),
  SIGNET_POSTGRES_LOGIN_PASSWORD: rolePassword('signet_login'),
  SIGNET_POSTGRES_TOKEN_PASSWORD: rolePassword('signet_token'),
  SIGNET_POSTGRES_INTROSPECTION_PASSWORD: rolePassword('signet_introspection'),
  SIGNET_POSTGRES_KEYS_PASSWORD: rolePassword('signet_keys'),
  SIGNET_POSTGRES_DIRECTORY_PASSWORD: rolePassword('signet_directory'),
  SIGNET_POSTGRES_MIGRATION_PASSWORD: rolePassword('signet_migration'),
  SIGNET_TOKEN: secret('Personal access token with which the command `signet` calls the suite.', password),
  SIGNET_LOG_LEVEL: optional(described('The least level that is logged.', oneOf(LOG_LEVELS)), 'info'),
  ...TRACING_SETTINGS,
} as const satisfies Record<`SIGNET_${string}`, Setting<unknown>> & typeof TRACING_SETTINGS
