import { describe, expect, it } from 'vitest'
import {
  type FactorPolicy,
  factorDemand,
  isOfProvider,
  linkFactor,
  missingFactor,
  providerDemand,
  sessionDemand,
  TRUST_SECONDS,
  trustSeconds,
} from './factor-demand.ts'

const PASSWORD = ['pwd']
const PASSKEY = ['pop', 'hwk', 'user']
const both = (totp: boolean, anyPasskey: boolean) => ({ totp, anyPasskey })

describe('a sign-in', () => {
  it.each([
    // forceMfa, TOTP, passkey: after a password, after a passkey that is one factor
    [false, false, false, 'none', 'none'],
    [false, false, true, 'none', 'none'],
    [false, true, false, 'code', 'code'],
    [false, true, true, 'code', 'code'],
    [true, false, false, 'enrolment', 'enrolment'],
    [true, false, true, 'code', 'enrolment'],
    [true, true, false, 'code', 'code'],
    [true, true, true, 'code', 'code'],
  ])(
    'with forceMfa %s, TOTP %s and a passkey %s asks for %s after a password, for %s after a passkey',
    (forceMfa, totp, anyPasskey, afterPassword, afterPasskey) => {
      const factors = both(totp, anyPasskey)
      expect(factorDemand({ forceMfa }, factors, PASSWORD)).toBe(afterPassword)
      expect(factorDemand({ forceMfa }, factors, PASSKEY)).toBe(afterPasskey)
      expect(factorDemand({ forceMfa }, factors, [...PASSKEY, 'mfa'])).toBe('none')
    },
  )

  it.each([
    // forceMfaOfProviders, TOTP, passkey
    [false, false, false, 'none'],
    [false, false, true, 'none'],
    [false, true, false, 'code'],
    [true, false, false, 'enrolment'],
    [true, false, true, 'code'],
    [true, true, true, 'code'],
  ])(
    'by a provider with forceMfaOfProviders %s, TOTP %s and a passkey %s asks for %s',
    (forceMfaOfProviders, totp, anyPasskey, asked) => {
      const factors = both(totp, anyPasskey)
      expect(providerDemand({ forceMfaOfProviders }, factors, [])).toBe(asked)
      // The passkey of the provider is not that of the account.
      expect(providerDemand({ forceMfaOfProviders }, factors, PASSKEY)).toBe(asked)
      expect(providerDemand({ forceMfaOfProviders }, factors, ['mfa'])).toBe('none')
    },
  )

  it('that needs a factor asks for one of the account before it offers a new one', () => {
    expect(missingFactor(both(false, true), PASSWORD)).toBe('code')
    expect(missingFactor(both(false, true), PASSKEY)).toBe('enrolment')
    expect(missingFactor(both(false, false), PASSWORD)).toBe('enrolment')
  })
})

const NO_RULE: FactorPolicy = {
  forceMfa: false,
  forceMfaOfProviders: false,
  passwordSeconds: null,
  providerSeconds: null,
  secondFactorSeconds: null,
  multiFactorSeconds: null,
}

describe('a trusted browser', () => {
  it.each<[Partial<FactorPolicy>, number]>([
    [{}, TRUST_SECONDS],
    [{ forceMfa: true }, 0],
    [{ forceMfa: true, secondFactorSeconds: 3600 }, 3600],
    [{ secondFactorSeconds: 3600, multiFactorSeconds: 60 }, 60],
  ])('under %j is trusted for %i seconds', (policy, seconds) => {
    expect(trustSeconds({ ...NO_RULE, ...policy })).toBe(seconds)
  })
})

describe('a session', () => {
  const now = new Date(10_000_000)
  const before = (seconds: number) => now.getTime() - seconds * 1000
  const demand = (
    policy: Partial<FactorPolicy>,
    session: Partial<Parameters<typeof sessionDemand>[1]>,
    more: Partial<Parameters<typeof sessionDemand>[2]> = {},
  ) =>
    sessionDemand(
      { ...NO_RULE, ...policy },
      { amr: PASSWORD, authenticatedAt: before(100), ...session },
      { mfaWanted: false, isSignedInNow: false, now, ...more },
    )

  it('needs nothing more without a rule', () => {
    expect(demand({}, {})).toBeUndefined()
  })

  it('by a provider obeys the rules for those alone', () => {
    const ofProvider = { amr: [], factors: [linkFactor('1')] }
    expect(isOfProvider(ofProvider.factors)).toBe(true)
    expect(isOfProvider(['totp', 'passkey:link:1'])).toBe(false)
    expect(demand({ forceMfa: true, passwordSeconds: 10 }, ofProvider)).toBeUndefined()
    expect(demand({ forceMfaOfProviders: true }, ofProvider)).toBe('second-factor')
    expect(demand({ providerSeconds: 10 }, ofProvider)).toBe('password')
    expect(demand({ forceMfaOfProviders: true, providerSeconds: 10 }, {})).toBeUndefined()
  })

  it('needs a second factor where the policy or the request asks for one', () => {
    expect(demand({ forceMfa: true }, {})).toBe('second-factor')
    expect(demand({ forceMfa: true }, { amr: ['pwd', 'mfa'] })).toBeUndefined()
    expect(demand({}, {}, { mfaWanted: true })).toBe('second-factor')
  })

  it('takes the factor of a trusted browser for the policy and not for the request', () => {
    const trusted = { secondFactorAt: before(200) }
    const policy = { forceMfa: true, secondFactorSeconds: 300 }
    expect(demand(policy, trusted)).toBeUndefined()
    expect(demand(policy, trusted, { mfaWanted: true })).toBe('second-factor')
    expect(demand({ ...policy, secondFactorSeconds: 199 }, trusted)).toBe('second-factor')
  })

  it('needs what is older than the policy accepts, and nothing right after the sign-in', () => {
    const mfa = { amr: ['pwd', 'mfa'] }
    expect(demand({ passwordSeconds: 99 }, {})).toBe('password')
    expect(demand({ passwordSeconds: 100 }, {})).toBeUndefined()
    expect(demand({ passwordSeconds: 0 }, { authenticatedAt: now.getTime() })).toBe('password')
    expect(demand({ multiFactorSeconds: 99 }, mfa)).toBe('password')
    expect(demand({ secondFactorSeconds: 99 }, mfa)).toBe('second-factor')
    expect(
      demand({ passwordSeconds: 0, secondFactorSeconds: 0 }, mfa, { isSignedInNow: true }),
    ).toBeUndefined()
  })
})
