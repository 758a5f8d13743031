import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { UserAgent } from './user-agent.ts'

/** Returns `size` random bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Buffer

/** The browser of a request, from its cookies and headers. */
export interface Browser {
  /** 256 random bits that bind pending requests and form tokens to this browser. It does not authenticate a user. */
  readonly id: string
  /** The bearer credential of the sessions; absent before the first sign-in. */
  readonly sessionCookie: string | undefined
  /** The accounts that this browser signed in to. It does not authenticate a user. */
  readonly deviceCookie: string | undefined
  /** The accounts whose second factor this browser is not asked for. It does not authenticate a user. */
  readonly trustCookie: string | undefined
  readonly agent: UserAgent
  /** Network address of the request. */
  readonly clientAddress: string
}

const RANDOM_VALUE = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits as text: a cookie, a handle, the id of a pending request. */
export function newRandomValue(random: RandomBytes): string {
  return random(32).toString('base64url')
}

/** Whether a received value has the format of `newRandomValue`. */
export function isRandomValue(value: string | undefined): value is string {
  return value !== undefined && RANDOM_VALUE.test(value)
}

/** The hash under which a cookie is stored, so that a reader of the store cannot present the cookie; or a text of any length. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** The pages with a form. */
export type FormPurpose =
  | 'login'
  | 'upstream'
  | 'provider-test'
  | 'upstream-password'
  | 'unlinked'
  | 'link-account'
  | 'own-links'
  | 'register'
  | 'totp'
  | 'enrolment'
  | 'passkey'
  | 'passkey-factor'
  | 'passkey-enrolment'
  | 'passkey-offer'
  | 'passkeys'
  | 'factors'
  | 'confirm'
  | 'new-password'
  | 'accounts'
  | 'consent'
  | 'device'
  | 'roles'
  | 'applications'
  | 'own-password'
  | 'own-sessions'
  | 'own-profile'
  | 'own-deletion'
  | 'own-email'
  | 'forgot'
  | 'mail-link'
  | 'verify-email'
  | 'logout'
  | 'impersonation'
  | 'impersonation-end'

/** The token of a form, which only our own page in this browser can send for this pending request. */
export function formToken(browser: Pick<Browser, 'id'>, purpose: FormPurpose, requestId: string): string {
  return createHmac('sha256', browser.id).update(`${purpose}:${requestId}`).digest('base64url')
}

/** Whether a submitted token equals `formToken`; compared in constant time. */
export function formTokenMatches(
  given: string | undefined,
  browser: Browser,
  purpose: FormPurpose,
  requestId: string,
): boolean {
  const expected = Buffer.from(formToken(browser, purpose, requestId))
  const actual = Buffer.from(given ?? '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** The pending request of a page has expired, was used, or belongs to another browser. */
export class PageExpiredError extends Error {
  override readonly name = 'PageExpiredError'
  /** The label for the log. */
  readonly reason: string
  readonly clientId: string | undefined

  constructor(
    message: string,
    { reason = 'page_expired', clientId }: { readonly reason?: string; readonly clientId?: string } = {},
  ) {
    super(message)
    this.reason = reason
    this.clientId = clientId
  }
}

/** A form without the cookie or the token of its page: cookies are disabled, or the form is old or forged. */
export class FormRefusedError extends Error {
  override readonly name = 'FormRefusedError'
  /** The browser sent its cookie, so the token is of another page or of before the cookie. */
  readonly hasCookie: boolean

  constructor(message: string, hasCookie = false) {
    super(message)
    this.hasCookie = hasCookie
  }
}
