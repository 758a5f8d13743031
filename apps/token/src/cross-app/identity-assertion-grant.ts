// Takes identity assertions: draft-ietf-oauth-identity-assertion-authz-grant section 4.4. A person is found by the link to an identity
// provider of the organization, and never by an address (docs/decisions/0106).

import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { FindIssuerKeys } from '@signet/client-auth/issuer-keys'
import { AssertionRefusal } from '@signet/client-auth/signed-assertion'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, Client } from '@signet/directory-reader/views'
import { MAKER_TOLERANCE_SECONDS, type ReplayGuard } from '@signet/platform/redis/replay-guard'
import { InvalidGrantError, InvalidScopeError, InvalidTargetError } from '@signet/protocol/errors'
import { TLS_AUTH_METHODS } from '@signet/protocol/grant-types'
import { resourceUris } from '@signet/protocol/resource-indicator'
import { API_PROJECT, isKnownScope, parseScopeString } from '@signet/protocol/scopes'
import { isClientIdUrl } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { identityAssertionEvent } from '../audit-events.ts'
import type { GrantStore, NewGrant } from '../grant-store.ts'
import { type ClientGrant, grant } from '../grants/grant.ts'
import type { IssuanceDeps } from '../issuance/access-token.ts'
import { refuseDetails } from '../issuance/details.ts'
import { issueTokens } from '../issuance/issue-tokens.ts'
import { newGrant } from '../issuance/new-grant.ts'
import { audienceOf, requireNamed, requireProjectAccess } from '../issuance/scopes.ts'
import type { AssertingProvider, ProviderLinkStore } from './provider-link.repository.ts'
import {
  refused,
  requireFirstUse,
  type VerifiedAssertion,
  verifyIdentityAssertion,
} from './verify-assertion.ts'

export interface IdentityAssertionDeps extends IssuanceDeps {
  readonly findIssuerKeys: FindIssuerKeys
  readonly providerLinks: ProviderLinkStore
  /** The guard of `identity-assertion`. */
  readonly assertionGuard: ReplayGuard
  readonly grants: GrantStore
}

const params = z.object({
  assertion: z.string('assertion is required').min(1, 'assertion is empty'),
  scope: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})

/** The longest life of an access token: it does not end with the session at the issuer. */
const LONGEST_SECONDS = 600

/** A scope of a browser session, which there is none of here. */
const OF_SESSION: ReadonlySet<string> = new Set(['openid', 'offline_access'])

/** Answers an identity assertion with an access token alone: no ID token and no refresh token. */
export const identityAssertionGrant = (deps: IdentityAssertionDeps): ClientGrant =>
  grant({
    params,
    methods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', ...TLS_AUTH_METHODS],
    async handle({ client, params, now, clientAddress, cnf }) {
      refuseDetails(params.authorization_details)
      const { assertion, account, tokenEpoch, signedInAt } = await prove(deps, client, params.assertion, now)
      const { scopes, audience } = await requireWithin(deps, { client, account, assertion, params })
      // The person did not sign in here, so nothing has asked yet whether the project of the client lets them in.
      const projects = [...new Set([...audienceOf(client, []), ...audience])]
      await requireProjectAccess(deps.directory, projects, account.userId)
      await requireFirstUse(deps.assertionGuard, assertion.use, now).catch((error: unknown) =>
        throwRefusal(error, client, account),
      )
      const authorization = {
        client: { id: client.clientId, epoch: client.tokenEpoch },
        clientOrganization: { id: client.organizationId, epoch: client.organizationTokenEpoch },
        user: { id: account.userId, epoch: tokenEpoch },
        userOrganization: { id: account.organizationId, epoch: account.organizationTokenEpoch },
        ...{ scopes, amr: [], generation: deps.generation() },
        exchange: { origins: [], audience, accessTokenType: client.accessTokenType },
      }
      const settings = await deps.directory.settings()
      const made = newGrant({ random: deps.random, settings }, authorization, now)
      const event = identityAssertionEvent('identity_assertion.accept', account, {
        ...{ clientId: client.clientId, clientAddress },
        details: { issuer: assertion.issuer, scopes },
      })
      await begin(deps, made, { signedInAt, event }).catch((error: unknown) =>
        throwRefusal(error, client, account),
      )
      return issueTokens(deps, { client, scopes, cnf, longestSeconds: LONGEST_SECONDS, grant: made }, now)
    },
  })

/**
 * Stores the grant, by which the person sees and ends the access. An access that the person ended begins again by a later sign-in
 * alone, with a tolerance for the clock of the issuer.
 */
async function begin(
  { grants }: IdentityAssertionDeps,
  grantOfPerson: NewGrant,
  { signedInAt, event }: { readonly signedInAt: Date; readonly event: AuditEvent },
): Promise<void> {
  const { clientId, user } = grantOfPerson
  const provenAt = new Date(signedInAt.getTime() - MAKER_TOLERANCE_SECONDS * 1000)
  const outcome = await grants.begin(grantOfPerson, [event], [{ userId: user.id, clientId, provenAt }])
  if (outcome === 'ended_by_person')
    throw refused(
      'the person ended the access of the client, and has not signed in at the issuer since',
      'cross_app_access_ended',
    )
  if (outcome === 'ended') throw refused('the person or the client is not active', 'account_not_active')
}

interface Proven {
  readonly assertion: VerifiedAssertion
  readonly account: Account
  readonly tokenEpoch: number
  /** When the person signed in last, by the assertion or, where it does not say, here by the provider; 1970: never. */
  readonly signedInAt: Date
}

