// The stylesheet with the colours and the font of an organization. Its path holds all that it says: the scheme, eight
// colours of six hexadecimal digits, and the SHA-256 of the font, or `x` for a default. No other character of a policy gets
// into a page or a stylesheet.
import type { Branding } from '@signet/directory-reader/branding'
import { brandingFilePath } from '@signet/protocol/branding-files'
import {
  contrast,
  DEFAULT_COLOURS,
  LABEL_COLOURS,
  type LabelColours,
  mixed,
  type PageTheme,
  TEXT_CONTRAST,
  THEMES,
  type Theme,
  textOn,
} from '@signet/protocol/label-colours'
import { Router } from 'express'
import { PATHS } from './paths.ts'

/** Browsers keep a path for a year, so another content of the same values needs another number. */
const NAME = 'branding1'
const DEFAULT = 'x'
const COLOURS = `-([0-9a-f]{6}|${DEFAULT})`.repeat(LABEL_COLOURS.length)
const FILE = new RegExp(`^${NAME}-(auto|light|dark)${COLOURS}-([0-9a-f]{64}|${DEFAULT})\\.css$`)
/** Name of the file in pages of the release before, which have no scheme and no font; to be deleted in the next one. */
const FILE_BEFORE = new RegExp(`^colours1${COLOURS}\\.css$`)

/** The values of a stylesheet. */
interface Styles {
  readonly colours: LabelColours
  readonly theme: PageTheme
  /** SHA-256 of a WOFF2 font. */
  readonly font: string | undefined
}

/** WCAG 2.2 section 1.4.11: the border of an input. */
const BORDER_CONTRAST = 3

/** URL path of the stylesheet; undefined when there are only defaults. */
export function brandingStylesheetPath({
  colours,
  theme,
  files,
}: Pick<Branding, 'colours' | 'theme' | 'files'>): string | undefined {
  const values = LABEL_COLOURS.map((member) => colours[member]?.slice(1) ?? DEFAULT)
  const parts = [...values, files.font?.sha256 ?? DEFAULT]
  if (parts.every((part) => part === DEFAULT)) return undefined
  return PATHS.asset.replace(':file', `${[NAME, theme, ...parts].join('-')}.css`)
}

/** Serves the stylesheets; other files are left to the next route. */
export function brandingStylesheetRoute(): Router {
  return Router().get(PATHS.asset, (req, res, next) => {
    const file = req.params.file ?? ''
    const before = FILE_BEFORE.exec(file)?.slice(1)
    const [theme, ...parts] = before ? ['auto', ...before, DEFAULT] : (FILE.exec(file)?.slice(1) ?? [])
    if (theme === undefined) return next()
    const colours = LABEL_COLOURS.flatMap((member, at) =>
      parts[at] === DEFAULT ? [] : [[member, `#${parts[at]}`]],
    )
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    const font = parts.at(-1)
    const styles = {
      colours: Object.fromEntries(colours),
      theme: theme as PageTheme,
      font: font === DEFAULT ? undefined : font,
    }
    res.type('css').send(brandingStylesheet(styles))
  })
}

const SCHEMES = { '': 'light', Dark: 'dark' } as const satisfies Readonly<Record<Theme, PageTheme>>

/** Sets the custom properties of `public/signet.css` for the colour schemes that the pages have. */
export function brandingStylesheet({ colours, theme, font }: Styles): string {
  const blocks = THEMES.filter((one) => theme === 'auto' || theme === SCHEMES[one]).map((one) => {
    const lines = Object.entries(propertiesOf(colours, one)).map(
      ([name, colour]) => `    --${name}: ${colour};\n`,
    )
    if (lines.length === 0) return ''
    const media = theme === 'auto' ? `(prefers-color-scheme: ${SCHEMES[one]})` : 'all'
    return `@media ${media} {\n  :root {\n${lines.join('')}  }\n}\n`
  })
  return [...blocks, ...(font === undefined ? [] : [fontRules(font)])].join('')
}

/** Until the font is there, text is in the font of the system. */
function fontRules(sha256: string): string {
  const path = brandingFilePath({ mediaType: 'font/woff2', sha256 })
  return `@font-face {
  font-family: "organization";
  src: url("${path}") format("woff2");
  font-display: swap;
}
:root {
  --own-font: "organization";
}
`
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
