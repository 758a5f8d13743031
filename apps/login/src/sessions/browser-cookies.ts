import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientAddress } from '@signet/http/request-context'
import { UI_LOCALES, type UiLocale } from '@signet/protocol/authorization-parameters'
import { keyspaces } from '../keyspaces.ts'
import { DEVICE_COOKIE, TRUST_COOKIE } from './account-cookies.ts'
import { type Browser, hashOf, isRandomValue, newRandomValue, type RandomBytes } from './browser.ts'
import type { SignedIn } from './sign-in-proof.ts'
import { readUserAgent } from './user-agent.ts'

/** Reads and sets the cookies of a browser. */
export interface BrowserCookies {
  /** The browser of a request, for a pending request the one in which it started; undefined without a cookie. */
  known(req: IncomingMessage, pendingRequestId?: string): Browser | undefined
  /** Returns the browser of the request, or a new one where it is unknown; `setBrowser` sets its cookies. */
  knownOrNew(req: IncomingMessage): Browser
  /** Sets the cookies of a browser that sent none. */
  setBrowser(req: IncomingMessage, res: ServerResponse, browser: Browser, pendingRequestId?: string): void
  /** Deletes the cookie of a finished pending request. */
  deletePending(req: IncomingMessage, res: ServerResponse, pendingRequestId: string): void
  /** Sets the cookies of a sign-in, or the session cookie with its new lifetime. */
  setSignedIn(res: ServerResponse, made: MadeCookies): void
  clearSession(res: ServerResponse): void
  /** Notes whether an administrator acts as another person in this browser. It decides about the banner of pages alone. */
  setImpersonation(res: ServerResponse, active: boolean): void
  hasImpersonation(req: IncomingMessage): boolean
  /**
   * The last pending request of this browser that began at an identity provider; where several other providers have one and this provider
   * has none, one of theirs.
   */
  initiated(req: IncomingMessage, providerId: string): string | undefined
  /** Sets it; the cookie of the request that `initiated` returns goes. */
  setInitiated(req: IncomingMessage, res: ServerResponse, providerId: string, pendingRequestId: string): void
  /** The language that the person chose on a page; undefined without one that pages have. */
  language(req: IncomingMessage): UiLocale | undefined
  /** Keeps the choice for a year. */
  setLanguage(res: ServerResponse, language: UiLocale): void
}

type MadeCookies = Pick<SignedIn, 'sessionCookie'> & Partial<Pick<SignedIn, 'deviceCookie' | 'trustCookie'>>

const DELETED = '; Max-Age=0'
const YEAR_SECONDS = 365 * 86_400

/** Limit of cookies of pending requests, above which a further request gets none: 3 KiB of them fit in every header. */
const MAX_REQUEST_COOKIES = 40

/** Providers at which sign-ins of one browser may have begun at a time. */
const MOST_INITIATED = 4

/**
 * Creates the cookies of a browser. With https, the `__Host-` prefix prevents other hosts of the domain from setting
 * a cookie. The session cookie lasts as long as its sessions, unless a login policy ends them with the browser. The
 * browser cookie ends with the browser. Several tabs that start at once in a browser without cookies each get an id,
 * and the last browser cookie replaces the others. So a pending request that started without that cookie has its own
 * cookie, and so has each that starts before these are answered: the cookie that it came with can still be replaced.
 * Any other request gets none, so that their number stays small.
 */
