import { AsyncResource } from 'node:async_hooks'
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { standardError } from './standard-error.ts'

/**
 * Every field that a log line may have. The list is closed, so that a token, a password or a body cannot be logged
 * by accident; add a name here when its values are never secret and say nothing about a person but an id.
 */
export const LOG_FIELD_NAMES = [
  'accountId',
  'address',
  'alg',
  'applicationId',
  'attempt',
  'audience',
  'audit',
  'caller',
  'clientId',
  'code',
  'count',
  'database',
  'dependency',
  'durationMs',
  'endpoint',
  'expected',
  'field',
  'file',
  'grantId',
  'grantType',
  'host',
  'issuer',
  'jobId',
  'kid',
  'kind',
  'method',
  'name',
  'notReady',
  'organizationId',
  'outcome',
  'pid',
  'port',
  'providerId',
  'projectId',
  'providerId',
  'reason',
  'received',
  'registered',
  'requestId',
  'responseType',
  'revision',
  'ring',
  'role',
  'route',
  'rpc',
  'rule',
  'schema',
  'seconds',
  'sessionId',
  'signal',
  'stage',
  'state',
  'status',
  'targetId',
  'tokenId',
  'url',
  'userId',
  'version',
] as const

type LogFieldName = (typeof LOG_FIELD_NAMES)[number]

export type LogFields = {
  readonly [N in LogFieldName]?: string | number | boolean | readonly string[] | undefined
}

/** Texts that must never reach a log even inside a message: tokens, credentials in headers and URLs, keys. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bsg([a-z]{2,4})_[\w.~+/=-]+/g, 'sg$1_[redacted]'],
  [/\beyJ[\w-]{5,}(\.[\w-]*){0,4}/g, '[redacted jwt]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]+@/gi, '$1[redacted]@'],
  [
    /\b(password|passwd|secret|client_secret|client_assertion|assertion|code|code_verifier|token|access_token|refresh_token|id_token|id_token_hint|subject_token|actor_token)(["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi,
    '$1$2[redacted]',
  ],
  [
    /\$(2[abxy]?|argon2(id|i|d)|scrypt|pbkdf2[\w-]*|md5salted-\w+|[1567PHS])\$[\w./+=,$-]+/g,
    '[redacted hash]',
  ],
  [/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, '[redacted pem]'],
]

// Every pattern above needs one of these; most log fields have none, and this runs for every request.
const WORTH_A_LOOK = /sg|eyJ|[\s:=$]|-----/

const LONGEST_TEXT = 2_000

/** `text` without anything that looks like a credential, at most 2,000 characters. */
export function redact(text: string): string {
  const shortened = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
  if (!WORTH_A_LOOK.test(shortened)) return shortened
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), shortened)
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Logger that writes a JSON line per call; of events that an outage repeats, one a second and reason, with the
 * `count` of those it stands for. `event` is a snake_case constant; variable parts go into the fields.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  /** `error` is logged by name, code, redacted message and stack, its causes too. */
  warn(event: string, fields?: LogFields & { error?: unknown }): void
  error(event: string, fields?: LogFields & { error?: unknown }): void
  child(fields: LogFields): Logger
}

interface LoggerOptions {
  readonly service: string
  readonly level: LogLevel
  /** Standard error when left out: standard output belongs to what a person or a script reads. */
  readonly destination?: DestinationStream
  /** Answers the trace that a line belongs to. */
  readonly traceId?: (() => string | undefined) | undefined
}

/** Logs JSON lines with the fields of `LOG_FIELD_NAMES` only; others are dropped and named in `dropped`. */
export function createLogger(options: LoggerOptions): Logger {
  const { service, level, destination = standardError(), traceId } = options
  const lines = {
    level,
    messageKey: 'event',
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The name that OpenTelemetry joins lines and spans by.
    ...(traceId && { mixin: () => ({ trace_id: traceId() }) }),
  }
  return fromPino(pino(lines, destination), createLineLimit())
}

const silent = (): void => undefined

/** Logs nothing. */
export const silentLogger: Logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  child: () => silentLogger,
}

