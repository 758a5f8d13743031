import { AsyncLocalStorage } from 'node:async_hooks'

/** The id of the current request. Services of one process share it: a call between them belongs to the same request. */
const current = new AsyncLocalStorage<string | undefined>()

/** Does work, and everything that follows from it, as that of the request with this id; of none when undefined. */
export function duringRequest<T>(requestId: string | undefined, work: () => T): T {
  return current.run(requestId, work)
}

/** Returns the `X-Request-Id` of the request whose work this is; undefined for work that a process does by itself. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
