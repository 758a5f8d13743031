import { unavailableError } from '@signet/admin-api/api-error'
import { RpcError } from '@signet/grpc/error'

/** Calls login; when that is away, rejects with ApiError UNAVAILABLE and this text. */
export async function reachLogin<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isAway = cause instanceof RpcError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(cause.code)
    if (!isAway) throw cause
    throw unavailableError(message, { reason: 'login_unavailable', cause })
  }
}
