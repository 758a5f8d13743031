import { parsePrompt } from '@signet/protocol/authorization-parameters'
import { expect, it } from 'vitest'
import type { Progress } from './pending-authorization.ts'
import { selectSession } from './select-session.ts'

const AUTHENTICATED_AT = Date.parse('2030-01-01T00:00:00Z')
const sessionOf = (userId: string) => ({
  sid: `s-${userId}`,
  userId,
  organizationId: 'acme',
  authenticatedAt: AUTHENTICATED_AT,
  lastUsedAt: AUTHENTICATED_AT,
  lastCheckedAt: AUTHENTICATED_AT,
  amr: ['pwd'],
  userEpoch: 0,
  organizationEpoch: 0,
})
const user1 = sessionOf('user1')
const user2 = sessionOf('user2')
const responseFor = (session: typeof user1) => ({ kind: 'none', session })
const signInAgain = { kind: 'sign-in', session: user1 }
const choose = { kind: 'choose-account' }

const interactionFor = (
  request: { prompt?: string; maxAgeSeconds?: number },
  { secondsLater = 0, progress = {} as Progress, candidates = [user1] } = {},
) =>
  selectSession(
    { prompts: parsePrompt(request.prompt), maxAgeSeconds: request.maxAgeSeconds },
    { candidates, progress, now: new Date(AUTHENTICATED_AT + secondsLater * 1000) },
  )
const signedIn = { progress: { signedInSid: 's-user1' } }
const chosen = { progress: { chosenSid: 's-user1' } }

it('accepts a session for a plain request and requires a sign-in without one (OIDC Core section 3.1.2.3)', () => {
  expect(interactionFor({})).toEqual(responseFor(user1))
  const withoutSession = { kind: 'sign-in', session: undefined }
  for (const prompt of ['', 'none', 'select_account', 'login']) {
    expect(interactionFor({ prompt }, { candidates: [] })).toEqual(withoutSession)
  }
})

it('requires a choice without a prompt when there is more than one session', () => {
  const candidates = [user1, user2]
  expect(interactionFor({}, { candidates })).toEqual(choose)
  expect(interactionFor({ prompt: 'none' }, { candidates })).toEqual(choose)
  expect(interactionFor({}, { candidates, progress: { chosenSid: 's-user2' } })).toEqual(responseFor(user2))
  expect(interactionFor({}, { candidates, progress: { signedInSid: 's-user2' } })).toEqual(responseFor(user2))
  expect(interactionFor({}, { candidates, progress: { chosenSid: 's-gone' } })).toEqual(choose)
})

it('requires a registration for prompt=create until the user has signed in for the request', () => {
  for (const candidates of [[], [user1], [user1, user2]]) {
    expect(interactionFor({ prompt: 'create' }, { candidates })).toEqual({ kind: 'register' })
  }
  expect(interactionFor({ prompt: 'create' }, signedIn)).toEqual(responseFor(user1))
})

it.each(['login', 'login consent', 'login select_account'])(
  'requires a sign-in for prompt=%s until it is done',
  (prompt) => {
    expect(interactionFor({ prompt })).toEqual(signInAgain)
    expect(interactionFor({ prompt }, chosen)).toEqual(signInAgain)
    const consentedSid = 's-user1'
    expect(interactionFor({ prompt }, { progress: { signedInSid: 's-user1', consentedSid } })).toEqual(
      responseFor(user1),
    )
  },
)

it('requires a choice for prompt=select_account, also with one session, until it is made', () => {
  expect(interactionFor({ prompt: 'select_account' })).toEqual(choose)
  expect(interactionFor({ prompt: 'select_account' }, chosen)).toEqual(responseFor(user1))
  expect(interactionFor({ prompt: 'select_account' }, signedIn)).toEqual(responseFor(user1))
})

it('compares max_age to the second; 0 always requires a sign-in', () => {
  expect(interactionFor({ maxAgeSeconds: 10 }, { secondsLater: 10 })).toEqual(responseFor(user1))
  expect(interactionFor({ maxAgeSeconds: 10 }, { secondsLater: 11 })).toEqual(signInAgain)
  expect(
    interactionFor({ maxAgeSeconds: 10 }, { secondsLater: 11, ...chosen, candidates: [user2, user1] }),
  ).toEqual(signInAgain)
  expect(interactionFor({ maxAgeSeconds: 0 })).toEqual(signInAgain)
  expect(interactionFor({ maxAgeSeconds: 0 }, { secondsLater: 1, ...signedIn })).toEqual(responseFor(user1))
})
