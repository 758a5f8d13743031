import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Returns `size` random bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Buffer

/** The browser behind a request, as its cookies tell. */
export interface Browser {
  /** 256 random bits that tie pending requests and form tokens to this browser. It proves nobody's identity. */
  readonly id: string
  /** The bearer of this browser's sessions; absent before the first sign-in. */
  readonly sessionCookie: string | undefined
  /** What this browser keeps of the accounts that it signed in; proves nobody's identity. */
  readonly deviceCookie: string | undefined
}

const RANDOM_VALUE = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits as text: a cookie, a handle, the id of a pending request. */
export function newRandomValue(random: RandomBytes): string {
  return random(32).toString('base64url')
}

/** Whether a value that came from outside can be one of ours; anything else is not worth a look-up. */
export function isRandomValue(value: string | undefined): value is string {
  return value !== undefined && RANDOM_VALUE.test(value)
}

/** What a store keeps of a cookie: whoever reads the store cannot present the cookie. */
export function hashOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64url')
}

/** A page of ours that takes a form. */
export type FormPurpose =
  | 'login'
  | 'register'
  | 'totp'
  | 'enrolment'
  | 'new-password'
  | 'accounts'
  | 'consent'
  | 'roles'
  | 'applications'
  | 'logout'

/** The token that only our own page in this very browser can send for this pending request. */
export function formToken(browser: Browser, purpose: FormPurpose, requestId: string): string {
  return createHmac('sha256', browser.id).update(`${purpose}:${requestId}`).digest('base64url')
}

/** Whether a submitted token is the one of `formToken`; compared in constant time. */
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

/** The pending request that a page needs is gone, was used, or belongs to another browser. */
export class PageExpiredError extends Error {
  override readonly name = 'PageExpiredError'
}

/** A form came without the cookie or the token of its page: cookies are off, or the form is forged. */
export class FormRefusedError extends Error {
  override readonly name = 'FormRefusedError'
}
