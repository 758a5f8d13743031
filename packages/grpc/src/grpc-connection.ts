import { type Client, connectivityState } from '@grpc/grpc-js'
import { RpcError } from './error.ts'

export interface ConnectionWait {
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Resolves when the client has a connection, at once while it has one; also after `waitMs` in which no attempt
 * succeeded, for a call that is made then fails at once and says why. Nothing has been sent until it resolves. Rejects
 * with UNAVAILABLE when an attempt to connect is still undecided after `waitMs`, with CANCELLED when the signal aborts.
 *
 * grpc-js has `waitForReady` for calls, but that waits until the deadline of the call: a dead callee would cost all of it.
 */
export async function awaitConnection(client: Client, { waitMs, signal }: ConnectionWait): Promise<void> {
  const state = () => client.getChannel().getConnectivityState(false)
  if (state() === connectivityState.READY) return
  await new Promise<void>((resolve, reject) => {
    const cancel = () => reject(new RpcError('CANCELLED', 'the caller gave up before there was a connection'))
    if (signal?.aborted) return cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    client.waitForReady(Date.now() + waitMs, (error) => {
      signal?.removeEventListener('abort', cancel)
      if (error === undefined || state() === connectivityState.TRANSIENT_FAILURE) resolve()
      else reject(new RpcError('UNAVAILABLE', `no connection within ${waitMs} ms`, { cause: error }))
    })
  })
}
