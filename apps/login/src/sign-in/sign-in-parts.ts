// Composes what all ways to sign in share, and other features with them: limits, trusted browsers and the steps.
import { addressBlock } from '@signet/http/rate-limit'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { createAccountCookies, DEVICE_COOKIE, TRUST_COOKIE } from '../sessions/account-cookies.ts'
import { createBrowserTrust } from './browser-trust.ts'
import { createSignInMeasure } from './measure-sign-ins.ts'
import { createOwnPasswordCheck } from './own-password.ts'
import { createSignInSteps } from './sign-in-steps.ts'
import { type AttemptStore, createSignInThrottle } from './throttle.ts'
import { createFallbackAttemptStore, createMemoryAttemptStore } from './throttle-fallback.ts'
import { createCodeVerifier } from './totp.service.ts'

type Dependencies = Omit<Parameters<typeof createSignInSteps>[0], 'devices' | 'trustCookies'> &
  Omit<Parameters<typeof createBrowserTrust>[0], 'cookies'> &
  Omit<Parameters<typeof createOwnPasswordCheck>[0], 'attempt'> &
  Omit<Parameters<typeof createAccountCookies>[1], 'generation'> &
  Parameters<typeof createCodeVerifier>[0] & {
    readonly generation: number
    /** Shared by all replicas. */
    readonly attemptStore: AttemptStore
    readonly metrics: Metrics | undefined
  }

/** Creates the shared parts of sign-ins. */
export function createSignInParts(dependencies: Dependencies) {
  const { masterKeys, generation, attemptStore, metrics, now, random } = dependencies
  const networks = createMasterKeyMac(masterKeys, 'signet network of failed sign-ins')
  const attempt = createSignInThrottle({
    store: createFallbackAttemptStore(attemptStore, createMemoryAttemptStore()),
    networkOf: (address) => networks.of(addressBlock(address)).toString('base64url'),
    now,
  })
  const devices = createAccountCookies(DEVICE_COOKIE, { masterKeys, now, random })
  const trustCookies = createAccountCookies(TRUST_COOKIE, { masterKeys, generation, now, random })
  return {
    attempt,
    devices,
    trustCookies,
    browserTrust: createBrowserTrust({ ...dependencies, cookies: trustCookies }),
    steps: createSignInSteps({ ...dependencies, devices, trustCookies }),
    measured: createSignInMeasure(metrics),
    verifyCode: createCodeVerifier(dependencies),
    checkOwnPassword: createOwnPasswordCheck({ ...dependencies, attempt }),
  }
}