/** Proves the assertion and finds its person. Throws InvalidGrantError naming the rule that was broken. */
async function prove(deps: IdentityAssertionDeps, client: Client, text: string, now: Date): Promise<Proven> {
  const { issuer, findIssuerKeys, providerLinks: providers } = deps
  try {
    const assertion = await verifyIdentityAssertion(
      { issuer, findIssuerKeys, providers },
      text,
      client.clientId,
      now,
    )
    const { account, lastUsedAt, tokenEpoch } = await requirePerson(deps, client, assertion)
    return { assertion, account, tokenEpoch, signedInAt: assertion.signedInAt ?? lastUsedAt ?? new Date(0) }
  } catch (error) {
    return throwRefusal(error, client)
  }
}

function throwRefusal(error: unknown, { clientId }: Client, account?: Account): never {
  if (!(error instanceof AssertionRefusal)) throw error
  const { message, reason, cause } = error
  const values = { clientId, userId: account?.userId }
  throw new InvalidGrantError(`assertion is refused: ${message}`, { reason, values, cause })
}

/** The one person of the assertion in an organization whose application the client is. */
async function requirePerson(
  deps: IdentityAssertionDeps,
  client: Client,
  { claims, providers }: VerifiedAssertion,
): Promise<LinkedPerson> {
  const serves = await organizationsOf(deps.directory, client)
  const served = providers.filter(({ organizationId }) => serves(organizationId))
  const [person, ...others] = await findPeople(deps, served, claims)
  if (others.length > 0)
    throw refused('it is about people of several organizations that the client serves', 'cross_app_ambiguous')
  if (person === undefined)
    throw refused(
      'no person is linked to its subject at an identity provider of an organization that the client belongs to',
      'cross_app_person_unknown',
    )
  if (!person.account.active) throw refused('the person is not active', 'account_not_active')
  return person
}

interface LinkedPerson {
  readonly account: Account
  readonly lastUsedAt: Date | null
  /** The epoch read with the link. The account is read later: a link that ended between them gives no token. */
  readonly tokenEpoch: number
}

/** The people whom these providers know by the assertion, each once. */
async function findPeople(
  { directory, providerLinks }: IdentityAssertionDeps,
  providers: readonly AssertingProvider[],
  claims: Readonly<Record<string, unknown>>,
): Promise<readonly LinkedPerson[]> {
  const identities = providers.flatMap(({ providerId, subjectClaim }) => {
    const subject = claims[subjectClaim]
    const isSubject = typeof subject === 'string' && subject !== '' && !subject.includes('\0')
    return isSubject ? [{ providerId, subject }] : []
  })
  const links = identities.length === 0 ? [] : await providerLinks.find(identities)
  const people = await Promise.all(
    links.map(async ({ providerId, userId, lastUsedAt, tokenEpoch }) => {
      const account = await directory.account(userId)
      const provider = providers.find((one) => one.providerId === providerId)
      const isOfProvider = account?.organizationId === provider?.organizationId
      return account?.kind === 'human' && isOfProvider ? { account, lastUsedAt, tokenEpoch } : undefined
    }),
  )
  const found = people
    .filter((person) => person !== undefined)
    .sort((one, other) => (one.lastUsedAt?.getTime() ?? 0) - (other.lastUsedAt?.getTime() ?? 0))
  // Of several links of one person, that of the latest sign-in.
  return [...new Map(found.map((person) => [person.account.userId, person])).values()]
}

/** Tells of which organizations people use the client without a consent page, which this grant cannot show. */
async function organizationsOf(
  directory: Pick<DirectoryReader, 'grantedOrganizations'>,
  { clientId, organizationId, projectId, firstParty, isRegistered }: Client,
): Promise<(organizationId: string) => boolean> {
  if (firstParty) return () => true
  if (isRegistered || isClientIdUrl(clientId)) return () => false
  const granted = projectId === null ? undefined : await directory.grantedOrganizations(projectId)
  return (ofPerson) => ofPerson === organizationId || granted?.has(ofPerson) === true
}

interface Request extends Pick<Proven, 'assertion' | 'account'> {
  readonly client: Client
  readonly params: z.output<typeof params>
}

/**
 * The scopes of the assertion, or fewer that the request names, and the APIs that it names. Scopes that Signet does not know, and
 * those of a browser session, are left out; its own APIs are not reached this way.
 */
async function requireWithin(deps: IdentityAssertionDeps, { client, account, assertion, params }: Request) {
  const carried = parseScopeString(assertion.scope)
  const asked = params.scope === undefined ? carried : parseScopeString(params.scope)
  if (!asked.every((scope) => carried.includes(scope))) {
    throw new InvalidScopeError('scope may only name scopes of the assertion', {
      reason: 'cross_app_scope',
      values: { received: params.scope },
    })
  }
  const named = resourceUris(params.resource)
  const { resources } = assertion
  if (resources.length > 0 && !named.every((uri) => resources.includes(uri))) {
    throw new InvalidTargetError('resource may only name what the assertion names', {
      reason: 'cross_app_resource',
      values: { received: params.resource },
    })
  }
  const organization = {
    organizationId: account.organizationId,
    primaryDomain: account.organizationPrimaryDomain,
  }
  const scope = asked.filter((one) => isKnownScope(one) && !OF_SESSION.has(one)).join(' ')
  const resource = (named.length > 0 ? named : resources).join(' ')
  const { scopes, audience } = await requireNamed(deps, client, { scope, resource }, organization)
  if (audience.includes(API_PROJECT))
    throw new InvalidTargetError('the APIs of Signet take no access token for an identity assertion', {
      reason: 'cross_app_resource',
    })
  return { scopes, audience }
}
