import { placeholderProblem, withoutVariables } from './placeholder.ts'

// RFC 9700 section 2.1: redirect URIs are compared byte for byte, except the port of a loopback address (RFC 8252
// section 7.3) and of http://localhost.

const LOOPBACK_ADDRESS = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?=[/?#]|$)/
const LOOPBACK_HOST = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?(?=[/?#]|$)/

/**
 * Rule for the port of a redirect URI: only native applications may choose it, because they cannot know it in
 * advance.
 */
export type PortRule = 'registered' | 'any of a loopback address' | 'any of a loopback address or localhost'

const ANY_PORT: Readonly<Record<PortRule, RegExp | undefined>> = {
  registered: undefined,
  'any of a loopback address': LOOPBACK_ADDRESS,
  'any of a loopback address or localhost': LOOPBACK_HOST,
}

/** The rule for an application by its settings. */
export function portRuleOf(application: {
  readonly type: string
  readonly exactLocalhostPort: boolean
}): PortRule {
  if (application.type !== 'native') return 'registered'
  return application.exactLocalhostPort
    ? 'any of a loopback address'
    : 'any of a loopback address or localhost'
}

/** Whether a redirect URI equals a registered one but for a port that the rule leaves open. */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  rule: PortRule,
): boolean {
  if (registered.includes(requested)) return true
  const anyPort = ANY_PORT[rule]
  if (anyPort === undefined) return false
  const portless = withoutPort(requested, anyPort)
  return portless !== undefined && registered.some((uri) => withoutPort(uri, anyPort) === portless)
}

function withoutPort(uri: string, anyPort: RegExp): string | undefined {
  const match = anyPort.exec(uri)
  if (match === null || Number(match[2] ?? 80) > 65_535) return undefined
  return `${match[1]}${uri.slice(match[0].length)}`
}

/** Whether a URL's host name stays on this machine; RFC 6761 section 6.3 gives `*.localhost` to loopback. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname)
}

// The rules for what an application registers. Management API, bootstrap file and import apply them when it is stored,
// the authorization endpoint when a browser is sent there. Each function returns the rule that is broken, as a predicate.

/** Schemes that a browser runs, shows or hands to a program that is not the application. */
const NEVER = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'mailto:',
  'sms:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
])

/** The fields of an application that decide which URIs suit it. */
export interface RegisteringApplication {
  readonly type?: string | undefined
  readonly devMode: boolean
}

/** RFC 6749 section 3.1.2: absolute, without a fragment; in ASCII, since it becomes a header or the action of a form. */
export function redirectTargetProblem(uri: string): string | undefined {
  const unfilled = placeholderProblem(uri)
  if (unfilled !== undefined) return unfilled
  if (!URL.canParse(uri) || !/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) {
    return 'must be an absolute URI in ASCII'
  }
  const { protocol, username, password } = new URL(uri)
  // A parser takes `https:app.example` for `https://app.example`; other readers do not.
  if (isWeb(protocol) && !/^[a-z]+:\/\/[^/?#]/i.test(uri)) return 'must have // and a host behind its scheme'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard; URIs are compared byte for byte'
  if (NEVER.has(protocol)) return `must not use the scheme ${protocol}`
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  return undefined
}

/** RFC 8252 sections 7 and 8.4; http is for loopback and for development. Of a URI that may be redirected to at all. */
export function applicationUriProblem(
  uri: string,
  { type, devMode }: RegisteringApplication,
): string | undefined {
  if (type === 'api') return 'an api application takes part in no sign-in and has none'
  const { protocol } = new URL(uri)
  if (isWeb(protocol)) return plainHttpProblem(uri, devMode)
  return type === 'native' ? undefined : 'only native applications may use a scheme of their own'
}

/** Both rules for the redirect URIs of this application. */
export function redirectUriProblem(uri: string, application: RegisteringApplication): string | undefined {
  return redirectTargetProblem(uri) ?? applicationUriProblem(uri, application)
}

/**
 * The optional URLs of an application: a logout token goes there (OpenID Connect Back-Channel Logout 1.0 section 2.2), or a
 * person does (OIDC Core section 4).
 */
export function applicationUrlProblem(uri: string, devMode: boolean): string | undefined {
  return webTargetProblem(uri) ?? plainHttpProblem(uri, devMode)
}

/** The part of the rule that holds for every application. */
export function webTargetProblem(uri: string): string | undefined {
  const problem = redirectTargetProblem(uri)
  if (problem !== undefined) return problem
  return isWeb(new URL(uri).protocol) ? undefined : 'must be an http or https URL'
}

/** http where no third party on the path can read or change it. */
export function plainHttpProblem(uri: string, devMode: boolean): string | undefined {
  const { protocol, hostname } = new URL(uri)
  return protocol !== 'http:' || devMode || isLoopbackHost(hostname)
    ? undefined
    : 'must use https; http is for loopback hosts and devMode'
}

/** RFC 6454: the value that a browser sends as Origin; neither `*` nor `null`. */
export function originProblem(origin: string): string | undefined {
  const unfilled = placeholderProblem(origin)
  if (unfilled !== undefined) return unfilled
  return URL.canParse(origin) && isWeb(new URL(origin).protocol) && new URL(origin).origin === origin
    ? undefined
    : 'must be an origin such as https://app.example, without a path or a slash at the end'
}

/** A URL of a profile (OIDC Core section 5.1), which applications show as a link or a picture. */
export function webUrlProblem(url: string): string | undefined {
  const isWebUrl =
    /^https?:\/\/[^/?#]/i.test(url) && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(url) && URL.canParse(url)
  return isWebUrl ? undefined : 'must be an http or https URL'
}

/** A link that a page shows; `{{.Lang}}` in it is the language of the page. */
export function linkProblem(uri: string): string | undefined {
  const unfilled = placeholderProblem(withoutVariables(uri))
  if (unfilled !== undefined) return unfilled
  // A browser drops white space and control characters of a URL before it reads the scheme.
  const isAbsolute = /^https?:\/\/[^/?#]/i.test(uri) && !/[\s\p{C}]/u.test(uri) && URL.canParse(uri)
  const { protocol, hostname, username, password } = isAbsolute ? new URL(uri) : NO_URL
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    return 'must be an https URL; http is for loopback hosts'
  }
  return username === '' && password === '' ? undefined : 'must not have a user name or a password'
}

const NO_URL = { protocol: '', hostname: '', username: '', password: '' }

const isWeb = (protocol: string): boolean => protocol === 'https:' || protocol === 'http:'
