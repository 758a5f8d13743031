import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type Authenticator,
  defaultAuthenticator,
  openAuthenticators,
  sealAuthenticators,
  timeOfCode,
  totpCode,
} from '../src/credentials/totp.ts'

const APP = defaultAuthenticator(Buffer.from('12345678901234567890'))
const seedOf = (bytes: number) => Buffer.from('1234567890'.repeat(7).slice(0, bytes))
const EIGHT_DIGITS: readonly Authenticator[] = [
  { seed: seedOf(20), algorithm: 'SHA1', digits: 8, period: 30 },
  { seed: seedOf(32), algorithm: 'SHA256', digits: 8, period: 30 },
  { seed: seedOf(64), algorithm: 'SHA512', digits: 8, period: 30 },
]

describe('RFC 6238 appendix B', () => {
  it.each([
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
    [20_000_000_000, '65353130', '77737706', '47863826'],
  ])('at %d seconds', (seconds, ...codes) => {
    const now = new Date(seconds * 1000)
    const step = Math.floor(seconds / 30)
    for (const [index, code] of codes.entries()) {
      expect(totpCode(EIGHT_DIGITS[index] ?? APP, step)).toBe(code)
      expect(timeOfCode(EIGHT_DIGITS, code, now)).toBe(step)
    }
    const six = codes[0]?.slice(-6) ?? ''
    expect(totpCode(APP, step)).toBe(six)
    expect(timeOfCode([APP], six, now)).toBe(step)
  })
})

describe('several authenticators', () => {
  const now = new Date('2030-01-01T00:00:10Z')
  const minute: Authenticator = { seed: seedOf(32), algorithm: 'SHA256', digits: 7, period: 60 }

  it('accepts the code of each, and tells its time in units of thirty seconds', () => {
    const unit = Math.floor(now.getTime() / 30_000)
    expect(timeOfCode([APP, minute], totpCode(APP, unit), now)).toBe(unit)
    const step = Math.floor(now.getTime() / 60_000)
    expect(timeOfCode([APP, minute], totpCode(minute, step), now)).toBe(step * 2)
    expect(timeOfCode([APP], totpCode(minute, step), now)).toBeUndefined()
  })

  it('opens what was sealed for the same user, with each parameter', () => {
    const key = Buffer.alloc(32, 1)
    for (const list of [[APP], [minute], [APP, { ...minute, name: 'tablet' }]]) {
      const sealed = sealAuthenticators([key], 'ann', list, randomBytes)
      expect(openAuthenticators([key], 'ann', sealed)).toEqual(list)
      expect(openAuthenticators([key], 'bob', sealed)).toBeUndefined()
      expect(openAuthenticators([Buffer.alloc(32, 2)], 'ann', sealed)).toBeUndefined()
    }
  })
})

describe('RFC 6238 section 5.2', () => {
  const now = new Date('2030-01-01T00:00:10Z')
  const current = Math.floor(now.getTime() / 30_000)

  it.each([-1, 0, 1])('accepts the code of the step %d away', (shift) => {
    expect(timeOfCode([APP], totpCode(APP, current + shift), now)).toBe(current + shift)
  })

  it.each([-2, 2])('refuses the code of the step %d away', (shift) => {
    expect(timeOfCode([APP], totpCode(APP, current + shift), now)).toBeUndefined()
  })
})

describe('a typed code', () => {
  const now = new Date(59_000)

  it.each(['287 082', ' 287082\n'])('may have spaces: %j', (typed) => {
    expect(timeOfCode([APP], typed, now)).toBe(1)
  })

  it.each(['', '28708', '2870822', '94287082', '287083', '２８７０８２', 'x'.repeat(65_536)])(
    'is refused: %.20j',
    (typed) => {
      expect(timeOfCode([APP], typed, now)).toBeUndefined()
    },
  )
})
