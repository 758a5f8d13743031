// One home for requests that are refused, or answered otherwise than they asked: the log line and the event say the same
// (docs/decisions/0085-refusals-are-kept-for-a-week.md).
import type { IncomingMessage } from 'node:http'
import { type LogFields, type Logger, redact } from '@signet/platform/logger/logger'
import type { RefusedValues } from '@signet/protocol/errors'
import { clientAddress, requestContext } from './request-context.ts'

/** Event of a request that a rule refused, or changed. */
export interface Refusal {
  readonly requestId: string
  /** The service whose rule it is, where that is not the one whose rules the reporter stands for. */
  readonly service?: 'directory'
  /** An existing client; undefined while the request names none. */
  readonly clientId: string | undefined
  /** `changed`: the request was answered, otherwise than it asked. */
  readonly result: 'refused' | 'changed'
  /** The label of docs/reference/errors.md. */
  readonly reason: string
  readonly userId?: string | undefined
  readonly clientAddress: string
  /** Short values that the rule looked at. No secrets, and no query of a URI. */
  readonly values: Readonly<Record<string, string>>
  /** Whether the audit log of the person has the refusal already. */
  readonly isAudited?: boolean
}

/** Hands an event over and returns at once: no request waits for it. */
export type ReportRefusal = (refusal: Refusal) => void

/** The part of an error that its log line and its event name. */
export interface RefusedRequest {
  readonly reason: string
  readonly status: number
  readonly code?: string
  readonly values?: RefusedValues | undefined
}

export interface RefusalRecorder {
  /** Logs a refusal as `request_refused` and reports it. */
  refused(req: IncomingMessage, refused: RefusedRequest): void
  /** Logs that a request was answered otherwise than it asked, as `request_changed`, and reports it. */
  changed(req: IncomingMessage, changed: Pick<Refusal, 'reason' | 'values'>): void
  /** Reports the same without a line of its own. */
  reportChanged(req: IncomingMessage, changed: Pick<Refusal, 'reason' | 'values'>): void
  /** Names the existing client of the request. Reports that pages of its origin may not read the response, if so. */
  knowClient(req: IncomingMessage, clientId: string): void
}

export function createRefusalRecorder(logger: Logger, report: ReportRefusal = () => {}): RefusalRecorder {
  const reportChanged: RefusalRecorder['reportChanged'] = (req, { reason, values }) =>
    report({
      ...requestOf(req),
      clientId: requestContext(req).knownClientId,
      ...{ result: 'changed', reason, values: safeValues(values) },
    })
  return {
    refused(req, refused) {
      logger.info('request_refused', refusalFields(req, refused))
      const { clientId, userId, received, others = {} } = refused.values ?? {}
      report({
        ...requestOf(req),
        clientId: clientId ?? requestContext(req).knownClientId,
        result: 'refused',
        reason: refused.reason,
        userId,
        values: safeValues(received === undefined ? others : { ...others, received: withoutQuery(received) }),
      })
    },
    changed(req, changed) {
      const { requestId, knownClientId: clientId } = requestContext(req)
      const received = Object.values(changed.values).join(' ')
      logger.info('request_changed', { requestId, clientId, reason: changed.reason, received })
      reportChanged(req, changed)
    },
    reportChanged,
    knowClient(req, clientId) {
      const context = requestContext(req)
      context.knownClientId = clientId
      if (context.refusedOrigin === undefined) return
      reportChanged(req, { reason: 'origin_not_allowed', values: { received: context.refusedOrigin } })
    },
  }
}

/** The members of an event that every request has. */
function requestOf(req: IncomingMessage): Pick<Refusal, 'requestId' | 'clientAddress'> {
  return { requestId: requestContext(req).requestId, clientAddress: clientAddress(req) }
}

/** The fields of the log line of a refusal. */
export function refusalFields(
  req: IncomingMessage,
  { code, reason, status, values }: RefusedRequest,
): LogFields {
  const { requestId, clientId } = requestContext(req)
  return { requestId, clientId, code, reason, status, ...loggedValues(values) }
}

/** The longest URI, and the most registered ones, in a log line. */
const LONGEST_URI = 300
const MOST_URIS = 5

/** URIs lose their query, which may hold data of a person. */
function loggedValues({ clientId, userId, received, registered, others }: RefusedValues = {}): LogFields {
  return {
    ...(clientId !== undefined && { clientId }),
    ...(userId !== undefined && { userId }),
    ...(received !== undefined && { received: withoutQuery(received) }),
    ...(registered !== undefined && { registered: registered.slice(0, MOST_URIS).map(withoutQuery) }),
    ...(others?.project !== undefined && { projectId: others.project }),
  }
}

/** Shortens values and takes out what looks like a secret, as in the log. */
function safeValues(values: Refusal['values']): Refusal['values'] {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, safeText(value)]))
}

/** PostgreSQL takes neither U+0000 nor half of a character, and a terminal or a page obeys the others that are left out. */
const safeText = (text: string) =>
  redact(text)
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .slice(0, LONGEST_URI)
    .toWellFormed()

function withoutQuery(uri: string): string {
  const [path = '', query] = uri.slice(0, LONGEST_URI).split(/[?#]/)
  return query === undefined ? path : `${path}?…`
}
