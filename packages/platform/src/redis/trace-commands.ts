import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { errorType, type Span, type Tracing } from '../tracing/tracing.ts'

/** The fields that ioredis publishes of a command; its arguments, with keys and values, are left alone. */
interface Command {
  readonly command: string
  readonly error?: unknown
}

const BEGUN = 'tracing:ioredis:command:start'
const ANSWERED = 'tracing:ioredis:command:asyncStart'

/**
 * Traces the commands that belong to a trace, on every connection of this process, until the returned function is
 * called. ioredis publishes commands only while a channel has a subscriber.
 */
export function startTracingCommands(tracing: Tracing): () => void {
  const spans = new WeakMap<object, Span>()
  const begin = (told: unknown) => {
    const command = told as Command
    const name = command.command.toUpperCase()
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': name }
    const span = tracing.below({ name, kind: 'client', attributes })
    if (span !== undefined) spans.set(command, span)
  }
  const end = (told: unknown) => {
    const command = told as Command
    const failure = command.error === undefined ? undefined : errorType(command.error)
    spans.get(command)?.end({ errorType: failure })
  }
  subscribe(BEGUN, begin)
  subscribe(ANSWERED, end)
  return () => {
    unsubscribe(BEGUN, begin)
    unsubscribe(ANSWERED, end)
  }
}
