import type { Account, Client } from '@signet/directory-reader/views'
import { createFakeClock } from '@signet/testkit/fake-clock'
import type { AccessToken } from '@signet/token-format/access-token'
import { describe, expect, it } from 'vitest'
import { AnswerMemory } from '../src/tokens/answer-memory.ts'
import { rememberTokens } from '../src/tokens/remembered-tokens.ts'

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
  const remembered = rememberTokens({
    async read(value) {
      read.push(value)
      return value === 'forged' ? undefined : { token: token(value), kid: 'k1' }
    },
    revocations: { checkOf: () => async () => false },
    now: clock.now,
  })
  return { clock, read, remembered }
}

describe('DESIGN section 3: what introspection remembers', () => {
  it('a token that comes again is opened once a minute, whoever asks', async () => {
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

  it('F-48: what is no token of ours takes no place, nor what comes once, and tokens take no more than 10,000', async () => {
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

  it('an answer is good for the rows that it was made of, and no others', () => {
    const memory = new AnswerMemory()
    const parts = { account: {} as Account, caller: {} as Client }
    memory.keep(parts, '{"active":true}')
    expect(memory.find({ ...parts })).toBe('{"active":true}')
    expect(memory.find({ ...parts, account: {} as Account })).toBeUndefined()
    expect(memory.find({ ...parts, caller: {} as Client })).toBeUndefined()
  })
})
