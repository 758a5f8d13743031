// gRPC calls to the directory for sign-ins by identity providers: accounts, links and tests of administrators.
import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import {
  type Assertion,
  AssertionSchema,
  CompleteTestResponseSchema,
} from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { callService } from '../dependency.ts'
import type { LinkDirectory } from '../own-account/own-links.service.ts'
import type { StoredTests } from '../upstream/provider-tests.service.ts'
import type { UpstreamAccounts, UpstreamRefusal } from '../upstream/upstream.ts'
import { verifiedAccount } from './directory.ts'
import { changeMessage, inSession } from './own-call.ts'

/** Calls the directory for the tests of administrators. */
export function createStoredTests(accounts: RpcClient<typeof UpstreamAccountService>): StoredTests {
  const options = { timeoutMs: REPEATED_CALL_TIMEOUT_MS }
  return {
    async find(token) {
      const found = await unlessGone(() =>
        callService('directory', () => accounts.findProviderTest({ token }, options)),
      )
      return (
        found && { ...found, userId: found.userId || undefined, asksPassword: found.providerType === 'ldap' }
      )
    },
    begin: async (token, state) =>
      (await unlessGone(() =>
        callService('directory', () => accounts.beginProviderTest({ token, state }, options)),
      )) !== undefined,
    async finish(state, outcome) {
      const json = typeof outcome === 'string' ? outcome : outcomeOfRefusal(outcome)
      const { assertion, refusal, documents } = fromJsonString(CompleteTestResponseSchema, json)
      const message = {
        ...{ state, documents },
        ...(assertion && { assertion }),
        ...(refusal && { refusal }),
      }
      const stored = await unlessGone(() =>
        callService('directory', () => accounts.finishProviderTest(message, options)),
      )
      return stored?.result
    },
  }
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RpcError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** Calls the directory for the accounts of people whom a provider asserts. */
export function createUpstreamAccounts(accounts: RpcClient<typeof UpstreamAccountService>): UpstreamAccounts {
  return {
    async resolve({ assertion, organizationId = '', responseId = '', ...request }) {
      const read = readAssertion(assertion)
      const message = { ...request, assertion: read, organizationId, requestId: responseId }
      const answer = await callService('directory', () =>
        accounts.resolveUpstream(message, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
      )
      const { account, refusedRule, unlinked, amr, factor, noRolesOffered } = answer
      if (account !== undefined) {
        const authenticatedAt = read.authenticatedAt && timestampDate(read.authenticatedAt).getTime()
        const verified = verifiedAccount(account)
        const upstream = upstreamOf(read)
        return { kind: 'account', account: verified, amr, factor, noRolesOffered, authenticatedAt, upstream }
      }
      if (unlinked === undefined) return { kind: 'forbidden', rule: refusedRule }
      return { kind: 'unlinked', mayLink: unlinked.mayLink, mayCreate: unlinked.mayCreate }
    },
    async findByConsumer(path) {
      const found = await unlessGone(() =>
        callService('directory', () =>
          accounts.findConsumer({ path }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
        ),
      )
      return found?.providerId
    },
    async link(owner, assertion) {
      const message = { owner: changeMessage(owner), assertion: readAssertion(assertion) }
      const { refusedRule } = await inSession(() =>
        callService('directory', () =>
          accounts.linkUpstream(message, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
        ),
      )
      return refusedRule === '' ? undefined : refusedRule
    },
  }
}

/** Calls the directory for the links of the own account. */
export function createLinkDirectory(accounts: RpcClient<typeof UpstreamAccountService>): LinkDirectory {
  const options = { timeoutMs: REPEATED_CALL_TIMEOUT_MS }
  return {
    async list(userId) {
      const { links } = await callService('directory', () => accounts.listOwnLinks({ userId }, options))
      return links.map(({ linkId, providerName, displayName, createdAt, lastUsedAt, usable }) => ({
        ...{ id: linkId, providerName, displayName, usable },
        createdAt: createdAt === undefined ? new Date(0) : timestampDate(createdAt),
        lastUsedAt: lastUsedAt && timestampDate(lastUsedAt),
      }))
    },
    async delete(owner, linkId) {
      const message = { owner: changeMessage(owner), linkId }
      const { refusedRule } = await inSession(() =>
        callService('directory', () => accounts.deleteOwnLink(message, options)),
      )
      return refusedRule === '' ? undefined : refusedRule
    },
  }
}

function upstreamOf({ providerId, issuer, tokenSubject: subject, sessionId, nameIdFormat }: Assertion) {
  if (subject === '') return undefined
  const named = { ...(sessionId !== '' && { sessionId }), ...(nameIdFormat !== '' && { nameIdFormat }) }
  return { providerId, issuer, subject, ...named }
}

const readAssertion = (assertion: string) =>
  fromJsonString(AssertionSchema, assertion, { ignoreUnknownFields: true })

/** The answer of federation about a test that was refused before it. */
function outcomeOfRefusal(refusal: UpstreamRefusal): string {
  const message = create(CompleteTestResponseSchema, { refusal: refusalMessage(refusal) })
  return toJsonString(CompleteTestResponseSchema, message)
}

function refusalMessage({ kind, rule, sent: received = '', expected = '' }: UpstreamRefusal) {
  return { rule, received, expected, declined: kind === 'declined', temporary: kind === 'unavailable' }
}
