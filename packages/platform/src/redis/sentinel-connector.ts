import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis'

type Connect = SentinelConnector['connect']

/**
 * Listens for failovers while it is connected and not while it connects. Otherwise the listener of a lost connection
 * aborts the next attempt with the message that the connection was lost, and ioredis takes an aborted attempt for the
 * end: it never tries again.
 */
export class AttentiveSentinelConnector extends SentinelConnector {
  // As ioredis calls it, with the options of the client.
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions)
  }

  override connect(...args: Parameters<Connect>): ReturnType<Connect> {
    // Of a connection that is lost already this ends nothing but the listener.
    this.disconnect()
    return super.connect(...args)
  }
}