function fromPino(lines: PinoLogger, limit: ReturnType<typeof createLineLimit>): Logger {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
      if (!lines.isLevelEnabled(level)) return
      limit(event, fields, (written) => lines[level](allowed(written), redact(event)))
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => fromPino(lines.child(allowed(fields)), limit),
  }
}

const ALLOWED: ReadonlySet<string> = new Set(LOG_FIELD_NAMES)

function allowed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const line: Record<string, unknown> = {}
  const dropped: string[] = []
  for (const name in fields) {
    const value = fields[name]
    if (name === 'error') line.error = describeError(value)
    else if (ALLOWED.has(name)) line[name] = allowedValue(value)
    else dropped.push(name)
  }
  if (dropped.length > 0) line.dropped = dropped
  return line
}

function allowedValue(value: unknown): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((entry) => redact(String(entry)))
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Name, code, message and stack. Other members stay out: drivers hang rows and parameters on their errors. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code, reason } = error as { code?: unknown; reason?: unknown }
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof reason === 'string' ? { reason: redact(reason) } : {}),
    message: redact(error.message),
    stack: redact(error.stack ?? ''),
    ...(error.cause !== undefined && depth < 3 ? { cause: describeError(error.cause, depth + 1) } : {}),
  }
}

/** Wraps a periodic round so that it never rejects: logs the first of consecutive failures, and the recovery. */
export function createLoggedRound(
  round: () => Promise<void>,
  onProblem: (error: unknown) => void,
  onRecovery: () => void,
): () => Promise<void> {
  let failing = false
  return async () => {
    try {
      await round()
      if (failing) onRecovery()
      failing = false
    } catch (error) {
      if (!failing) onProblem(error)
      failing = true
    }
  }
}

/**
 * Events that an outage repeats with every request, try or round. Of each one, and each reason, one line a second is
 * written. Events that are records of their own, such as those of refusals and of the audit, are never among them.
 */
const REPEATED_EVENTS: ReadonlySet<string> = new Set([
  'branding_unavailable',
  'database_connection_lost',
  'database_unreachable',
  'heartbeat_failed',
  'http_request',
  'public_keys_unreachable',
  'queue_unreachable',
  'redis_connection_lost',
  'request_failed',
  'rpc_failed',
  'sign_in_page_unavailable',
])

const WINDOW_MS = 1_000
/** Reasons, routes and codes are few. Lines beyond so many kinds a second are all written. */
const MOST_KEYS = 500

type Fields = Readonly<Record<string, unknown>>
type Write = (fields: Fields) => void

/**
 * Returns the key that limits an event. Only failed requests have one: an access log has a line for each of the
 * others.
 */
function keyOf(event: string, fields: Fields): string | undefined {
  if (!REPEATED_EVENTS.has(event)) return undefined
  const { reason, status, route, rpc, error } = fields
  if (event === 'http_request' && !(typeof status === 'number' && status >= 500)) return undefined
  return [event, reason, status, route, rpc, ...codesOf(error)].join(' ')
}

function codesOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 3) return []
  return [error.name, (error as { code?: unknown }).code, ...codesOf(error.cause, depth + 1)]
}

/**
 * Writes a line at once when the second before had none of its kind. The last of those that follow within the second is
 * written at its end, with the number of them as `count`. Only those of the last second of a process may go uncounted.
 */
function createLineLimit(): (event: string, fields: Fields, write: Write) => void {
  const waiting = new Map<string, { count: number; fields: Fields; write: Write }>()

  function open(key: string): void {
    const line = { count: 0, fields: {} as Fields, write: (() => undefined) as Write }
    waiting.set(key, line)
    setTimeout(() => {
      waiting.delete(key)
      if (line.count === 0) return
      line.write({ ...line.fields, count: line.count })
      open(key)
    }, WINDOW_MS).unref()
  }

  return (event, fields, write) => {
    const key = keyOf(event, fields)
    const line = key === undefined ? undefined : waiting.get(key)
    if (line !== undefined) {
      line.count += 1
      line.fields = fields
      // Its trace is that of the last line, too.
      line.write = AsyncResource.bind(write)
      return
    }
    if (key !== undefined && waiting.size < MOST_KEYS) open(key)
    write(fields)
  }
}
