import { describe, expect, it } from 'vitest'
import {
  chosenPasswordProblems,
  loadFrequentPasswords,
  type PasswordComplexity,
  passwordProblems,
} from '../src/credentials/password-policy.ts'

const rules = (password: string, complexity?: PasswordComplexity) =>
  passwordProblems(password, complexity).map(({ rule }) => rule)

describe('F-31', () => {
  it.each([
    ['eight characters of one kind', 'aaaaaaaa'],
    ['64 characters', 'a'.repeat(64)],
    ['any characters, counted as people see them', '🔑🔑🔑🔑🔑🔑🔑🔑'],
    ['spaces', 'eight of us'],
  ])('accepts %s', (_, password) => {
    expect(rules(password)).toEqual([])
  })

  it('refuses passwords that are too short or too long', () => {
    expect(rules('🔑🔑🔑🔑')).toEqual(['needs at least 8 characters'])
    expect(rules('a'.repeat(257))).toEqual(['may have at most 256 characters'])
  })

  it('lets the policy of an organization decide, and names every rule that is broken', () => {
    const policy = { minLength: 10, hasUppercase: true, hasLowercase: true, hasNumber: true, hasSymbol: true }
    expect(rules('------', { ...policy, hasSymbol: false })).toEqual([
      'needs at least 10 characters',
      'needs an upper-case letter',
      'needs a lower-case letter',
      'needs a digit',
    ])
    expect(rules('Ünïcode 99', policy)).toEqual(['needs a symbol'])
    expect(rules('Ünïcode-99', policy)).toEqual([])
    expect(rules('abcd', { minLength: 4 })).toEqual([])
  })

  describe('the shipped list', () => {
    const frequent = loadFrequentPasswords()

    it('has 3,000 passwords that the rule of length alone would let pass', () => {
      expect(frequent.size).toBe(3000)
      expect(
        [...frequent].filter((entry) => rules(entry).length > 0 || entry !== entry.toLowerCase()),
      ).toEqual([])
    })

    it.each(['password', 'PassWord', '1q2w3e4r', 'iloveyou'])('refuses %s in any case', (password) => {
      expect(chosenPasswordProblems(password, undefined, frequent)).toEqual([
        { code: 'password_common', rule: 'is among the passwords that are guessed first' },
      ])
    })

    it('accepts other passwords, and reports further problems', () => {
      expect(chosenPasswordProblems('Correct-horse-9', undefined, frequent)).toEqual([])
      expect(
        chosenPasswordProblems('password', { hasNumber: true }, frequent).map(({ code }) => code),
      ).toEqual(['password_policy', 'password_common'])
    })
  })
})
