// Sign-in by GitHub: OAuth 2.0 without an ID token (RFC 6749 section 4.1, RFC 7636). The answer of its API to the access token says who the
// person is: the number of the account, which GitHub gives to no other one. A login name and an address pass from one person to the next.

import type { GuardedFetch } from '@signet/platform/outbound-http/http-calls'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { ORGANIZATION_CLAIM } from '@signet/protocol/github-provider'
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { z } from 'zod'
import { createAssertion } from '../conversation/assertion.ts'
import { type CallContext, readAnswer, redeemCode, requireResponse } from '../conversation/calls.ts'
import type { Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import { refusalOfCall, refusalOfStatus } from '../conversation/refusal-of-call.ts'
import type { Answer, Asserted, Way } from '../conversation/way.ts'

interface GithubParts {
  readonly issuer: string
  readonly fetch: GuardedFetch
  readonly now: Clock
  readonly random: RandomBytes
}

const SECRET_BYTES = 32
const API_VERSION = '2022-11-28'
/** The scopes with which GitHub answers addresses. */
const EMAIL_SCOPES = ['user:email', 'user']
const MOST_ADDRESSES = 100
const MOST_MEMBERSHIPS = 100
/** Pages of memberships that one sign-in reads. */
const MOST_PAGES = 5

/** Creates the conversation with GitHub, and with servers of GitHub Enterprise. */
export function createGithubWay(parts: GithubParts) {
  return {
    begin: (async (provider, { state, loginHint }, maxAge) => {
      // No answer of GitHub says when the person authenticated.
      if (maxAge !== undefined)
        throw new Refused('authentication_time_missing', { expected: `${maxAge}`, isUnproven: true })
      const secret = () => parts.random(SECRET_BYTES).toString('base64url')
      const { issuer, clientId } = provider
      const secrets = { nonce: secret(), codeVerifier: secret(), issuer, clientId }
      const location = new URL(endpointsOf(provider).authorization_endpoint)
      const parameters = {
        ...{ response_type: 'code', client_id: clientId, scope: provider.scopes.join(' '), state },
        redirect_uri: identityProviderCallback(parts.issuer, provider.id),
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        ...(loginHint !== '' && { login: loginHint }),
      }
      for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
      return { secrets, location }
    }) satisfies Way['begin'],
    complete: (answer: Answer, signal: AbortSignal) => complete(parts, answer, signal),
  }
}

async function complete(
  { issuer, fetch, now, random }: GithubParts,
  { provider, secrets, state, parameters, authenticatedSince }: Answer,
  signal: AbortSignal,
): Promise<Asserted> {
  if (authenticatedSince !== undefined) throw new Refused('authentication_time_missing')
  const context = { provider, metadata: endpointsOf(provider), fetch, signal }
  const response = requireResponse(context, parameters, state)
  const { accessToken } = await redeemCode({ ...context, now: now(), random }, response, {
    redirectUri: identityProviderCallback(issuer, provider.id),
    codeVerifier: secrets.codeVerifier,
  })
  const user = await readUser(context, accessToken)
  const membership = await requireMembership(context, accessToken)
  const hasAddresses = provider.scopes.some((scope) => EMAIL_SCOPES.includes(scope))
  const emails = hasAddresses ? await readEmails(context, accessToken) : []
  const claims = {
    ...{ iss: provider.issuer, id: user.id, preferred_username: user.login, name: user.name },
    ...verifiedPrimary(emails),
  }
  // Settings that name claims are of ID tokens.
  const ofGithub = { ...provider, subjectClaim: 'id', mappedClaims: [], groupsClaim: '' }
  return {
    assertion: createAssertion(ofGithub, claims, undefined),
    documents: [
      { name: 'user', claims: user.answer },
      ...(membership === undefined ? [] : [{ name: 'membership', claims: membership }]),
      ...(hasAddresses ? [{ name: 'emails', claims: { emails } }] : []),
    ],
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Reads the account. Throws Refused, also for a number that JSON does not hold exactly and for an id that is a text. */
async function readUser(context: CallContext, accessToken: string) {
  const read = z.record(z.string(), z.unknown()).safeParse(await readApi(context, accessToken, '/user'))
  if (!read.success) throw new Refused('answer_malformed', { received: '/user', cause: read.error })
  const answer: Claims = read.data
  const { id, login, name } = answer
  if (!(typeof id === 'number' && Number.isSafeInteger(id) && id > 0))
    throw new Refused('subject_missing', { received: { id }, expected: 'id, a number' })
  return { id: `${id}`, login, name, answer }
}

const memberships = z
  .array(z.object({ state: z.string(), organization: z.object({ id: z.number(), login: z.string() }) }))
  .max(MOST_MEMBERSHIPS)

/**
 * Returns the membership of the required organization; undefined where none is required. The list has the organizations that let the
 * application read them. Throws Refused for a person who is no active member.
 */
async function requireMembership(context: CallContext, accessToken: string): Promise<Claims | undefined> {
  const { requiredClaims } = context.provider
  const expected = requiredClaims.find(({ name }) => name === ORGANIZATION_CLAIM)?.value
  if (expected === undefined) return undefined
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const path = `/user/memberships/orgs?state=active&per_page=${MOST_MEMBERSHIPS}&page=${page}`
    const read = memberships.safeParse(await readApi(context, accessToken, path))
    if (!read.success)
      throw new Refused('answer_malformed', { received: '/user/memberships/orgs', cause: read.error })
    const found = read.data.find(
      ({ state, organization }) => state === 'active' && `${organization.id}` === expected,
    )
    if (found !== undefined) return found
    if (read.data.length < MOST_MEMBERSHIPS) break
  }
  throw new Refused('required_claim_differs', { expected: { [ORGANIZATION_CLAIM]: expected } })
}

const addresses = z
  .array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
  .max(MOST_ADDRESSES)

async function readEmails(context: CallContext, accessToken: string) {
  const path = `/user/emails?per_page=${MOST_ADDRESSES}`
  const read = addresses.safeParse(await readApi(context, accessToken, path))
  if (read.success) return read.data
  throw new Refused('answer_malformed', { received: '/user/emails', cause: read.error })
}

/** The one primary address, where GitHub verified it; another one is none. */
function verifiedPrimary(emails: z.infer<typeof addresses>) {
  const [found, ...others] = emails.filter(({ primary }) => primary)
  const isOne = found?.verified === true && others.length === 0
  return isOne ? { email: found.email, email_verified: true } : {}
}

async function readApi(
  { provider, fetch, signal }: CallContext,
  accessToken: string,
  path: string,
): Promise<unknown> {
  const answer = await fetch(`${apiOf(provider)}${path}`, {
    method: 'GET',
    headers: {
      ...{ Accept: 'application/vnd.github+json', Authorization: `Bearer ${accessToken}` },
      'X-GitHub-Api-Version': API_VERSION,
    },
    signal,
  }).catch((error: unknown) => {
    throw refusalOfCall(error)
  })
  if ([401, 403, 404].includes(answer.status))
    throw new Refused('userinfo_refused', { received: answer.status })
  if (answer.status !== 200) throw refusalOfStatus(answer.status)
  return readAnswer(answer)
}

/** The endpoints of a server. `issuer` is the one that responses of GitHub may name (RFC 9207). */
const endpointsOf = ({ issuer }: Provider): CallContext['metadata'] => ({
  issuer: `${issuer}/login/oauth`,
  authorization_endpoint: `${issuer}/login/oauth/authorize`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
})

/** github.com and GHE.com have a host of its own for the API, servers of GitHub Enterprise a path. */
function apiOf({ issuer }: Provider): string {
  const { host } = new URL(issuer)
  return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${issuer}/api/v3`
}
