import { DUMMY_HASH, type PasswordHasher } from '@signet/password-hash/password-hasher'
import { expect, it } from 'vitest'
import type { EffectivePolicy } from '../organizations/policy-rules.ts'
import { createRehearseSignIn, type StagedPerson } from './rehearse-sign-in.ts'

const person = {
  user: {
    userId: 'anna',
    user: {
      userName: 'anna',
      profile: { firstName: 'Anna', lastName: 'Berg' },
      hashedPassword: { value: DUMMY_HASH },
    },
  },
  organization: { orgId: 'acme', org: { name: 'acme' } },
  outcome: 'c',
} as unknown as StagedPerson

const POLICY = { allowsPassword: true, forceMfa: false, emailIsLoginName: true } as EffectivePolicy

it.each([
  ['a fast one after a long wait', 5_000, 30, 'wouldSignIn'],
  ['a slow one at once', 0, 2_001, 'hashTooSlow'],
])('measures the check of a password without its wait: %s', async (_, waitMs, checkMs, outcome) => {
  let time = 0
  const hasher = {
    async verifyPassword(_hash: string, _password: string, around = (check) => check()) {
      time += waitMs
      const matches = await around(async () => {
        time += checkMs
        return true
      })
      return { matches, isOutdated: false }
    },
  } satisfies Pick<PasswordHasher, 'verifyPassword'> as unknown as PasswordHasher
  const tried = await createRehearseSignIn({
    hasher,
    credentials: { candidates: async () => [] },
    policies: { effective: async () => POLICY },
    now: () => new Date(time),
  })({
    ...{ loginName: 'anna', password: 'right', otp: undefined },
    people: [person],
  })
  expect(tried).toMatchObject({ outcome, milliseconds: checkMs })
})
