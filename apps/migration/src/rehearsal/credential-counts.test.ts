import { expect, it } from 'vitest'
import { createCredentialCounter } from '../jobs/credential-counts.ts'

const hashOf = (rounds: number) => `pbkdf2_sha256$${rounds}$salt$${'A'.repeat(43)}=`
const person = (userId: string, value: string) => ({
  userId,
  user: { userName: userId, hashedPassword: { value } },
})

it('counts at most 50 kinds of hashes by themselves, with the highest estimate of the others', () => {
  const counter = createCredentialCounter()
  for (let rounds = 1_000; rounds < 1_200; rounds += 1) {
    counter.add(person('ann', hashOf(rounds)))
    counter.add(person('ben', hashOf(1_000)))
  }
  const { passwordHashes, kinds } = counter.counts()
  expect(passwordHashes).toEqual({ verifiesHere: 400, tooSlow: 0, unusable: 0 })
  expect(kinds).toHaveLength(51)
  expect(kinds[0]).toMatchObject({ kind: 'pbkdf2-sha256 rounds=1000', count: 201 })
  expect(kinds[1]).toEqual({ kind: 'other kinds', count: 150, milliseconds: 1 })
})

it.each([
  ['a hash in the other spelling', '{"user":{"hashed_password":{"value":"$2b$15$x"}}}'],
  ['a hash that is no text', '{"user":{"hashedPassword":{"value":7}}}'],
  ['a hash that is no object', '{"user":{"hashedPassword":7}}'],
  ['a user that is no object', '{"user":null}'],
  ['a record that is no object', '7'],
])('counts %s of an invalid record as unusable', (_, text) => {
  const counter = createCredentialCounter()
  const problems = [{ field: 'user.hashedPassword.value', rule: 'must be a hash' }]
  counter.addInvalid({ organization: 0, list: 'humanUsers', index: 0, problems, text })
  expect(counter.counts().passwordHashes).toEqual({ verifiesHere: 0, tooSlow: 0, unusable: 1 })
})
