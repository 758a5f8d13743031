import { AsyncResource } from 'node:async_hooks'

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

/** Of requests only those that failed: an access log has a line for each of the others. */
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
export function createLineLimit(): (event: string, fields: Fields, write: Write) => void {
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
