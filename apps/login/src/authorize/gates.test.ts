import { parsePrompt } from '@signet/protocol/authorization-parameters'
import { AccessDeniedError, InvalidScopeError } from '@signet/protocol/errors'
import type { FactorPolicy } from '@signet/protocol/factor-demand'
import { describe, expect, it } from 'vitest'
import type { BrowserSession } from '../sessions/browser-session.ts'
import { type Impersonation, ImpersonationLimitError } from '../sessions/impersonation.ts'
import type { SignInProof } from '../sessions/sign-in-proof.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type GateDependencies, type GateState, nextStep, passGates } from './gates.ts'
import type { Client } from './oauth-client.ts'
import type { Progress } from './pending-authorization.ts'
import { selectSession } from './select-session.ts'

const NOW = new Date('2030-01-01T00:00:00Z')
const user1 = {
  ...{ sid: 's-user1', userId: 'user1', organizationId: 'acme', amr: ['pwd'] },
  ...{ authenticatedAt: NOW.getTime(), lastUsedAt: NOW.getTime(), lastCheckedAt: NOW.getTime() },
  ...{ userEpoch: 0, organizationEpoch: 0 },
}
const OFFER = { objectId: 'partner', organizationName: 'Partner', roles: ['ORG_OWNER'] }

/** The gates that hold. */
const CLOSED = {
  audience: true,
  session: true,
  factor: true,
  admission: true,
  roles: true,
  consent: true,
}
type Closed = Partial<typeof CLOSED>

const POLICY = {
  forceMfaOfProviders: false,
  passwordSeconds: null,
  providerSeconds: null,
  secondFactorSeconds: null,
  multiFactorSeconds: null,
  maxOtpAttempts: 5,
}
const NO_FACTORS = {
  ...{ totp: false, passkey: false, anyPasskey: false, passkeyAllowed: true },
  ...{ recoveryCodes: 0, trustedBrowsers: false },
}

interface Request {
  readonly prompt?: string
  readonly progress?: Progress
  readonly client?: Partial<Client>
  readonly session?: Partial<BrowserSession>
  readonly policy?: Partial<FactorPolicy>
}

/** Asks the gates about a request of `user1`. `asked` gets the names of the reads, in order. */
function ask(
  closed: Closed,
  { prompt, progress = {}, client = {}, session = {}, policy = {} }: Request = {},
  asked: string[] = [],
) {
  const dependencies: GateDependencies = {
    async requireAudiences() {
      asked.push('audience')
      if (closed.audience) throw new InvalidScopeError('not allowed', { reason: 'audience_not_allowed' })
    },
    async findFactorPolicy() {
      asked.push('factor')
      return { ...POLICY, forceMfa: closed.factor === true, ...policy }
    },
    findSecondFactors: async () => NO_FACTORS,
    async requireProjectAccess() {
      asked.push('admission')
      if (closed.admission) throw new AccessDeniedError('not granted', { reason: 'project_not_granted' })
    },
    async findRoleOffer() {
      asked.push('roles')
      return closed.roles ? OFFER : undefined
    },
    async needsConsent() {
      asked.push('consent')
      return closed.consent === true
    },
    now: () => NOW,
  }
  const request = {
    prompts: parsePrompt(prompt),
    scopes: ['openid'],
    acrValues: [],
  } as unknown as AuthorizationRequest
  const candidates = closed.session ? [] : [{ ...user1, ...session }]
  const state = {
    request,
    progress: { signedInSid: 's-user1', ...progress },
    redirect: { client } as GateState['redirect'],
    async select() {
      asked.push('session')
      return { candidates, selected: selectSession(request, { candidates, progress, now: NOW }) }
    },
  }
  return passGates(state, dependencies)
}

it('asks the gates in their order, and none behind the first that holds', async () => {
  const asked: string[] = []
  await expect(ask(CLOSED, {}, asked)).rejects.toBeInstanceOf(InvalidScopeError)
  expect(asked).toEqual(['audience'])
  let closed: Closed = { ...CLOSED, audience: false }
  expect(await ask(closed)).toEqual({ kind: 'sign-in', session: undefined })
  closed = { ...closed, session: false }
  expect(await ask(closed)).toEqual({ kind: 'second-factor', session: user1 })
  closed = { ...closed, factor: false }
  await expect(ask(closed)).rejects.toBeInstanceOf(AccessDeniedError)
  closed = { ...closed, admission: false }
  expect(await ask(closed)).toEqual({ kind: 'accept-roles', session: user1, offer: OFFER })
  closed = { ...closed, roles: false }
  expect(await ask(closed)).toEqual({ kind: 'consent', session: user1 })
  closed = { ...closed, consent: false }
  const all: string[] = []
  expect(await ask(closed, {}, all)).toBeUndefined()
  expect([...new Set(all)]).toEqual(['audience', 'session', 'factor', 'admission', 'roles', 'consent'])
})

