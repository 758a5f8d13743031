import { expect, it } from 'vitest'
import { shownClaims } from './shown-claims.ts'

it('shows claims of any name, of which some are the same when they are cut', () => {
  const long = 'x'.repeat(1_000)
  const shown = shownClaims(JSON.parse(`{"${long}a":1,"${long}b":2,"__proto__":{"a":1},"toString":3}`))
  expect(shown).toBe(`{"${long}":2,"__proto__":{"a":1},"toString":3}`)
})
