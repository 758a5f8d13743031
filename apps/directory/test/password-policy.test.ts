import { describe, expect, it } from 'vitest'
import { passwordProblems } from '../src/credentials/password-policy.ts'

describe('F-31', () => {
  it.each([
    ['eight characters of one kind', 'aaaaaaaa'],
    ['64 characters', 'a'.repeat(64)],
    ['any characters, counted as people see them', '🔑🔑🔑🔑🔑🔑🔑🔑'],
    ['spaces', 'eight of us'],
  ])('accepts %s', (_, password) => {
    expect(passwordProblems(password)).toEqual([])
  })

  it('refuses what is too short or without end', () => {
    expect(passwordProblems('🔑🔑🔑🔑')).toEqual(['needs at least 8 characters'])
    expect(passwordProblems('a'.repeat(257))).toEqual(['may have at most 256 characters'])
  })

  it('lets the policy of an organization decide, and names every rule that is broken', () => {
    const policy = { minLength: 10, hasUppercase: true, hasLowercase: true, hasNumber: true, hasSymbol: true }
    expect(passwordProblems('------', { ...policy, hasSymbol: false })).toEqual([
      'needs at least 10 characters',
      'needs an upper-case letter',
      'needs a lower-case letter',
      'needs a digit',
    ])
    expect(passwordProblems('Ünïcode 99', policy)).toEqual(['needs a symbol'])
    expect(passwordProblems('Ünïcode-99', policy)).toEqual([])
    expect(passwordProblems('abcd', { minLength: 4 })).toEqual([])
  })
})
