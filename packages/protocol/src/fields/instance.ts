/** The values of each kind of setting of the instance. */
interface KindValues {
  /** Seconds; the bootstrap file has it with its unit. */
  readonly duration: number
  readonly count: number
  readonly flag: boolean
}

export interface InstanceField {
  readonly kind: keyof KindValues
  /** Column in `directory.setting` and `directory_read.setting_v1`. */
  readonly column: string
  /** The least and the most that the bootstrap file may say (docs/spec 3.1); a duration with its unit. */
  readonly least?: string | number
  readonly most?: string | number
  /** Null in the database: there is no limit. */
  readonly optional?: true
  /** The name of the member in the rows that services read; without one, the directory alone reads it. */
  readonly published?: string
  /** Description for authors of bootstrap files and for callers of the API. */
  readonly description?: string
  /** More sentences of the description in the API. */
  readonly apiRemark?: string
}

export type InstanceFields = Readonly<Record<string, InstanceField>>

/** The settings under `security` of the bootstrap file. */
export const SECURITY_SETTINGS = {
  enableImpersonation: {
    kind: 'flag',
    column: 'enable_impersonation',
    published: 'enableImpersonation',
  },
  allowImpersonatedApiCalls: {
    kind: 'flag',
    column: 'allow_impersonated_api_calls',
    published: 'allowImpersonatedApiCalls',
    description: 'Whether our APIs accept tokens with an act claim, which an impersonator holds.',
  },
  iamSignInMaxAge: {
    kind: 'duration',
    column: 'iam_sign_in_max_age_seconds',
    least: '60s',
    most: '720h',
    optional: true,
    published: 'iamSignInMaxAgeSeconds',
    description: 'How old the sign-in of a person may be whose IAM_ roles count at the APIs.',
    apiRemark:
      'Null: any age. Service users are excepted; personal access tokens of people carry no sign-in and are refused.',
  },
  iamRequiresMfa: {
    kind: 'flag',
    column: 'iam_requires_mfa',
    published: 'iamRequiresMfa',
    description: 'IAM_ roles of a person count at the APIs only after a sign-in with a second factor.',
    apiRemark: 'Service users are excepted; personal access tokens of people are not.',
  },
  requirePushedAuthorization: {
    kind: 'flag',
    column: 'require_pushed_authorization',
    published: 'requirePushedAuthorization',
    description:
      'Authorization requests of all applications have to be pushed (RFC 9126), as with requirePushedAuthorization of an application.',
  },
  requireDpopNonce: {
    kind: 'flag',
    column: 'require_dpop_nonce',
    published: 'requireDpopNonce',
    description: 'DPoP proofs need a nonce of the server (RFC 9449 sections 8 and 9).',
  },
} as const satisfies InstanceFields

/** The lifetimes of what the services issue, under `settings` of the bootstrap file. */
export const LIFETIME_SETTINGS = {
  accessTokenLifetime: {
    kind: 'duration',
    column: 'access_token_lifetime_seconds',
    least: '1s',
    most: '24h',
    published: 'accessTokenLifetimeSeconds',
  },
  idTokenLifetime: {
    kind: 'duration',
    column: 'id_token_lifetime_seconds',
    least: '1s',
    most: '24h',
    published: 'idTokenLifetimeSeconds',
  },
  refreshIdle: {
    kind: 'duration',
    column: 'refresh_idle_seconds',
    least: '1s',
    most: '9600h',
    published: 'refreshIdleSeconds',
  },
  refreshAbsolute: {
    kind: 'duration',
    column: 'refresh_absolute_seconds',
    least: '1s',
    most: '9600h',
    published: 'refreshAbsoluteSeconds',
  },
  refreshRetryWindow: {
    kind: 'duration',
    column: 'refresh_retry_window_seconds',
    least: '0s',
    most: '60s',
    published: 'refreshRetryWindowSeconds',
    description: 'For how long the last refresh token may be presented again; 30s when left out.',
  },
  refreshUnusedRetryWindow: {
    kind: 'duration',
    column: 'refresh_unused_retry_seconds',
    least: '0s',
    most: '600s',
    published: 'refreshUnusedRetrySeconds',
    description:
      'The same for native and public clients, until they use its successor; 600s when left out. No shorter than refreshRetryWindow in effect.',
  },
  sessionIdle: {
    kind: 'duration',
    column: 'session_idle_seconds',
    least: '1s',
    most: '9600h',
    published: 'sessionIdleSeconds',
  },
  sessionAbsolute: {
    kind: 'duration',
    column: 'session_absolute_seconds',
    least: '1s',
    most: '9600h',
    published: 'sessionAbsoluteSeconds',
  },
} as const satisfies InstanceFields

const FLOOR = 'No organization can allow more failures before the next try has to wait'

/** The limits for choices of organizations and of callers of the API, under `settings` of the bootstrap file. */
export const LIMIT_SETTINGS = {
  passwordMinLength: {
    kind: 'count',
    column: 'password_min_length',
    least: 1,
    most: 72,
    description: 'No organization can allow shorter passwords; 8 at first.',
  },
  maxPasswordAttempts: {
    kind: 'count',
    column: 'max_password_attempts',
    least: 0,
    most: 1000,
    description: `${FLOOR}, for passwords; 5 at first. 0: no floor.`,
  },
  maxOtpAttempts: {
    kind: 'count',
    column: 'max_otp_attempts',
    least: 0,
    most: 1000,
    description: `${FLOOR}, for codes; 5 at first. 0: no floor.`,
  },
  personalAccessTokenLifetime: {
    kind: 'duration',
    column: 'personal_access_token_seconds',
    least: '1s',
    most: '9600h',
    description: 'The longest life of personal access tokens made through the API; 8760h when left out.',
  },
} as const satisfies InstanceFields

/** The name of a setting in the rows that services read and in the API. */
export type PublishedName<F extends InstanceField> = F extends {
  readonly published: infer Name extends string
}
  ? Name
  : never

/** The settings that services read, by their names there. */
export type PublishedSettings<F extends InstanceFields> = {
  readonly [Name in keyof F as PublishedName<F[Name]>]:
    | KindValues[F[Name]['kind']]
    | (F[Name] extends { readonly optional: true } ? null : never)
}

/** The column of each setting that services read. */
export const publishedColumns = <F extends InstanceFields>(fields: F) =>
  Object.fromEntries(
    Object.values(fields).flatMap(({ published, column }) => (published ? [[published, column]] : [])),
  ) as { readonly [Name in keyof PublishedSettings<F>]: string }
