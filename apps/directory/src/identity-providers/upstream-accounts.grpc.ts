import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import type { OwnChange } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import type { Assertion, Refusal } from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { accountMessage } from '../credentials/account-message.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import { ownSession, refusal } from '../own-account/live-session.ts'
import type { OwnLinks } from './own-links.service.ts'
import type { ProviderTests } from './provider-tests.ts'
import type { createResolveUpstream } from './resolve-upstream.ts'
import type { UpstreamAssertion } from './upstream-person.ts'

interface Dependencies {
  readonly attemptKeys: AttemptKeys
  readonly resolveUpstream: ReturnType<typeof createResolveUpstream>
  readonly ownLinks: OwnLinks
  readonly findByConsumerPath: (path: string) => Promise<string | undefined>
  readonly providerTests: ProviderTests
}

export function upstreamAccountService({
  attemptKeys,
  resolveUpstream,
  ownLinks,
  findByConsumerPath,
  providerTests,
}: Dependencies): RpcService {
  return rpcService(UpstreamAccountService, {
    async resolveUpstream({ assertion, organizationId, clientId, clientAddress, requestId, create }) {
      const outcome = await resolveUpstream({
        assertion: asserted(assertion),
        organizationId: organizationId || undefined,
        clientId: clientId || undefined,
        clientAddress: clientAddress || undefined,
        requestId: requestId || undefined,
        create,
      })
      if ('refusedRule' in outcome) return { refusedRule: outcome.refusedRule }
      if ('unlinked' in outcome) return { unlinked: outcome.unlinked }
      const { account, amr, factor, rolesOffered } = outcome
      return {
        account: accountMessage(account, attemptKeys),
        ...{ amr: [...amr], factor, noRolesOffered: !rolesOffered },
      }
    },
    async linkUpstream({ owner, assertion }) {
      return answer(await ownLinks.link(ownerOf(owner), asserted(assertion)))
    },
    async listOwnLinks({ userId }) {
      const links = await ownLinks.list(userId)
      return {
        links: links.map(({ id, providerId, providerName, displayName, createdAt, lastUsedAt, usable }) => ({
          ...{ linkId: id, providerId, providerName, displayName: displayName ?? '', usable },
          createdAt: timestampFromDate(createdAt),
          ...(lastUsedAt !== null && { lastUsedAt: timestampFromDate(lastUsedAt) }),
        })),
      }
    },
    async deleteOwnLink({ owner, linkId }) {
      return answer(await ownLinks.delete(ownerOf(owner), linkId))
    },
    async findConsumer({ path }) {
      const providerId = await findByConsumerPath(path)
      if (providerId === undefined) throw new RpcError('NOT_FOUND', 'no identity provider has this path')
      return { providerId }
    },
    async findProviderTest({ token }) {
      const { personId, ...found } = (await providerTests.find(token)) ?? noTest()
      return { ...found, userId: personId ?? '' }
    },
    async beginProviderTest({ token, state }) {
      if (state === '') throw new RpcError('INVALID_ARGUMENT', 'state is required')
      return (await providerTests.begin(token, state)) ? {} : noTest()
    },
    async finishProviderTest({ state, assertion, refusal, documents }) {
      const received =
        refusal === undefined
          ? { assertion: asserted(assertion), documents }
          : { refusal: shortRefusal(refusal) }
      return { result: JSON.stringify((await providerTests.finish(state, received)) ?? noTest()) }
    },
  })
}

function noTest(): never {
  throw new RpcError('NOT_FOUND', 'there is no such test')
}

const shortRefusal = ({ rule, received, expected, declined }: Refusal) => ({
  rule,
  received,
  expected,
  declined,
})

/** Throws FAILED_PRECONDITION for a session that has ended. */
function answer(outcome: 'done' | 'ended' | { readonly refusedRule: string }) {
  if (outcome === 'ended') throw refusal()
  return outcome === 'done' ? {} : outcome
}

function ownerOf(change: OwnChange | undefined) {
  const { clientAddress = '' } = change ?? {}
  return { ...ownSession(change), ...(clientAddress !== '' && { clientAddress }) }
}

function asserted(assertion: Assertion | undefined): UpstreamAssertion {
  if (assertion === undefined) throw new RpcError('INVALID_ARGUMENT', 'assertion is required')
  const { providerId, issuer, subject, amr, groups, profile } = assertion
  const claimedNames = { givenName: assertion.claimedGivenName, familyName: assertion.claimedFamilyName }
  const none = {
    ...{ userName: '', givenName: '', familyName: '', nickName: '', displayName: '', preferredLanguage: '' },
    ...{ email: '', emailVerified: false, phone: '' },
  }
  return { providerId, issuer, subject, amr, groups, profile: profile ?? none, claimedNames }
}
