import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { RegistrationPolicy } from '../registration/registration-rules.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import type { PageFrame } from './page.ts'
import type { Texts } from './texts/en.ts'

/** While the directory is away a form stays on the screen with what was typed. */
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

/** Which limit refused a try, and how long to wait. It says nothing about the password. */
export function throttledText({ throttled }: Texts, { by, retryAfterSeconds }: Throttled): string {
  const wait =
    retryAfterSeconds < 60
      ? throttled.seconds(`${retryAfterSeconds}`)
      : throttled.minutes(`${Math.ceil(retryAfterSeconds / 60)}`)
  return throttled[by](wait)
}

/** What a new password needs, in words. */
export function passwordHint(
  { passwordLength, passwordNeeds }: PageFrame['texts']['register'],
  { passwordMinLength, passwordNeeds: needs }: RegistrationPolicy,
): string {
  return [passwordLength(String(passwordMinLength)), ...needs.map((need) => passwordNeeds[need])].join(' ')
}
