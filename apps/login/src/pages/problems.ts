// The problems that several forms have: an unavailable directory, and the limit on failures.
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { Texts } from './texts/message.ts'

/** Runs the work of a form. While the directory is unavailable, the page is shown again with the values that were entered. */
export async function orUnavailable<T>(
  work: () => Promise<T>,
): Promise<T | { readonly kind: 'unavailable' }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) return { kind: 'unavailable' }
    throw error
  }
}

/** The limit that refused an attempt. */
interface Limit {
  readonly by: 'account' | 'network'
  readonly retryAfterSeconds: number
}

/** Names the limit that refused a sign-in and the time to wait. It says nothing about the password. */
export function throttledText({ throttled }: Texts, { by, retryAfterSeconds }: Limit): string {
  const { seconds, minutes } = throttled[by]
  return retryAfterSeconds < 60
    ? seconds({ count: retryAfterSeconds })
    : minutes({ count: Math.ceil(retryAfterSeconds / 60) })
}