it('asks for a role offer in the sign-in of the request only', async () => {
  expect(await ask({ roles: true }, { progress: { signedInSid: 's-other' } })).toBeUndefined()
})

it('requires consent for prompt=consent once for a request and a session (OIDC Core section 3.1.2.4)', async () => {
  const consent = { kind: 'consent', session: user1 }
  const prompt = 'consent'
  expect(await ask({}, { prompt })).toEqual(consent)
  expect(await ask({}, { prompt, progress: { consentedSid: 's-user2' } })).toEqual(consent)
  expect(await ask({ consent: true }, { prompt, progress: { consentedSid: 's-user1' } })).toBeUndefined()
  expect(await ask({ session: true }, { prompt })).toEqual({ kind: 'sign-in', session: undefined })
})

describe('the link of an account', () => {
  const upstream = {
    ...{ providerId: 'corp', providerName: 'Corp', account: 'alice@corp.localhost', assertion: '{}' },
    ...{ assertedAt: NOW.getTime() - 60_000, mayLink: true, mayCreate: true },
  }

  it('is asked about after a sign-in of the request, before anything is given to the application', async () => {
    const asked = { kind: 'link-account', session: user1, person: upstream }
    const closed = { admission: true, roles: true, consent: true }
    expect(await ask(closed, { progress: { upstream } })).toEqual(asked)
    expect(await ask({ ...closed, factor: true }, { progress: { upstream } })).toMatchObject({
      kind: 'second-factor',
    })
  })

  it.each([
    ['for a session of before the request', { upstream, signedInSid: 's-other' }],
    ['for a provider that links no account', { upstream: { ...upstream, mayLink: false } }],
    [
      'for an assertion of eleven minutes ago',
      { upstream: { ...upstream, assertedAt: NOW.getTime() - 11 * 60_000 } },
    ],
  ] as const)('is not asked about %s', async (_, progress) => {
    expect(await ask({}, { progress })).toBeUndefined()
  })

  it('is not asked about in a session that a provider began', async () => {
    expect(await ask({}, { progress: { upstream }, session: { factors: ['link:l1'] } })).toBeUndefined()
  })
})

describe('an administrator who signed in by an identity provider', () => {
  const impersonation = {
    ...{ id: 'i1', administratorId: 'helper', sid: 's-helper', userEpoch: 0, organizationEpoch: 0 },
    ...{ organizationId: 'acme', reason: 'Ticket 4711', endsAt: NOW.getTime() + 3_600_000 },
  }
  const actAs = (proof: Impersonation['proof'], organizationId = 'acme') =>
    ask(
      {},
      {
        session: { amr: [], impersonation: { ...impersonation, organizationId, proof } },
        progress: { signedInSid: undefined },
        policy: { forceMfa: true },
      },
    )

  it.each([
    ['by its links', { amr: [], factors: ['link:l1'] }],
    ['by the methods for which it is trusted', { amr: ['mfa'], secondFactorAt: 1, factors: ['link:l1'] }],
  ])('meets the factor policy of the organization of the provider alone: %s', async (_, proof) => {
    expect(await actAs(proof)).toBeUndefined()
    await expect(actAs(proof, 'partner')).rejects.toBeInstanceOf(ImpersonationLimitError)
  })

  it('meets that of another organization by a factor of the own account', async () => {
    const proof = { amr: ['otp', 'mfa'], secondFactorAt: NOW.getTime(), factors: ['link:l1', 'totp'] }
    expect(await actAs(proof, 'partner')).toBeUndefined()
  })
})

it('asks no consent for the pages of this service', async () => {
  expect(await ask({}, { prompt: 'consent', client: { neverAsksConsent: true } })).toBeUndefined()
})

it('asks an incomplete sign-in for its factor, then for its password', () => {
  const proof = { secondFactor: 'none', passwordChangeRequired: false } as SignInProof
  for (const secondFactor of ['code', 'enrolment'] as const) {
    expect(nextStep({ ...proof, secondFactor, passwordChangeRequired: true })).toBe(secondFactor)
  }
  for (const secondFactor of ['none', 'proven'] as const) {
    expect(nextStep({ ...proof, secondFactor, passwordChangeRequired: true })).toBe('new-password')
    expect(nextStep({ ...proof, secondFactor })).toBeUndefined()
  }
})
