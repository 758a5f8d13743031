import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HTTP_STATUS } from '@signet/admin-api/api-error'
import { REFUSAL_REASONS } from '@signet/protocol/refusal-reasons'
import { SCOPES } from '@signet/protocol/scopes'
import { expect, it } from 'vitest'
import en from '../../apps/login/src/pages/texts/en.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

/** The sources of the services and of the packages that they use. */
const SOURCES = globSync(
  '{apps/{directory,introspection,keys,login,migration,token},packages/*}/src/**/*.ts',
  { cwd: ROOT },
).filter((file) => !/\.test\.ts$|\/gen\/|^packages\/(testing|dev-stack)\//.test(file))

/** A place of the sources that refuses a request. */
interface Refusal {
  readonly reason: string
  /** The error code of OAuth, or the HTTP status of an API; `page` for a page of its own. */
  readonly sends: string
  readonly status: number
  readonly file: string
}

interface ErrorClass {
  readonly code: string
  readonly status: number
}

/** The classes of errors.ts by their names. Those without a status of their own send 400. */
const ERROR_CLASSES = readErrorClasses()

function readErrorClasses(): ReadonlyMap<string, ErrorClass> {
  const source = read('packages/protocol/src/errors.ts')
  const classes = new Map<string, ErrorClass>()
  const inherited = new Map<string, string>()
  for (const text of source.split(/^(?=export (?:abstract )?class |abstract class )/m)) {
    const [, name = '', parent = ''] = /^(?:export )?(?:abstract )?class (\w+) extends (\w+)/.exec(text) ?? []
    const [, code = inherited.get(parent)] = /readonly code = '(\w+)'/.exec(text) ?? []
    const [, status = '400'] = /readonly status = (\d+)/.exec(text) ?? []
    if (code === undefined) continue
    if (text.startsWith('abstract')) inherited.set(name, code)
    else classes.set(name, { code, status: Number(status) })
  }
  return classes
}

/** Functions that make an error out of a label: `failed('client_unknown')`. */
const MAKERS = 'refused|denied|failed|notActive|invalidToken|invalidCode'
const MADE = new RegExp(String.raw`\b(?:new (\w+Error)|(unavailableError|${MAKERS}))\(`, 'g')

/** The refusals whose reason is written where the error is made. */
function refusalsOfSources(): readonly Refusal[] {
  return SOURCES.flatMap((file) => {
    const source = read(file)
    return [...source.matchAll(MADE)].flatMap((match) => {
      const [whole, direct, maker] = match
      const args = argumentsAt(source, match.index + whole.length)
      const name = direct ?? (maker === 'unavailableError' ? maker : classMadeBy(maker ?? '', source))
      const [, named] = /\breason: '([a-z0-9_]+)'/.exec(args) ?? []
      // A maker has the label as an argument of its own.
      const [, label] = /(?:^|, )\s*'([a-z]+_[a-z_]+)'/.exec(args) ?? []
      const reason = named ?? (maker === undefined ? undefined : label)
      const sent = reason === undefined ? undefined : sentBy(name, args)
      return sent === undefined || reason === undefined ? [] : [{ reason, file, ...sent }]
    })
  })
}

function sentBy(name: string | undefined, args: string): Pick<Refusal, 'sends' | 'status'> | undefined {
  const [, given] = /\bstatus: (\d+)/.exec(args) ?? []
  if (name === 'AuthorizePageError') return { sends: 'page', status: 400 }
  if (name === 'unavailableError') return { sends: '503', status: 503 }
  if (name === 'ApiError') {
    const [, code = ''] = /^\s*'([A-Z_]+)'/.exec(args) ?? []
    const status = Number(given ?? HTTP_STATUS[code as keyof typeof HTTP_STATUS])
    return { sends: `${status}`, status }
  }
  const known = ERROR_CLASSES.get(name ?? '')
  return known && { sends: known.code, status: Number(given ?? known.status) }
}

/** The class in the body of a function of the same file. */
function classMadeBy(maker: string, source: string): string | undefined {
  const [, name] =
    new RegExp(String.raw`(?:function|const) ${maker}\b(?:(?!\n})[\s\S])*?new (\w+Error)\(`).exec(source) ??
    []
  return name
}

/** Returns the text from after an opening parenthesis to the one that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 1
  let at = start
  for (; depth > 0 && at < source.length; at += 1) depth += { '(': 1, ')': -1 }[source[at] ?? ''] ?? 0
  return source.slice(start, at - 1)
}

/** Reasons of requests without a known client, of pages of Signet itself, and of parts of Signet that are away. */
const UNEXPLAINED = [
  ...['access_token_missing', 'access_token_not_alive', 'assertion_without_subject', 'basic_malformed'],
  ...['client_assertion_missing', 'client_assertion_type_unknown'],
  ...['client_documents_busy', 'client_documents_limited', 'client_id_differs_from_assertion'],
  ...['client_id_mismatch', 'client_id_missing', 'client_id_missing', 'foreign_request', 'form_refused'],
  ...['grant_type_missing', 'grant_type_unsupported', 'no_active_signing_key', 'no_key_lease', 'not_allowed'],
  ...['page_expired', 'passkey_purpose_unknown', 'public_keys_unreachable', 'revocation_check_failed'],
  ...['revocation_checks_exhausted', 'revocation_log_write_failed', 'several_access_tokens'],
  ...['several_client_credentials', 'storage_limited', 'user_name'],
]

/** `reason: 'x'`, also with a value in front of it; a leading part that is a value is written `…`. */
const PROPERTY = /\breason: (?:'([a-z0-9_]+)'|`\$\{[^}]+\}(_[a-z_]+)`|`([a-z_]+_)\$\{)/g
/** The functions that make an error out of a label, and those that return one. */
const CALL =
  /\b(?:refused|denied|failed|notActive|invalidToken|invalidCode|unavailable)\((?:[^;{}]*?, *|\s*)'([a-z]+_[a-z_]+)'/g

/** The labels that the services give to refusals and failures, from their sources. */
function reasonsOfSources(): readonly string[] {
  const found = new Set<string>()
  for (const file of SOURCES) {
    const source = read(file)
    for (const [, whole, end, start] of source.matchAll(PROPERTY))
      found.add(whole ?? (end === undefined ? `${start}…` : `…${end}`))
    for (const [, label = ''] of source.matchAll(CALL)) found.add(label)
  }
  return [...found].sort()
}

const errors = read('docs/reference/errors.md')
const scopes = read('docs/reference/scopes-and-claims.md')
const named = (text: string) => new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name))

/**
 * Reasons of the end of a grant, in its row of the database; no caller or log line gets them as the reason of a
 * refusal.
 */
const ENDS_OF_GRANTS = ['revoked_by_client']

it('the errors reference has every reason of the sources', () => {
  const reasons = reasonsOfSources()
  expect(reasons.length).toBeGreaterThan(150)
  const known = named(errors)
  expect(reasons.filter((reason) => !known.has(reason) && !ENDS_OF_GRANTS.includes(reason))).toEqual([])
})

it('the errors reference has a row for every reason that signet why explains', () => {
  const labels = Object.keys(REFUSAL_REASONS)
  expect(labels.length).toBeGreaterThan(100)
  const known = named(errors)
  // A row names several parameters by their common end.
  const isKnown = (label: string) =>
    known.has(label) || known.has(label.replace(/^[a-z]+(?=_too_long$)/, '…'))
  expect(labels.filter((label) => !isKnown(label))).toEqual([])
})

it('signet why explains every reason of authorization, client authentication, tokens and userinfo', () => {
  const [, rest = ''] = errors.split('## Authorization and sign-in')
  const [ofClients = ''] = rest.split('## Every endpoint')
  const labels = [...ofClients.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...named(cell)].map(String),
  )
  const missing = labels.filter((label) => !label.includes('…') && !(label in REFUSAL_REASONS))
  expect(missing.sort()).toEqual(UNEXPLAINED)
})

it('the errors reference has every error code', () => {
  const codes = read('packages/protocol/src/errors.ts').matchAll(/readonly code = '(\w+)'/g)
  const known = named(errors)
  expect([...codes].flatMap(([, code = '']) => (known.has(code) ? [] : [code]))).toEqual([])
})

it('the errors reference has every page that ends a flow', () => {
  const { rejected, notFound, unavailable, failure } = en
  for (const { title } of [rejected, notFound, unavailable, failure]) expect(errors).toContain(`| ${title} |`)
})

it('the scopes reference has every scope and every claim that discovery lists', () => {
  const known = named(scopes)
  const surface = read('e2e/test/public-surface/discovery.txt')
  const [document = ''] = /^\{[\s\S]*?^\}/m.exec(surface) ?? []
  const { claims_supported: claims, scopes_supported: listed } = JSON.parse(document)
  expect(claims.length).toBeGreaterThan(20)
  expect([...SCOPES, ...listed, ...claims].filter((name) => !known.has(name))).toEqual([])
})

it('the scopes reference has every reserved scope', () => {
  const source = read('packages/protocol/src/scopes.ts')
  const fixed = [...source.matchAll(/^ {2}'((?:user|org):[a-z:]+)':/gm)].map(([, name]) => name)
  const withValue = [...source.matchAll(/^ {2}\[\/\^((?:org|user):[a-z:]+)\(/gm)].map(([, name]) => name)
  expect([fixed.length, withValue.length]).toEqual([3, 5])
  expect([...fixed, ...withValue].filter((name) => !scopes.includes(`\`urn:service:iam:${name}`))).toEqual([])
})