export function browserCookies({ issuer, random }: { issuer: string; random: RandomBytes }): BrowserCookies {
  const secure = issuer.startsWith('https:')
  const prefix = secure ? '__Host-signet' : 'signet'
  const names = {
    session: `${prefix}.session`,
    browser: `${prefix}.browser`,
    device: `${prefix}.device`,
    trust: `${prefix}.trust`,
    language: `${prefix}.language`,
    impersonation: `${prefix}.impersonation`,
  }
  const initiatedPrefix = `${prefix}.initiated.`
  const initiatedOf = (providerId: string) => `${initiatedPrefix}${hashOf(providerId).slice(0, 16)}`
  /** A provider has a cookie of its own, so that those of two tabs do not replace each other. */
  function initiatedName(req: IncomingMessage, providerId: string): string {
    const own = initiatedOf(providerId)
    const known = cookiePairs(req).flatMap(([name]) => (name.startsWith(initiatedPrefix) ? [name] : []))
    const [other = own] = known
    return known.includes(own) || known.length < MOST_INITIATED ? own : other
  }
  const requestPrefix = `${prefix}.request.`
  const nameOf = (pendingRequestId: string) => `${requestPrefix}${pendingRequestId.slice(0, 16)}`
  const attributes = `${secure ? '; Secure' : ''}; HttpOnly; SameSite=Lax; Path=/`
  const set = (res: ServerResponse, name: string, value: string, more = '') =>
    void res.appendHeader('Set-Cookie', `${name}=${value}${attributes}${more}`)

  const withId = (req: IncomingMessage, id: string): Browser => ({
    id,
    sessionCookie: readCookie(req, names.session),
    deviceCookie: cookieValue(req, names.device),
    trustCookie: cookieValue(req, names.trust),
    agent: readUserAgent(req.headers['user-agent']),
    clientAddress: clientAddress(req),
  })

  function idOf(req: IncomingMessage, pendingRequestId: string | undefined): string | undefined {
    const own = isRandomValue(pendingRequestId) ? readCookie(req, nameOf(pendingRequestId)) : undefined
    return own ?? readCookie(req, names.browser)
  }

  function known(req: IncomingMessage, pendingRequestId?: string): Browser | undefined {
    const id = idOf(req, pendingRequestId)
    return id === undefined ? undefined : withId(req, id)
  }

  return {
    known,
    language(req) {
      const chosen = cookieValue(req, names.language)
      return UI_LOCALES.find((locale) => locale === chosen)
    },
    setLanguage: (res, language) => set(res, names.language, language, `; Max-Age=${YEAR_SECONDS}`),
    knownOrNew: (req) => known(req) ?? withId(req, newRandomValue(random)),
    setBrowser(req, res, { id }, pendingRequestId) {
      const isNew = known(req) === undefined
      if (isNew) set(res, names.browser, id)
      if (pendingRequestId === undefined) return
      const waiting = cookiePairs(req).filter(([name]) => name.startsWith(requestPrefix)).length
      const canBeReplaced = isNew || (waiting > 0 && waiting < MAX_REQUEST_COOKIES)
      if (!canBeReplaced) return
      set(res, nameOf(pendingRequestId), id, `; Max-Age=${keyspaces.pendingAuthorization.ttlSeconds}`)
    },
    deletePending(req, res, pendingRequestId) {
      const name = nameOf(pendingRequestId)
      if (readCookie(req, name) !== undefined) set(res, name, '', DELETED)
    },
    setSignedIn(res, { sessionCookie, deviceCookie, trustCookie }) {
      const keep = (name: string, value: string | undefined, seconds: number | undefined) => {
        if (value !== undefined) set(res, name, value, seconds === undefined ? '' : `; Max-Age=${seconds}`)
      }
      keep(names.session, sessionCookie.value, sessionCookie.maxAgeSeconds)
      keep(names.device, deviceCookie, DEVICE_COOKIE.lifetimeSeconds)
      keep(names.trust, trustCookie, TRUST_COOKIE.lifetimeSeconds)
    },
    clearSession: (res) => set(res, names.session, '', DELETED),
    setImpersonation: (res, active) =>
      set(res, names.impersonation, active ? '1' : '', active ? '' : DELETED),
    hasImpersonation: (req) => cookieValue(req, names.impersonation) === '1',
    initiated: (req, providerId) => readCookie(req, initiatedName(req, providerId)),
    setInitiated(req, res, providerId, requestId) {
      const [before, name] = [initiatedName(req, providerId), initiatedOf(providerId)]
      if (before !== name) set(res, before, '', DELETED)
      set(res, name, requestId, `; Max-Age=${keyspaces.pendingAuthorization.ttlSeconds}`)
    },
  }
}

/** Returns the value of a cookie, or undefined when it is absent or has another format. */
function readCookie(req: IncomingMessage, name: string): string | undefined {
  const value = cookieValue(req, name)
  return isRandomValue(value) ? value : undefined
}

function cookieValue(req: IncomingMessage, name: string): string | undefined {
  return cookiePairs(req).find(([key]) => key === name)?.[1]
}

function cookiePairs({
  headers,
}: IncomingMessage): readonly (readonly [name: string, value: string | undefined])[] {
  return (headers.cookie ?? '').split(';').map((pair) => {
    const [name = '', value] = pair.trim().split('=', 2)
    return [name, value]
  })
}
