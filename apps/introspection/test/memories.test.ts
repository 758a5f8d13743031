import type { Account, Client } from '@signet/directory-reader/views'
import { createFakeClock } from '@signet/testing/fake-clock'
import type { AccessToken } from '@signet/tokens/access-token'
import { describe, expect, it } from 'vitest'
import { AnswerMemory, boundOfAnswers, type MadeAnswer } from '../src/tokens/answer-memory.ts'
import { rememberLiveTokens } from '../src/tokens/live-token.ts'
import { type KnownToken, rememberTokens } from '../src/tokens/remembered-tokens.ts'

const token = (id: string): AccessToken => ({
  id,
  subject: 'alice',
  clientId: 'web',
  audience: ['web'],
  scope: 'openid',
  issuedAt: 0,
  expiresAt: 3_600,
  organizations: [],
})

function reader() {
  const clock = createFakeClock()
  const read: string[] = []
  const tokens = rememberTokens({
    async read(value) {
      read.push(value)
      return value === 'forged' ? undefined : { token: token(value), kid: 'k1' }
    },
    revocations: { checkOf: () => async () => false },
    elapsed: () => clock.now().getTime(),
  })
  const remembered = rememberLiveTokens(tokens.read, tokens)
  return { clock, read, remembered }
}

describe('the caches of introspection', () => {
  it('decrypts a repeated token once a minute, for any number of callers', async () => {
    const { clock, read, remembered } = reader()
    await remembered('one')
    const first = await remembered('one')
    expect(read).toEqual(['one', 'one'])
    clock.advance(59_000)
    expect(await remembered('one')).toBe(first)
    expect(read).toHaveLength(2)
    clock.advance(1_000)
    const again = await remembered('one')
    expect(again).not.toBe(first)
    expect(await remembered('one')).toBe(again)
    expect(read).toEqual(['one', 'one', 'one'])
  })

  it('caches no foreign token and no token that is used once, and at most 10,000 tokens [F-48]', async () => {
    const { read, remembered } = reader()
    for (let turn = 0; turn < 3; turn += 1) expect(await remembered('forged')).toBeUndefined()
    expect(read).toHaveLength(3)
    const twice = async (value: string) => {
      await remembered(value)
      return remembered(value)
    }
    const first = await twice('first')
    for (let index = 0; index < 20_000; index += 1) await remembered(`once ${index}`)
    expect(await remembered('first')).toBe(first)
    for (let index = 0; index < 10_000; index += 1) await twice(`${index}`)
    read.length = 0
    await remembered('9999')
    expect(read).toEqual([])
    await remembered('first')
    expect(read).toEqual(['first'])
  })

  it('a cached response is for its token and its caller only', () => {
    const kept = new Map<string, MadeAnswer>()
    const memory = new AnswerMemory({
      find: (key) => kept.get(key),
      keep: (key, made) => void kept.set(key, made),
    })
    const caller = (clientId: string, projectId: string | null = null) => ({ clientId, projectId }) as Client
    const known: KnownToken = { token: token('one'), hasEnded: async () => false, readAt: 0 }
    memory.keep('{"active":true}', { value: 'one', known, account: {} as Account }, caller('web'))
    expect(memory.find('one', caller('web'))).toMatchObject({ text: '{"active":true}', expiresAt: 3_600 })
    expect(memory.find('two', caller('web'))).toBeUndefined()
    expect(memory.find('one', caller('api'))).toBeUndefined()
    expect(memory.find('bone', caller('we'))).toBeUndefined()
    expect(memory.find('one', caller('web', 'project'))).toBeUndefined()
  })

  it('responses take a quarter of the heap at most, by their length', () => {
    const { most, weightOf } = boundOfAnswers(256 * 2 ** 20)
    expect(most).toBe(64 * 2 ** 20)
    expect(boundOfAnswers(64 * 2 ** 30).most).toBeLessThan(200_000_000)
    const made = { expiresAt: 0, hasEnded: async () => false, projectId: null }
    expect(weightOf({ ...made, text: 'x'.repeat(500_000) })).toBeGreaterThan(500_000)
  })
})
