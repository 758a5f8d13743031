import { readFileSync } from 'node:fs'
import {
  contrast,
  DEFAULT_COLOURS,
  LABEL_COLOURS,
  type LabelColours,
  obeyedColours,
  type PageTheme,
  THEMES,
} from '@signet/protocol/label-colours'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brandingStylesheet, brandingStylesheetPath } from './branding-stylesheet.ts'

const colour = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)
const policy = fc.record(
  Object.fromEntries(LABEL_COLOURS.map((member) => [member, fc.option(colour, { nil: undefined })])),
)

const NO_FONT = { theme: 'auto', font: undefined } as const
const coloursStylesheet = (colours: LabelColours) => brandingStylesheet({ colours, ...NO_FONT })
const FONT = 'a1'.repeat(32)
const pathOf = (colours: LabelColours, theme: PageTheme = 'auto', font?: string) =>
  brandingStylesheetPath({
    colours,
    theme,
    files: { ...(font !== undefined && { font: { sha256: font, mediaType: 'font/woff2' } }) },
  })

/** The custom properties of the block of a colour scheme. */
function properties(stylesheet: string, scheme: 'light' | 'dark'): Readonly<Record<string, string>> {
  const block = stylesheet
    .split('@media ')
    .find((text) => text.startsWith(`(prefers-color-scheme: ${scheme})`))
  return Object.fromEntries(
    [...(block ?? '').matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, a, b]) => [a, b]),
  )
}

describe('the stylesheet of colours', () => {
  // A browser keeps a path for a year: another content needs another number in the name.
  it('has the same content for the same path in every release', () => {
    const colours = {
      primaryColor: '#0b6e4f',
      backgroundColor: '#fffbe6',
      fontColorDark: '#ffffff',
      warnColorDark: '#ff9999',
    }
    expect(pathOf(colours)).toBe('/ui/assets/branding1-auto-0b6e4f-x-fffbe6-x-x-ff9999-x-ffffff-x.css')
    expect(coloursStylesheet(colours)).toMatchInlineSnapshot(`
      "@media (prefers-color-scheme: light) {
        :root {
          --accent: #0b6e4f;
          --accent-strong: #095e43;
          --on-accent: #ffffff;
          --link: #0b6e4f;
          --page: #fffbe6;
          --card: #fffbe6;
          --text: #17202e;
          --quiet: #5d6265;
          --line: #8b8e8a;
          --alert: #9c1c1c;
          --alert-page: #fffbe6;
        }
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --link: #8fb1ff;
          --page: #1a212d;
          --card: #1a212d;
          --text: #ffffff;
          --quiet: #8d9096;
          --line: #8d9096;
          --alert: #ff9999;
          --alert-page: #1a212d;
        }
      }
      "
    `)
  })

  it('has no path when all colours are defaults', () => {
    for (const theme of ['auto', 'light', 'dark'] as const) expect(pathOf({}, theme)).toBeUndefined()
    expect(coloursStylesheet({})).toBe('')
  })

  it('has one scheme, without a condition, where the pages have one', () => {
    const colours = { primaryColor: '#0b6e4f', primaryColorDark: '#ffff00' }
    expect(pathOf(colours, 'light')).toBe('/ui/assets/branding1-light-0b6e4f-x-x-x-ffff00-x-x-x-x.css')
    const light = brandingStylesheet({ colours, theme: 'light', font: undefined })
    const dark = brandingStylesheet({ colours, theme: 'dark', font: undefined })
    expect(light).toMatch(/^@media all \{\n {2}:root \{\n {4}--accent: #0b6e4f;/)
    expect(dark).toMatch(/^@media all \{\n {2}:root \{\n {4}--accent: #ffff00;/)
    expect(light + dark).not.toContain('prefers-color-scheme')
    expect(light.match(/--accent: /g)).toHaveLength(1)
  })

  it('names the font by its hash', () => {
    expect(pathOf({}, 'dark', FONT)).toBe(`/ui/assets/branding1-dark-x-x-x-x-x-x-x-x-${FONT}.css`)
    expect(brandingStylesheet({ colours: {}, theme: 'dark', font: FONT })).toBe(`@font-face {
  font-family: "organization";
  src: url("/ui/assets/${FONT}.woff2") format("woff2");
  font-display: swap;
}
:root {
  --own-font: "organization";
}
`)
  })

  it('consists of colours and names of properties only', () => {
    fc.assert(
      fc.property(policy, (given) => {
        const rest = coloursStylesheet(obeyedColours(given))
          .replaceAll(/ {4}--[a-z-]+: #[0-9a-f]{6};\n/g, '')
          .replaceAll(/@media \(prefers-color-scheme: (light|dark)\) \{\n {2}:root \{\n {2}\}\n\}\n/g, '')
        expect(rest).toBe('')
      }),
    )
  })

  it('lets all text be read on the colour behind it', () => {
    const [light, dark] = [stylesheet('signet'), stylesheet('signet') + stylesheet('dark')]
    fc.assert(
      fc.property(policy, (given) => {
        const own = coloursStylesheet(obeyedColours(given))
        for (const theme of THEMES) {
          const of = propertiesIn(theme === '' ? light : dark)
          const shown = { ...of, ...properties(own, theme === '' ? 'light' : 'dark') }
          const { accent = '', card = '', text = '', alert = '' } = shown
          for (const [one, behind = ''] of [
            [text, card],
            [text, shown.page],
            [shown.quiet, card],
            [shown.link ?? accent, card],
            [alert, card],
            [alert, shown['alert-page']],
            [shown['on-accent'], accent],
            [shown['on-accent'], shown['accent-strong']],
          ]) {
            expect(contrast(one ?? '', behind)).toBeGreaterThanOrEqual(4.5)
          }
        }
      }),
    )
  })

  it('starts from the colours that the main stylesheet has', () => {
    const names = {
      primaryColor: 'accent',
      warnColor: 'alert',
      backgroundColor: 'card',
      fontColor: 'text',
    } as const
    const shown = { '': propertiesIn(stylesheet('signet')), Dark: propertiesIn(stylesheet('dark')) }
    for (const theme of THEMES) {
      for (const [member, name] of Object.entries(names)) {
        const colours: Readonly<Record<string, string>> = DEFAULT_COLOURS
        expect(shown[theme][name]).toBe(colours[`${member}${theme}`])
      }
    }
  })
})

const stylesheet = (name: string) =>
  readFileSync(new URL(`../../public/${name}.css`, import.meta.url), 'utf8')

/** The last value of each custom property. */
function propertiesIn(css: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...css.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, a, b]) => [a, b]))
}
