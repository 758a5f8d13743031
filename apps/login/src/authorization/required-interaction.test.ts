import { parsePrompt } from '@signet/oauth-protocol/prompt-values'
import { expect, it } from 'vitest'
import { requiredInteraction } from './required-interaction.ts'

const AUTHENTICATED_AT = Date.parse('2030-01-01T00:00:00Z')
const session = {
  sid: 's',
  userId: 'alice',
  organizationId: 'acme',
  authenticatedAt: AUTHENTICATED_AT,
  lastUsedAt: AUTHENTICATED_AT,
  amr: ['pwd'],
  userEpoch: 0,
  organizationEpoch: 0,
}

const judge = (
  request: { prompt?: string; maxAgeSeconds?: number },
  { secondsLater = 0, signedInForThis = false, signedIn = true } = {},
) =>
  requiredInteraction(
    { prompts: parsePrompt(request.prompt), maxAgeSeconds: request.maxAgeSeconds },
    {
      session: signedIn ? session : undefined,
      signedInForThis,
      now: new Date(AUTHENTICATED_AT + secondsLater * 1000),
    },
  )

it('OIDC Core section 3.1.2.3: a session satisfies a plain request, nobody does not', () => {
  expect(judge({})).toBe('none')
  expect(judge({}, { signedIn: false })).toBe('sign-in')
  expect(judge({ prompt: 'none' }, { signedIn: false })).toBe('sign-in')
})

it.each(['login', 'select_account', 'create', 'login consent'])(
  'prompt=%s asks until it was done',
  (prompt) => {
    expect(judge({ prompt })).toBe('sign-in')
    expect(judge({ prompt }, { signedInForThis: true })).toBe('none')
  },
)

it('prompt=consent alone does not ask for a password', () => {
  expect(judge({ prompt: 'consent' })).toBe('none')
})

it('max_age counts to the second, and 0 always asks', () => {
  expect(judge({ maxAgeSeconds: 10 }, { secondsLater: 10 })).toBe('none')
  expect(judge({ maxAgeSeconds: 10 }, { secondsLater: 11 })).toBe('sign-in')
  expect(judge({ maxAgeSeconds: 0 })).toBe('sign-in')
  expect(judge({ maxAgeSeconds: 0 }, { secondsLater: 1, signedInForThis: true })).toBe('none')
})
