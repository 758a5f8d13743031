import { invalidFields } from '@signet/admin-api/json-error-handler'

/** Throws ApiError INVALID_ARGUMENT for an end that has been reached already. */
export function requireFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt === undefined || expiresAt > now) return
  throw invalidFields([{ field: 'expiresAt', rule: 'must lie in the future' }])
}
