import type { FindIssuerKeys } from '@signet/client-auth/issuer-keys'
import {
  AssertionRefusal,
  claimedSigner,
  isSelfIssued,
  verifySignedAssertion,
} from '@signet/client-auth/signed-assertion'
import type { ReviewToken } from '@signet/client-auth/token-review'
import { verifyTrustedAssertion } from '@signet/client-auth/trusted-assertion'
import type { Account, ServiceUser } from '@signet/directory-reader/views'
import { InvalidGrantError } from '@signet/protocol/errors'
import { formatScopeString } from '@signet/protocol/scopes'
import { tokenTypeOf } from '@signet/tokens/access-token'
import { isUserIdentifier } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { type IssuanceDeps, issueAccessToken } from '../issuance/access-token.ts'
import { refuseDetails } from '../issuance/details.ts'
import { issueIdToken } from '../issuance/id-token.ts'
import { accessTokenOfServiceUser, tokenFormOfServiceUser } from '../issuance/issue-tokens.ts'
import { requireNamed } from '../issuance/scopes.ts'
import { type AssertionGrant, assertionGrant } from './grant.ts'

interface Deps extends IssuanceDeps {
  readonly issuer: string
  /** Values of `aud` that an assertion of a service user may carry. */
  readonly assertionAudiences: readonly string[]
  readonly findIssuerKeys: FindIssuerKeys
  readonly reviewToken: ReviewToken
}

const params = z.object({
  assertion: z.string('assertion is required').min(1, 'assertion is empty'),
  scope: z.string().optional(),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
  client_id: z.string().optional(),
})

/**
 * RFC 7523 section 2.1: a service user signs what it asks for, or presents an assertion of an issuer that it trusts and names
 * itself by `client_id`. The assertion may be used until it expires. An identity assertion is presented by a client.
 */
export const jwtBearerGrant = (deps: Deps, ofClient: AssertionGrant['ofClient']) =>
  assertionGrant({
    params,
    ofClient,
    async handle({ params, now, confirm }) {
      const { directory } = deps
      refuseDetails(params.authorization_details)
      const { account, serviceUser } = await requireSubject(deps, params, now)
      const cnf = await confirm()
      const organization = {
        organizationId: account.organizationId,
        primaryDomain: account.organizationPrimaryDomain,
      }
      const clientId = serviceUser.clientId ?? account.userId
      const { organizationId } = account
      const asker = {
        clientId,
        organizationId,
        kind: 'service_user',
        mayCallApi: false,
        projectId: null,
      } as const
      const { scopes, audience } = await requireNamed(deps, asker, params, organization)
      const form = tokenFormOfServiceUser(serviceUser, await directory.settings())
      const request = accessTokenOfServiceUser(account, { clientId, form, scopes, audience, cnf })
      const accessToken = await issueAccessToken(deps, request, now)
      const idToken = await issueIdToken(
        deps,
        {
          account,
          clientId,
          form,
          scopes,
          audience,
          accessToken: accessToken.value,
          epochs: { user: account.tokenEpoch, organization: account.organizationTokenEpoch },
          authentication: { auth_time: Math.floor(now.getTime() / 1000) },
        },
        now,
      )
      return {
        access_token: accessToken.value,
        token_type: tokenTypeOf(cnf),
        expires_in: accessToken.expiresInSeconds,
        scope: formatScopeString(scopes),
        id_token: idToken,
      }
    },
  })

interface Subject {
  readonly account: Account
  readonly serviceUser: ServiceUser
}

/** The active service user that the assertion proves. */
async function requireSubject(
  deps: Deps,
  { assertion, client_id: clientId }: z.output<typeof params>,
  now: Date,
): Promise<Subject> {
  const { directory } = deps
  // Anyone may make a service user whose id is the sub that an issuer gives to the workload of another.
  const mayBeOwn = clientId === undefined || isSelfIssued(assertion)
  const signer = mayBeOwn ? await findServiceUser(directory, claimedSigner(assertion)) : undefined
  const serviceUser = signer ?? (await findServiceUser(directory, clientId))
  if (serviceUser === undefined) {
    throw refused(
      'its sub is not the id of a service user, and neither is client_id, which names one that trusts the issuer',
      'assertion_subject',
    )
  }
  const verify = signer === undefined ? verifyOfTrustedIssuer : verifyOwn
  await verify(deps, assertion, serviceUser.userId, now).catch((error: unknown) => {
    if (!(error instanceof AssertionRefusal)) throw error
    throw refused(error.message, error.reason, { serviceUser, cause: error.cause })
  })
  const account = await directory.account(serviceUser.userId)
  if (account?.active) return { account, serviceUser }
  throw refused('the service user is not active', 'account_not_active', { serviceUser })
}

const findServiceUser = async (directory: Deps['directory'], id: string | undefined) =>
  isUserIdentifier(id) ? directory.serviceUser(id) : undefined

/** The service user signed the assertion. */
async function verifyOwn(
  { directory, assertionAudiences }: Deps,
  assertion: string,
  userId: string,
  now: Date,
): Promise<void> {
  const signer = { id: userId, keys: await directory.machineKeys(userId) }
  await verifySignedAssertion(assertion, signer, assertionAudiences, now)
}

/** The assertion is one of an issuer that the service user trusts. */
async function verifyOfTrustedIssuer(
  { directory, issuer: audience, findIssuerKeys, reviewToken }: Deps,
  assertion: string,
  userId: string,
  now: Date,
): Promise<void> {
  const trusts = await directory.issuerTrusts(userId)
  await verifyTrustedAssertion(assertion, { trusts, audience, findIssuerKeys, reviewToken, now })
}

interface RefusedAssertion {
  readonly serviceUser?: ServiceUser
  readonly cause?: unknown
}

function refused(
  rule: string,
  reason: string,
  { serviceUser, cause }: RefusedAssertion = {},
): InvalidGrantError {
  const values = { clientId: serviceUser?.clientId ?? undefined, userId: serviceUser?.userId }
  return new InvalidGrantError(`assertion is refused: ${rule}`, { reason, values, cause })
}
