/** The browser and the system of a User-Agent; a name that the tables lack is an empty text. */
export interface UserAgent {
  readonly browser: string
  readonly system: string
}

// The first match counts: Edge, Opera and Samsung Internet call themselves Chrome, too.
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.* Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Reads the header User-Agent. Only the two names are stored: the header itself tells more about a person. */
export function readUserAgent(userAgent = ''): UserAgent {
  const nameOf = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? ''
  return { browser: nameOf(BROWSERS), system: nameOf(SYSTEMS) }
}

/** `Firefox, Linux`, one of the two, or an empty text. */
export function agentText({ browser, system }: UserAgent): string {
  return [browser, system].filter((name) => name !== '').join(', ')
}
