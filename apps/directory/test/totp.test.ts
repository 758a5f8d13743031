import { describe, expect, it } from 'vitest'
import { stepOfCode, totpCode } from '../src/credentials/totp.ts'

const SEED = Buffer.from('12345678901234567890')

describe('RFC 6238 appendix B, the last six digits', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d seconds', (seconds, code) => {
    const now = new Date(seconds * 1000)
    expect(totpCode(SEED, Math.floor(seconds / 30))).toBe(code)
    expect(stepOfCode(SEED, code, now)).toBe(Math.floor(seconds / 30))
  })
})

describe('RFC 6238 section 5.2', () => {
  const now = new Date('2030-01-01T00:00:10Z')
  const current = Math.floor(now.getTime() / 30_000)

  it.each([-1, 0, 1])('accepts the code of the step %d away', (shift) => {
    expect(stepOfCode(SEED, totpCode(SEED, current + shift), now)).toBe(current + shift)
  })

  it.each([-2, 2])('refuses the code of the step %d away', (shift) => {
    expect(stepOfCode(SEED, totpCode(SEED, current + shift), now)).toBeUndefined()
  })
})

describe('a typed code', () => {
  const now = new Date(59_000)

  it.each(['287 082', ' 287082\n'])('may have spaces: %j', (typed) => {
    expect(stepOfCode(SEED, typed, now)).toBe(1)
  })

  it.each(['', '28708', '2870822', '94287082', '287083', '２８７０８２', 'x'.repeat(100_000)])(
    'is refused: %.20j',
    (typed) => {
      expect(stepOfCode(SEED, typed, now)).toBeUndefined()
    },
  )
})
