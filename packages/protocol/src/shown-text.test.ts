import { expect, it } from 'vitest'
import { shownNameProblem } from './shown-text.ts'

it.each(['Anna Berg', 'محمد علی‌زاده', 'क्‍ष', '❤️ Anna', '👩‍💻', '葛󠄀城', 'O’Brien – Smith'])(
  'accepts %s',
  (text) => {
    expect(shownNameProblem(text)).toBeUndefined()
  },
)

it.each(['a\nb', 'a\tb', 'a\u0000', '\u202eanna', 'a\u2066b', 'anna\u200f', 'a\u2028b'])(
  'refuses %j',
  (text) => {
    expect(shownNameProblem(text)).toBe('must have no control characters and none that change the direction')
  },
)

it.each(['anna\u200b', 'an\u200dna', 'an\u00adna', 'anna\u3164', 'anna\ufe0f', 'anna\u2800'])(
  'refuses %j',
  (text) => {
    expect(shownNameProblem(text)).toBe(
      'must have no invisible characters except in emoji and between letters',
    )
  },
)
