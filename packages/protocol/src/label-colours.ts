// The colours of a label policy (docs/spec 6.2), and the contrast of text on them (WCAG 2.2 section 1.4.3). The
// directory refuses colours that are hard to read; the sign-in pages show those that remain.

export const LABEL_COLOURS = [
  'primaryColor',
  'warnColor',
  'backgroundColor',
  'fontColor',
  'primaryColorDark',
  'warnColorDark',
  'backgroundColorDark',
  'fontColorDark',
] as const

export type LabelColour = (typeof LABEL_COLOURS)[number]

/** Settings of a project that choose whose colours sign-in pages have: `privateLabelingSetting` by export names. */
export const PRIVATE_LABELING_SETTINGS = [
  'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
] as const

export type PrivateLabelingSetting = (typeof PRIVATE_LABELING_SETTINGS)[number]

/** Each as `#rrggbb` in lower case; a missing one has its default. */
export type LabelColours = { readonly [C in LabelColour]?: string }

/** The colours of the stylesheet of the sign-in pages. */
export const DEFAULT_COLOURS: Readonly<Record<LabelColour, string>> = {
  primaryColor: '#1d4ed8',
  warnColor: '#9c1c1c',
  backgroundColor: '#ffffff',
  fontColor: '#17202e',
  primaryColorDark: '#8fb1ff',
  warnColorDark: '#ffb4ab',
  backgroundColorDark: '#1a212d',
  fontColorDark: '#eef1f7',
}

/** The end of the names of the colours for browsers that ask for a light page, and for a dark one. */
export const THEMES = ['', 'Dark'] as const
export type Theme = (typeof THEMES)[number]

/** The schemes that pages have: one of them always, or the one that the browser asks for. */
export type PageTheme = 'light' | 'dark' | 'auto'

const PAGE_THEMES = {
  THEME_MODE_LIGHT: 'light',
  THEME_MODE_DARK: 'dark',
} as const satisfies Readonly<Record<string, PageTheme>>

const isFixed = (themeMode: string): themeMode is keyof typeof PAGE_THEMES =>
  Object.hasOwn(PAGE_THEMES, themeMode)

/** `themeMode` of a label policy. */
export function readTheme(themeMode: unknown): PageTheme {
  const mode = String(themeMode)
  return isFixed(mode) ? PAGE_THEMES[mode] : 'auto'
}

/** WCAG 2.2 section 1.4.3, level AA. */
export const TEXT_CONTRAST = 4.5

/** `#rgb` or `#rrggbb` as `#rrggbb` in lower case; undefined for other values. */
export function readColour(value: unknown): string | undefined {
  const digits = typeof value === 'string' ? /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1] : undefined
  if (digits === undefined) return undefined
  const full = digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
  return `#${full.toLowerCase()}`
}

/** The contrast ratio of two colours, `#rrggbb` each: 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

/** Black or white, whichever has more contrast to the colour: always more than `TEXT_CONTRAST`. */
export function textOn(colour: string): '#000000' | '#ffffff' {
  return contrast(colour, '#000000') >= contrast(colour, '#ffffff') ? '#000000' : '#ffffff'
}

/** A colour between two others; `share` is that of the first, 0 to 1. */
export function mixed(one: string, other: string, share: number): string {
  const others = channels(other)
  const parts = channels(one).map((channel, at) =>
    Math.round(channel * share + (others[at] ?? 0) * (1 - share))
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${parts.join('')}`
}

interface BrokenColour {
  readonly member: LabelColour
  readonly rule: string
}

type Document = Readonly<Record<string, unknown>>

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/**
 * The colours of a policy that are no colours, and those whose text is hard to read, with the rule that each breaks. A
 * colour that is left out counts with its default.
 */
export function brokenColours(document: Document): readonly BrokenColour[] {
  const malformed = LABEL_COLOURS.filter(
    (member) => isGiven(document[member]) && readColour(document[member]) === undefined,
  ).map((member) => ({ member, rule: 'must be a colour such as #1a2b3c' }))
  return [...malformed, ...THEMES.flatMap((theme) => unreadable(document, theme))]
}

function unreadable(document: Document, theme: Theme): readonly BrokenColour[] {
  const background = `backgroundColor${theme}` as const
  return ([`fontColor${theme}`, `warnColor${theme}`] as const).flatMap((text) => {
    const [own, behind] = [readColour(document[text]), readColour(document[background])]
    if (own === undefined && behind === undefined) return []
    const ratio = contrast(own ?? DEFAULT_COLOURS[text], behind ?? DEFAULT_COLOURS[background])
    if (ratio >= TEXT_CONTRAST) return []
    const [member, other] = own === undefined ? [background, text] : [text, background]
    const missing = own === undefined || behind === undefined
    const named = missing ? `${other}, by default ${DEFAULT_COLOURS[other]}` : other
    // Rounded down, so that 4.499 does not look as if it were enough.
    const shown = (Math.floor(ratio * 100) / 100).toFixed(2)
    return [
      {
        member,
        rule: `has a contrast of ${shown}:1 to ${named}; text needs ${TEXT_CONTRAST}:1 or more (WCAG 2.2 section 1.4.3)`,
      },
    ]
  })
}

/**
 * The colours of a policy that pages show. Where text of a theme is hard to read, background, text and warnings of that
 * theme keep their defaults: one of them alone could be hard to read on the default of another.
 */
export function obeyedColours(document: Document): LabelColours {
  const left = new Set<string>(
    THEMES.filter((theme) => unreadable(document, theme).length > 0).flatMap((theme) =>
      (['backgroundColor', 'fontColor', 'warnColor'] as const).map((member) => `${member}${theme}`),
    ),
  )
  return Object.fromEntries(
    LABEL_COLOURS.flatMap((member) => {
      const colour = readColour(document[member])
      return colour === undefined || left.has(member) ? [] : [[member, colour]]
    }),
  )
}

/** The colours that a policy sets and that pages do not show. */
export function coloursNotObeyed(document: Document): readonly LabelColour[] {
  const obeyed = obeyedColours(document)
  return LABEL_COLOURS.filter((member) => isGiven(document[member]) && obeyed[member] === undefined)
}
