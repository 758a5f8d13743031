import type { Throttled } from '../sign-in/throttle.ts'
import type { Texts } from './texts/texts.ts'

/** Which limit refused a try, and how long to wait. It says nothing about the password. */
export function throttledText({ throttled }: Texts, { by, retryAfterSeconds }: Throttled): string {
  const wait =
    retryAfterSeconds < 60
      ? throttled.seconds(`${retryAfterSeconds}`)
      : throttled.minutes(`${Math.ceil(retryAfterSeconds / 60)}`)
  return throttled[by](wait)
}
