// The choice of a person to trust the browser, with what is stored of it.
import type { IncomingMessage } from 'node:http'
import type { TrustChoice } from './totp.service.ts'

const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
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

/** Reads the checkbox `trust` of a form and the header User-Agent, of which only the two names are stored. */
export function readTrust(req: IncomingMessage, form: Readonly<Record<string, string>>): TrustChoice {
  return { trustsBrowser: form.trust === 'yes', agent: agentOf(req.headers['user-agent']) }
}

/** `Firefox, Linux`, one of the two, or an empty text. */
export function agentOf(userAgent = ''): string {
  return [BROWSERS, SYSTEMS]
    .flatMap((names) => names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? [])
    .join(', ')
}
