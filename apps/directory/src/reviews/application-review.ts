// Rules for one application, by its settings and by what is stored of its traffic: RFC 9700 and the rules of this server.
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { requiresPkce } from '@signet/protocol/pkce'
import { isLoopbackHost, redirectUriProblem } from '@signet/protocol/redirect-uri'
import { shellWord } from '@signet/protocol/refusal-reasons'
import type { Application } from '../applications/application.schema.ts'
import { hasSecret, isPublic } from '../applications/application-rules.ts'
import type { StoredSecret } from '../credentials/client-secret.repository.ts'

const DAY_MS = 86_400_000
/** Age from which a client secret is replaced, and time without a token after which an application counts as unused. */
const OLD_SECRET_DAYS = 365
const UNUSED_DAYS = 90

/** `advice`: the application keeps the rule that must be kept, and there is a stronger way. */
export const SEVERITIES = ['high', 'medium', 'advice'] as const

/** The latest request of the last week that a hint of the authorization endpoint was stored for. */
export interface Hint {
  readonly reason: string
  readonly at: Date
  readonly values: Readonly<Record<string, string>>
}

/** The hints that rules read, labels of docs/reference/errors.md. */
export const HINTS = ['code_challenge_absent', 'offline_access_missing', 'scopes_dropped'] as const

/** An application with everything that the rules read. */
export interface ReviewInput {
  readonly application: Application
  /** The secrets that count now. */
  readonly secrets: readonly StoredSecret[]
  /** Lifetimes of tokens of an application that sets none. */
  readonly lifetimes: Pick<Lifetimes, 'accessTokenLifetimeSeconds' | 'idTokenLifetimeSeconds'>
  /** Newest first. */
  readonly hints: readonly Hint[]
  /** The day of its latest tokens; undefined: none is stored. */
  readonly lastTokenAt: Date | undefined
  readonly sessions: number
  readonly now: Date
}

interface Lifetimes {
  readonly accessTokenLifetimeSeconds: number
  readonly idTokenLifetimeSeconds: number
}

export interface Finding {
  readonly rule: string
  readonly severity: (typeof SEVERITIES)[number]
  /** The section of a specification, or a page of this documentation. */
  readonly section: string
  readonly text: string
  /** A single command; absent where the application itself has to change. A shell reads each value of it as one word. */
  readonly fix?: string
}

interface Rule extends Omit<Finding, 'rule' | 'text' | 'fix'> {
  /** Returns the sentences of the findings, each with its fix. */
  readonly find: (input: ReviewInput) => readonly Pick<Finding, 'text' | 'fix'>[]
}

/** The result of a review. */
export interface Review {
  readonly rules: number
  /** The number of rules without a finding. */
  readonly kept: number
  /** Findings of the highest severity come first. */
  readonly findings: readonly Finding[]
}

/** Reviews an application. Refresh tokens have no rule: this server rotates each of them (RFC 9700 section 4.14.2). */
export function reviewApplication(input: ReviewInput): Review {
  const found = Object.entries(RULES).map(([rule, { find, ...about }]) =>
    find(input).map((finding): Finding => ({ rule, ...about, ...finding })),
  )
  const findings = found
    .flat()
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  return { rules: found.length, kept: found.filter(({ length }) => length === 0).length, findings }
}

const GUIDE = 'docs/guides/application-review.md'

