import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Browser, isRandomValue, newRandomValue, type RandomBytes } from '../browser/browser.ts'

/** Reads and sets the two cookies of a browser. */
export interface BrowserCookies {
  /** The browser as its cookies tell; undefined when it sent no browser cookie. */
  known(req: IncomingMessage): Browser | undefined
  /** The same, giving a new browser its cookie. */
  recognise(req: IncomingMessage, res: ServerResponse): Browser
  /** Replaces the session cookie. */
  setSession(res: ServerResponse, value: string): void
  clearSession(res: ServerResponse): void
}

/**
 * With https the `__Host-` prefix keeps other hosts of the domain from planting a cookie. Both last as long as the
 * browser runs; how long a session lasts is decided here and not by the browser.
 */
export function browserCookies({ issuer, random }: { issuer: string; random: RandomBytes }): BrowserCookies {
  const secure = issuer.startsWith('https:')
  const names = secure
    ? { session: '__Host-signet.session', browser: '__Host-signet.browser' }
    : { session: 'signet.session', browser: 'signet.browser' }
  const attributes = `${secure ? '; Secure' : ''}; HttpOnly; SameSite=Lax; Path=/`
  const set = (res: ServerResponse, name: string, value: string, more = '') =>
    void res.appendHeader('Set-Cookie', `${name}=${value}${attributes}${more}`)

  function known(req: IncomingMessage): Browser | undefined {
    const id = readCookie(req, names.browser)
    return id === undefined ? undefined : { id, sessionCookie: readCookie(req, names.session) }
  }

  return {
    known,
    recognise(req, res) {
      const browser = known(req)
      if (browser !== undefined) return browser
      const id = newRandomValue(random)
      set(res, names.browser, id)
      return { id, sessionCookie: readCookie(req, names.session) }
    },
    setSession: (res, value) => set(res, names.session, value),
    clearSession: (res) => set(res, names.session, '', '; Max-Age=0'),
  }
}

/** A cookie of ours, or undefined when it is absent or cannot be one that we set. */
function readCookie(req: IncomingMessage, name: string): string | undefined {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name && isRandomValue(value)) return value
  }
  return undefined
}
