// Composes the services of a sign-in with a password, and the parts of them that other ways to sign in share.
import { addressBlock } from '@signet/http/rate-limit'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { createAccountCookies, DEVICE_COOKIE, TRUST_COOKIE } from '../sessions/account-cookies.ts'
import { createBrowserTrust } from './browser-trust.ts'
import { signInMeasure } from './measure-sign-ins.ts'
import { createNewPassword } from './new-password.service.ts'
import { createOwnPasswordCheck } from './own-password.ts'
import { createSignIn } from './sign-in.service.ts'
import { createSignInSteps } from './sign-in-steps.ts'
import { type AttemptStore, createSignInThrottle } from './throttle.ts'
import { createFallbackAttemptStore, createMemoryAttemptStore } from './throttle-fallback.ts'

type Dependencies = Omit<
  Parameters<typeof createSignIn>[0],
  'attempt' | 'devices' | 'browserTrust' | 'steps'
> &
  Omit<Parameters<typeof createSignInSteps>[0], 'devices' | 'trustCookies'> &
  Omit<Parameters<typeof createBrowserTrust>[0], 'cookies'> &
  Omit<Parameters<typeof createNewPassword>[0], 'steps'> &
  Omit<Parameters<typeof createAccountCookies>[1], 'generation'> & {
    readonly generation: number
    /** Shared by all replicas. */
    readonly attemptStore: AttemptStore
    readonly metrics: Metrics | undefined
  }

export function createSignInFeature(dependencies: Dependencies) {
  const { masterKeys, generation, attemptStore, metrics, now, random } = dependencies
  const networks = createMasterKeyMac(masterKeys, 'signet network of failed sign-ins')
  const attempt = createSignInThrottle({
    store: createFallbackAttemptStore(attemptStore, createMemoryAttemptStore()),
    networkOf: (address) => networks.of(addressBlock(address)).toString('base64url'),
    now,
  })
  const devices = createAccountCookies(DEVICE_COOKIE, { masterKeys, now, random })
  const trustCookies = createAccountCookies(TRUST_COOKIE, { masterKeys, generation, now, random })
  const browserTrust = createBrowserTrust({ ...dependencies, cookies: trustCookies })
  const steps = createSignInSteps({ ...dependencies, devices, trustCookies })
  const measured = signInMeasure(metrics)
  const signIn = createSignIn({ ...dependencies, attempt, devices, browserTrust, steps })
  return {
    signIn: measured('password', signIn),
    newPassword: createNewPassword({ ...dependencies, steps }),
    shared: {
      attempt,
      browserTrust,
      trustCookies,
      steps,
      measured,
      checkOwnPassword: createOwnPasswordCheck({ ...dependencies, attempt }),
    },
  }
}