/** Every rule by its id. A new one needs a row in docs/guides/application-review.md. */
export const RULES: Readonly<Record<string, Rule>> = {
  implicit_access_token: {
    severity: 'high',
    section: 'RFC 9700 section 2.1.2',
    find: ({ application }) =>
      when(application.responseTypes.includes('id_token token'), () => ({
        text: 'Access tokens come in the URL of the browser (response type id_token token), where its history and scripts read them. Send response_type=code.',
        fix: withoutResponseType(application, 'id_token token'),
      })),
  },
  pkce_optional: {
    severity: 'high',
    section: 'RFC 9700 section 2.1.1',
    find: ({ application, hints }) =>
      when(isPublic(application) && asksForCodes(application) && !sendsPkce(application), () => ({
        text: `A public application may go on without PKCE, so a stolen code gets tokens. ${pkceTraffic(hints)}`,
        fix: update(application, ['pkceOptional=', 'false']),
      })),
  },
  redirect_uri_refused: {
    severity: 'high',
    section: 'RFC 9700 section 4.1.3',
    find: ({ application }) =>
      application.redirectUris.flatMap((uri) => {
        const problem = redirectUriProblem(uri, application)
        return problem === undefined
          ? []
          : [{ text: `The redirect URI ${uri} ${problem}.`, fix: withoutUri(application, uri) }]
      }),
  },
  redirect_uri_http: {
    severity: 'high',
    section: 'RFC 9700 section 2.6',
    find: ({ application }) =>
      usable(application)
        .filter(({ protocol, hostname }) => protocol === 'http:' && !isLoopbackHost(hostname))
        .map(({ uri }) => ({
          text: `Codes go to ${uri} without TLS. Register the https URI, and take this one out.`,
          fix: withoutUri(application, uri),
        })),
  },
  pkce_not_required: {
    severity: 'medium',
    section: 'RFC 9700 section 2.1.1',
    find: ({ application, hints }) =>
      when(!isPublic(application) && asksForCodes(application) && !sendsPkce(application), () => ({
        text: `PKCE is not required, which keeps an injected code of another person out. ${pkceTraffic(hints)}`,
        fix: update(application, ['requirePkce=', 'true']),
      })),
  },
  development_mode: {
    severity: 'medium',
    section: 'RFC 9700 section 2.6',
    find: ({ application }) =>
      when(application.devMode, () => ({
        text: 'devMode lets the application register http URIs of any host.',
        fix: update(application, ['devMode=', 'false']),
      })),
  },
  short_secret: {
    severity: 'medium',
    section: 'RFC 6749 section 10.10',
    find: ({ application, secrets }) =>
      when(hasSecret(application.authMethod) && secrets.some(({ isLong }) => !isLong), () => ({
        text: 'A client secret has fewer than 43 characters, so a person may have chosen it.',
        fix: rotateSecret(application),
      })),
  },
  old_secret: {
    severity: 'medium',
    section: 'docs/guides/secrets.md',
    find: ({ application, secrets, now }) => {
      if (!hasSecret(application.authMethod) || secrets.length === 0) return []
      const newest = Math.max(...secrets.map(({ createdAt }) => createdAt.getTime()))
      return when(now.getTime() - newest > OLD_SECRET_DAYS * DAY_MS, () => ({
        text: `The client secret is of ${day(new Date(newest))}, more than a year ago.`,
        fix: rotateSecret(application),
      }))
    },
  },
  unused: {
    severity: 'medium',
    section: GUIDE,
    find: ({ application, lastTokenAt, sessions, now }) => {
      const { state, createdAt, grantTypes, responseTypes } = application
      const getsTokens = grantTypes.length + responseTypes.length > 0
      const isUsed = sessions > 0 || !isLongAgo(lastTokenAt ?? createdAt, now)
      return when(state === 'active' && getsTokens && !isUsed && isLongAgo(createdAt, now), () => ({
        text: `The application got no token ${lastTokenAt ? `after ${day(lastTokenAt)}` : 'that is stored'}, and no session has it.`,
        fix: update(application, ['state=', 'inactive']),
      }))
    },
  },
  implicit_id_token: {
    severity: 'advice',
    section: 'RFC 9700 section 2.1.2',
    find: ({ application }) =>
      when(application.responseTypes.includes('id_token'), () => ({
        text: 'ID tokens come by way of the browser (response type id_token). With response_type=code they come from the token endpoint.',
        fix: withoutResponseType(application, 'id_token'),
      })),
  },
  redirect_uri_loopback: {
    severity: 'advice',
    section: 'RFC 9700 section 4.1',
    find: ({ application }) => {
      const uris = usable(application)
      const local = uris.filter(({ protocol, hostname }) => isWeb(protocol) && isLoopbackHost(hostname))
      if (application.type === 'native' || local.length === uris.length) return []
      return local.map(({ uri }) => ({
        text: `${uri} is on the machine of the person, beside URIs of servers. Give development an application of its own.`,
        fix: withoutUri(application, uri),
      }))
    },
  },
  redirect_uri_scheme: {
    severity: 'advice',
    section: 'RFC 8252 section 7.2',
    find: ({ application }) =>
      usable(application)
        .filter(({ protocol }) => !isWeb(protocol))
        .map(({ uri, protocol }) => ({
          text: `Other applications of the device can take the scheme ${protocol} too. Register an https URI that the operating system gives to this application.`,
          fix: withoutUri(application, uri),
        })),
  },
  client_secret: {
    severity: 'advice',
    section: 'RFC 9700 section 2.5',
    find: ({ application }) =>
      when(hasSecret(application.authMethod), () => ({
        text: 'The application proves itself with a shared secret. A key does not leave it: signet application-key create first.',
        fix: update(application, ['authMethod=', 'private_key_jwt']),
      })),
  },
  unbound_tokens: {
    severity: 'advice',
    section: 'RFC 9700 section 2.2.1',
    find: ({ application }) => {
      const { fapi2, dpopBoundAccessTokens, tlsClientCertificateBoundAccessTokens, grantTypes } = application
      const isBound = fapi2 || dpopBoundAccessTokens || tlsClientCertificateBoundAccessTokens
      return when(grantTypes.length > 0 && !isBound, () => ({
        text: 'A stolen access token counts for its thief. With DPoP it counts with the key of the application alone (docs/guides/dpop.md).',
        fix: update(application, ['dpopBoundAccessTokens=', 'true']),
      }))
    },
  },
  long_lifetime: {
    severity: 'advice',
    section: 'RFC 6750 section 5.3',
    find: ({ application, lifetimes }) =>
      (['accessTokenLifetimeSeconds', 'idTokenLifetimeSeconds'] as const).flatMap((name) =>
        when((application[name] ?? 0) > lifetimes[name], () => ({
          text: `${name} is ${application[name]}, above the ${lifetimes[name]} of the instance.`,
          fix: update(application, [`${name}=`, 'null']),
        })),
      ),
  },
  unused_refresh_grant: {
    severity: 'advice',
    section: 'RFC 9700 section 4.14',
    find: ({ application, hints }) => {
      const hint = hints.find(({ reason }) => reason === 'offline_access_missing')
      if (hint === undefined || !application.grantTypes.includes(GRANT_TYPES.refreshToken)) return []
      const text = `The application may get refresh tokens, and signed people in without offline_access on ${day(hint.at)}. Take the grant type away unless other sign-ins ask for it.`
      return [{ text, fix: update(application, ['grantTypes-=', 'refresh_token']) }]
    },
  },
  scopes_without_effect: {
    severity: 'advice',
    section: 'RFC 9700 section 2.3',
    find: ({ hints }) => {
      const asked = hints.filter(({ reason }) => reason === 'scopes_dropped')
      const words = [...new Set(asked.flatMap(({ values }) => (values.scopes ?? '').split(' ')))]
      return when(asked.length > 0, () => ({
        text: `The application asked for scopes that mean nothing here: ${words.slice(0, 10).join(' ')}. Take them out of its requests.`,
      }))
    },
  },
}

