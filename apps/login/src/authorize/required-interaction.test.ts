import { parsePrompt } from '@signet/protocol/prompt-values'
import { expect, it } from 'vitest'
import type { Progress } from './pending-authorization.ts'
import { requiredInteraction } from './required-interaction.ts'

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
const alice = sessionOf('alice')
const bob = sessionOf('bob')
const answerFor = (session: typeof alice) => ({ kind: 'none', session })
const signInAgain = { kind: 'sign-in', session: alice }
const choose = { kind: 'choose-account' }

const judge = (
  request: { prompt?: string; maxAgeSeconds?: number },
  { secondsLater = 0, progress = {} as Progress, candidates = [alice] } = {},
) =>
  requiredInteraction(
    { prompts: parsePrompt(request.prompt), maxAgeSeconds: request.maxAgeSeconds },
    { candidates, progress, now: new Date(AUTHENTICATED_AT + secondsLater * 1000) },
  )
const signedIn = { progress: { signedInSid: 's-alice' } }
const chosen = { progress: { chosenSid: 's-alice' } }

it('OIDC Core section 3.1.2.3: a session satisfies a plain request, nobody does not', () => {
  expect(judge({})).toEqual(answerFor(alice))
  const nobody = { kind: 'sign-in', session: undefined }
  for (const prompt of ['', 'none', 'select_account', 'login']) {
    expect(judge({ prompt }, { candidates: [] })).toEqual(nobody)
  }
})

it('without a prompt the person chooses when there is more than one session', () => {
  const candidates = [alice, bob]
  expect(judge({}, { candidates })).toEqual(choose)
  expect(judge({ prompt: 'none' }, { candidates })).toEqual(choose)
  expect(judge({}, { candidates, progress: { chosenSid: 's-bob' } })).toEqual(answerFor(bob))
  expect(judge({}, { candidates, progress: { signedInSid: 's-bob' } })).toEqual(answerFor(bob))
  expect(judge({}, { candidates, progress: { chosenSid: 's-gone' } })).toEqual(choose)
})

it('prompt=create asks for a registration until somebody is signed in for the request', () => {
  for (const candidates of [[], [alice], [alice, bob]]) {
    expect(judge({ prompt: 'create' }, { candidates })).toEqual({ kind: 'register' })
  }
  expect(judge({ prompt: 'create' }, signedIn)).toEqual(answerFor(alice))
})

it.each(['login', 'login consent', 'login select_account'])(
  'prompt=%s asks for a sign-in until it was done',
  (prompt) => {
    expect(judge({ prompt })).toEqual(signInAgain)
    expect(judge({ prompt }, chosen)).toEqual(signInAgain)
    const consentedSid = 's-alice'
    expect(judge({ prompt }, { progress: { signedInSid: 's-alice', consentedSid } })).toEqual(
      answerFor(alice),
    )
  },
)

it('prompt=select_account asks for a choice, of one session too, until it was made', () => {
  expect(judge({ prompt: 'select_account' })).toEqual(choose)
  expect(judge({ prompt: 'select_account' }, chosen)).toEqual(answerFor(alice))
  expect(judge({ prompt: 'select_account' }, signedIn)).toEqual(answerFor(alice))
})

it('OIDC Core section 3.1.2.4: prompt=consent asks whoever is signed in, once for a request and a session', () => {
  const ask = { kind: 'consent', session: alice }
  expect(judge({ prompt: 'consent' })).toEqual(ask)
  expect(judge({ prompt: 'consent' }, { progress: { consentedSid: 's-bob' } })).toEqual(ask)
  expect(judge({ prompt: 'consent' }, { progress: { consentedSid: 's-alice' } })).toEqual(answerFor(alice))
  expect(judge({ prompt: 'consent' }, { candidates: [] })).toEqual({ kind: 'sign-in', session: undefined })
})

it('max_age counts to the second, and 0 always asks', () => {
  expect(judge({ maxAgeSeconds: 10 }, { secondsLater: 10 })).toEqual(answerFor(alice))
  expect(judge({ maxAgeSeconds: 10 }, { secondsLater: 11 })).toEqual(signInAgain)
  expect(judge({ maxAgeSeconds: 10 }, { secondsLater: 11, ...chosen, candidates: [bob, alice] })).toEqual(
    signInAgain,
  )
  expect(judge({ maxAgeSeconds: 0 })).toEqual(signInAgain)
  expect(judge({ maxAgeSeconds: 0 }, { secondsLater: 1, ...signedIn })).toEqual(answerFor(alice))
})
