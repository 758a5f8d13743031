import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { LOG_FIELD_NAMES, type LogFields } from './log-fields.ts'
import { redact } from './redaction.ts'
import { standardError } from './standard-error.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

export type { LogFields } from './log-fields.ts'

/** One JSON line per call. `event` is a snake_case constant; variable parts go into the fields. */
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

/** Logs JSON lines with the fields of `log-fields.ts` only; others are dropped and named in `dropped`. */
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
  return fromPino(pino(lines, destination))
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

function fromPino(lines: PinoLogger): Logger {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
      if (lines.isLevelEnabled(level)) lines[level](allowed(fields), redact(event))
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => fromPino(lines.child(allowed(fields))),
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
