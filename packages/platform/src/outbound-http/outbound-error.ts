/** Why a call got no answer. */
type OutboundFailure = 'url_invalid' | 'address_refused' | 'timed_out' | 'connection_failed'

/** A call that got no answer. The message is for the log; it names no address that was refused. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundFailure

  constructor(message: string, { reason, cause }: { reason: OutboundFailure; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}
