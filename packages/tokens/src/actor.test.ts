import { describe, expect, it } from 'vitest'
import { chainLength, joinActors } from './access-token.ts'
import { epochsOfIdToken, newIdTokenId } from './id-token.ts'

const actor = (sub: string) => ({ iss: 'https://id.example.com', sub })

describe('RFC 8693 section 4.1: chains of actors', () => {
  it('the latest actor stands outside, earlier ones inside', () => {
    const chain = joinActors({ ...actor('c'), act: actor('b') }, actor('a'))
    expect(chain).toEqual({ ...actor('c'), act: { ...actor('b'), act: actor('a') } })
    expect(chainLength(chain)).toBe(3)
  })

  it('one of them may be missing, or both', () => {
    expect(joinActors(actor('a'), undefined)).toEqual(actor('a'))
    expect(joinActors(undefined, actor('a'))).toEqual(actor('a'))
    expect(joinActors(undefined, undefined)).toBeUndefined()
    expect(chainLength(undefined)).toBe(0)
  })
})

describe('the jti of an ID token', () => {
  it('contains epochs and a generation above 0, and other shapes are rejected', () => {
    const jti = newIdTokenId((size) => Buffer.alloc(size, 7), { user: 3, organization: 14 })
    expect(epochsOfIdToken(jti)).toEqual({ user: 3, organization: 14 })
    const restored = { user: 3, organization: 14, generation: 1_764_000_000 }
    expect(epochsOfIdToken(newIdTokenId((size) => Buffer.alloc(size, 7), restored))).toEqual(restored)
    expect(newIdTokenId((size) => Buffer.alloc(size, 7), { ...restored, generation: 0 })).toBe(jti)
    for (const other of [undefined, 7, '', 'abc', jti.replace('.3.', '.x.'), `${jti}.1.1`]) {
      expect(epochsOfIdToken(other)).toBeUndefined()
    }
  })
})
