// The stylesheet with the colours of an organization. Its path holds all that it says: eight colours of six hexadecimal
// digits, or `x` for a default. No other character of a policy gets into a page or a stylesheet.
import {
  contrast,
  DEFAULT_COLOURS,
  LABEL_COLOURS,
  type LabelColours,
  mixed,
  TEXT_CONTRAST,
  THEMES,
  type Theme,
  textOn,
} from '@signet/protocol/label-colours'
import { Router } from 'express'
import { PATHS } from './paths.ts'

/** Browsers keep a path for a year, so another content of the same colours needs another number. */
const NAME = 'colours1'
const DEFAULT = 'x'
const FILE = new RegExp(`^${NAME}${`-([0-9a-f]{6}|${DEFAULT})`.repeat(LABEL_COLOURS.length)}\\.css$`)

/** WCAG 2.2 section 1.4.11: the border of an input. */
const BORDER_CONTRAST = 3

/** URL path of the stylesheet; undefined when there are only defaults. */
export function coloursPath(colours: LabelColours): string | undefined {
  const parts = LABEL_COLOURS.map((member) => colours[member]?.slice(1) ?? DEFAULT)
  if (parts.every((part) => part === DEFAULT)) return undefined
  return PATHS.asset.replace(':file', `${[NAME, ...parts].join('-')}.css`)
}

/** Serves the stylesheets; other files are left to the next route. */
export function labelColoursRoute(): Router {
  return Router().get(PATHS.asset, (req, res, next) => {
    const parts = FILE.exec(req.params.file ?? '')?.slice(1)
    if (parts === undefined) return next()
    const colours = LABEL_COLOURS.flatMap((member, at) =>
      parts[at] === DEFAULT ? [] : [[member, `#${parts[at]}`]],
    )
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.type('css').send(coloursStylesheet(Object.fromEntries(colours)))
  })
}

const PREFERENCES: Readonly<Record<Theme, string>> = { '': 'light', Dark: 'dark' }

/** Sets the custom properties of `public/signet.css` for both colour schemes. */
export function coloursStylesheet(colours: LabelColours): string {
  const blocks = THEMES.map((theme) => {
    const lines = Object.entries(propertiesOf(colours, theme)).map(
      ([name, colour]) => `    --${name}: ${colour};\n`,
    )
    if (lines.length === 0) return ''
    return `@media (prefers-color-scheme: ${PREFERENCES[theme]}) {\n  :root {\n${lines.join('')}  }\n}\n`
  })
  return blocks.join('')
}

function propertiesOf(colours: LabelColours, theme: Theme): Readonly<Record<string, string>> {
  const [primary, warn, background, font] = [
    `primaryColor${theme}` as const,
    `warnColor${theme}` as const,
    `backgroundColor${theme}` as const,
    `fontColor${theme}` as const,
  ].map((member) => ({
    isOwn: colours[member] !== undefined,
    colour: colours[member] ?? DEFAULT_COLOURS[member],
  }))
  if (!primary || !warn || !background || !font) return {}
  const link = contrast(primary.colour, background.colour) >= TEXT_CONTRAST ? primary.colour : font.colour
  return {
    ...(primary.isOwn && buttonOf(primary.colour)),
    ...((primary.isOwn || background.isOwn || font.isOwn) && { link }),
    ...((background.isOwn || font.isOwn) && {
      page: background.colour,
      card: background.colour,
      text: font.colour,
      quiet: softened(font.colour, background.colour, TEXT_CONTRAST),
      line: softened(font.colour, background.colour, BORDER_CONTRAST),
    }),
    ...((warn.isOwn || background.isOwn) && { alert: warn.colour, 'alert-page': background.colour }),
  }
}

/** Below the pointer a button moves away from its text, so that the contrast grows. */
function buttonOf(primary: string) {
  const text = textOn(primary)
  const away = text === '#ffffff' ? '#000000' : '#ffffff'
  return { accent: primary, 'accent-strong': mixed(primary, away, 0.85), 'on-accent': text }
}

/** The text colour as near to the background as the contrast allows. */
function softened(font: string, background: string, minimum: number): string {
  const shades = [0.5, 0.6, 0.7, 0.8, 0.9].map((share) => mixed(font, background, share))
  return shades.find((shade) => contrast(shade, background) >= minimum) ?? font
}
