import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  brokenColours,
  coloursNotObeyed,
  contrast,
  DEFAULT_COLOURS,
  LABEL_COLOURS,
  mixed,
  obeyedColours,
  readColour,
  readTheme,
  TEXT_CONTRAST,
  THEMES,
  textOn,
} from './label-colours.ts'

const colour = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the contrast of two colours', () => {
  it('is symmetric and between 1 and 21', () => {
    fc.assert(
      fc.property(colour, colour, (one, other) => {
        const ratio = contrast(one, other)
        expect(ratio).toBe(contrast(other, one))
        expect(ratio).toBeGreaterThanOrEqual(1)
        expect(ratio).toBeLessThanOrEqual(21)
      }),
    )
  })

  it('is 1 for a colour on itself', () => {
    fc.assert(fc.property(colour, (one) => contrast(one, one) === 1))
  })

  it.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#ffff00', '#ffffff', 1.07],
  ])('of %s and %s is %d', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2)
  })

  it('to black or white is enough for text on every colour, and grows as the colour moves away', () => {
    fc.assert(
      fc.property(colour, (one) => {
        const text = textOn(one)
        const away = text === '#ffffff' ? '#000000' : '#ffffff'
        expect(contrast(one, text)).toBeGreaterThan(TEXT_CONTRAST)
        expect(contrast(mixed(one, away, 0.85), text)).toBeGreaterThanOrEqual(contrast(one, text))
      }),
    )
  })
})

describe('readColour', () => {
  it('reads three and six hexadecimal digits', () => {
    expect([readColour('#1A2b3C'), readColour('#Abc')]).toEqual(['#1a2b3c', '#aabbcc'])
  })

  it('returns #rrggbb or undefined for every value', () => {
    const near = fc.string({ unit: fc.constantFrom(...'#0aF;}/*\\\n '), maxLength: 9 })
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), near), (value) => {
        const read = readColour(value)
        expect(read === undefined || /^#[0-9a-f]{6}$/.test(read)).toBe(true)
      }),
    )
  })

  it.each([
    'red',
    '#12345',
    '#1234567',
    '#12345678',
    ' #123456',
    '#123456\n',
    '#123456;}body{display:none',
    'url(https://evil.example)',
    '#١٢٣٤٥٦',
    'expression(1)',
    'var(--x)',
  ])('refuses %j', (value) => {
    expect(readColour(value)).toBeUndefined()
  })
})

it.each([
  ['THEME_MODE_LIGHT', 'light'],
  ['THEME_MODE_DARK', 'dark'],
  ['THEME_MODE_AUTO', 'auto'],
  [undefined, 'auto'],
  ['constructor', 'auto'],
  ['__proto__', 'auto'],
])('the themeMode %s is the scheme %s', (themeMode, theme) => {
  expect(readTheme(themeMode)).toBe(theme)
})

describe('the colours of a policy', () => {
  it('are obeyed only where all text of their theme can be read', () => {
    const value = fc.option(fc.oneof(colour, fc.constantFrom('', 'red', '#fff', '#000')), { nil: undefined })
    const document = fc.record(Object.fromEntries(LABEL_COLOURS.map((member) => [member, value])))
    fc.assert(
      fc.property(document, (given) => {
        const shown = { ...DEFAULT_COLOURS, ...obeyedColours(given) }
        for (const theme of THEMES) {
          for (const text of [shown[`fontColor${theme}`], shown[`warnColor${theme}`]]) {
            expect(contrast(text, shown[`backgroundColor${theme}`])).toBeGreaterThanOrEqual(TEXT_CONTRAST)
          }
        }
        expect(brokenColours(given).length === 0).toBe(coloursNotObeyed(given).length === 0)
      }),
    )
  })

  it('are named with their ratio, the other colour and the rule', () => {
    expect(brokenColours({ fontColor: '#777', backgroundColor: '#fff', warnColor: '#700' })).toEqual([
      {
        member: 'fontColor',
        rule: 'has a contrast of 4.47:1 to backgroundColor; text needs 4.5:1 or more (WCAG 2.2 section 1.4.3)',
      },
    ])
  })

  it('count with the default of a colour that is left out', () => {
    expect(brokenColours({ backgroundColorDark: '#ffffff' })).toEqual([
      {
        member: 'backgroundColorDark',
        rule: expect.stringContaining('to fontColorDark, by default #eef1f7; text needs'),
      },
      {
        member: 'backgroundColorDark',
        rule: expect.stringContaining('to warnColorDark, by default #ffb4ab; text needs'),
      },
    ])
  })

  it('of a theme do not depend on the other theme', () => {
    const document = { fontColor: '#eee', primaryColor: '#ff0', fontColorDark: '#FFF' }
    expect(obeyedColours(document)).toEqual({ primaryColor: '#ffff00', fontColorDark: '#ffffff' })
    expect(coloursNotObeyed(document)).toEqual(['fontColor'])
  })
})
