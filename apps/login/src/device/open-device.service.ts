// A person enters the code of a device (RFC 8628 section 3.3): the request then waits in this browser for the sign-in and the consent.
import type { CountStored, PendingAuthorizations } from '../authorize/pending-authorization.ts'
import { type Browser, hashOf, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import type { Throttled, ThrottledAttempt } from '../sign-in/throttle.ts'
import { deviceCodeCounter } from '../sign-in/throttle.ts'
import type { DeviceRequest, DeviceRequests } from './device-request.ts'
import { readUserCode } from './user-code.ts'

interface Dependencies {
  readonly requests: Pick<DeviceRequests, 'find'>
  readonly pendingAuthorizations: Pick<PendingAuthorizations, 'create'>
  readonly countStored: CountStored
  readonly attempt: ThrottledAttempt
  readonly random: RandomBytes
}

type Opened =
  | { readonly kind: 'opened'; readonly requestId: string }
  | { readonly kind: 'unknown' }
  | Throttled

/** Returns the id of the pending request that a code begins in this browser. Wrong codes are limited (section 5.1). */
export type OpenDevice = (typed: string, browser: Browser) => Promise<Opened>

/** Wrong codes of one browser before each further one has to wait. */
const FREE_FAILURES = 5

export function createOpenDevice(dependencies: Dependencies): OpenDevice {
  const { requests, pendingAuthorizations, countStored, attempt, random } = dependencies

  /** Counts wrong codes only: a right one, which an attacker can get for a device of their own, resets nothing. */
  async function guess(typed: string, { id, clientAddress }: Browser) {
    const right = new RightCode()
    try {
      const outcome = await attempt(
        { counter: deviceCodeCounter(id), freeFailures: FREE_FAILURES, clientAddress },
        async () => {
          const code = readUserCode(typed)
          right.found = code === undefined ? undefined : await requests.find(code)
          if (right.found !== undefined) throw right
          return undefined
        },
        () => undefined,
      )
      return outcome.kind === 'throttled' ? outcome : ({ kind: 'unknown' } as const)
    } catch (error) {
      if (error !== right || right.found === undefined) throw error
      return { kind: 'found', found: right.found } as const
    }
  }

  return async (typed, browser) => {
    const outcome = await guess(typed, browser)
    if (outcome.kind !== 'found') return outcome
    const { parameters, handle, codeId, clientAddress, startedAt } = outcome.found
    const requestId = newRandomValue(random)
    const device = { handle, codeId, clientAddress, startedAt, enteredFrom: browser.clientAddress }
    const pending = { browserHash: hashOf(browser.id), parameters, device }
    countStored(browser.clientAddress, pending)
    await pendingAuthorizations.create(requestId, pending)
    return { kind: 'opened', requestId }
  }
}

/** Ends an attempt without counting it. */
class RightCode extends Error {
  found: (DeviceRequest & { readonly codeId: string }) | undefined
}