/** The rows of the tables of reasons, with the codes and statuses of each. */
const rows = [...errors.matchAll(/^\| (`.*?) \| (.*?) \| .* \|$/gm)].map(([, reasons = '', sent = '']) => ({
  reasons: [...named(reasons)].map(String),
  sent: sent.replaceAll('`', '').split(', '),
}))
const refusals = refusalsOfSources()

it('the errors reference has the code or status that each reason is sent with', () => {
  expect(refusals.length).toBeGreaterThan(150)
  const wrong = refusals.flatMap(({ reason, sends, file }) => {
    const documented = rows.filter(({ reasons }) => reasons.includes(reason)).flatMap(({ sent }) => sent)
    // An error of the login service is a page when it cannot be sent to the application.
    const isPage = file.startsWith('apps/login/') && documented.includes('page')
    return documented.includes(sends) || isPage ? [] : [`${file}: ${reason} is ${sends}, not ${documented}`]
  })
  expect(wrong).toEqual([])
})

it('the errors reference has no code or status that no reason of its row is sent with', () => {
  const wrong = rows.flatMap(({ reasons, sent }) => {
    const known = refusals.filter(({ reason }) => reasons.includes(reason))
    const isComplete = reasons.every((reason) => known.some((refusal) => refusal.reason === reason))
    const sends = new Set(known.flatMap(({ sends, status }) => [sends, `${status}`, 'page', '–']))
    return isComplete ? sent.filter((one) => !sends.has(one)).map((one) => `${reasons}: ${one}`) : []
  })
  expect(wrong).toEqual([])
})

it('the errors reference has the statuses of every OAuth error code', () => {
  const wrong = [...ERROR_CLASSES.values()].flatMap(({ code, status }) => {
    const given = refusals.filter(({ sends }) => sends === code)
    // The login service sends its errors by redirect.
    const isDirect = given.some(({ file }) => !file.startsWith('apps/login/'))
    const expected = new Set([status, ...given.map((refusal) => refusal.status)])
    const [documented] = rows.filter(({ reasons }) => reasons.includes(code)).map(({ sent }) => sent)
    const missing = [...expected].filter((one) => isDirect && !documented?.includes(`${one}`))
    return missing.map((one) => `${code}: ${one}, not ${documented}`)
  })
  expect(wrong).toEqual([])
})