const when = <Found>(condition: boolean, find: () => Found): readonly Found[] => (condition ? [find()] : [])

const isWeb = (protocol: string) => protocol === 'https:' || protocol === 'http:'

const asksForCodes = ({ responseTypes }: Application) => responseTypes.includes('code')

/** Whether each request for a code has to have a challenge. */
const sendsPkce = (application: Application) => application.fapi2 || requiresPkce(application)

/** The sentence about the requests of the last week. */
function pkceTraffic(hints: readonly Hint[]): string {
  const absent = hints.find(({ reason }) => reason === 'code_challenge_absent')
  return absent === undefined
    ? 'No request of the last seven days came without code_challenge.'
    : `A request of ${day(absent.at)} came without code_challenge: change the application first.`
}

/** The redirect URIs that people are redirected to. */
const usable = (application: Application) =>
  application.redirectUris
    .filter((uri) => redirectUriProblem(uri, application) === undefined)
    .map((uri) => {
      const { protocol, hostname } = new URL(uri)
      return { uri, protocol, hostname }
    })

const isLongAgo = (at: Date, now: Date) => now.getTime() - at.getTime() > UNUSED_DAYS * DAY_MS

const day = (at: Date) => at.toISOString().slice(0, 10)

/** `changes`: each a setting with its operator, and the value. */
const update = ({ id }: Application, ...changes: readonly (readonly [string, string])[]) =>
  [
    `signet application update ${shellWord(id)}`,
    ...changes.map(([setting, value]) => `--set ${setting}${shellWord(value)}`),
  ].join(' ')

const rotateSecret = ({ id }: Application) =>
  `signet application rotate-secret ${shellWord(id)} --set overlapSeconds=86400`

/** The command line takes a list with commas in its entries as JSON. */
const withoutUri = (application: Application, uri: string) =>
  update(application, ['redirectUris-=', uri.includes(',') ? JSON.stringify([uri]) : uri])

/** Takes one type out and leaves the others as they are then, so that the fixes of two findings follow one another. */
function withoutResponseType(application: Application, type: 'id_token' | 'id_token token'): string {
  const hasCodes = application.grantTypes.includes(GRANT_TYPES.authorizationCode)
  return update(
    application,
    ['responseTypes-=', type],
    ...(asksForCodes(application) ? [] : [['responseTypes+=', 'code'] as const]),
    ...(hasCodes ? [] : [['grantTypes+=', GRANT_TYPES.authorizationCode] as const]),
  )
}
