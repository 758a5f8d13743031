import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import {
  type AssertionSchema,
  type BeginRequestSchema,
  type CompleteRequestSchema,
  type CompleteTestRequestSchema,
  FederationService,
  type FindPersonRequestSchema,
  type LogoutSchema,
  type RefusalSchema,
  type TestPasswordRequestSchema,
  type VerifyPasswordRequestSchema,
} from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'

type Answer =
  | { readonly assertion: MessageInitShape<typeof AssertionSchema> }
  | { readonly refusal: MessageInitShape<typeof RefusalSchema> }

/** The organization of each user of the fakes. */
const ORGANIZATION_OF: Readonly<Record<string, string>> = {
  user1: 'acme',
  totpuser: 'acme',
  globex1: 'globex',
  corp1: 'corporate',
}

/** The fakes of federation and of the accounts of people whom a provider asserts, with the calls that they have got. */
export class FakeUpstream {
  readonly begun: MessageShape<typeof BeginRequestSchema>[] = []
  readonly completed: MessageShape<typeof CompleteRequestSchema | typeof CompleteTestRequestSchema>[] = []
  readonly found: MessageShape<typeof FindPersonRequestSchema>[] = []
  readonly verified: MessageShape<typeof VerifyPasswordRequestSchema | typeof TestPasswordRequestSchema>[] =
    []
  /** Refuses searches in a directory. */
  findRefusal: MessageInitShape<typeof RefusalSchema> | undefined
  /** Answers by the name and the password; all others are wrong. */
  readonly passwords = new Map<string, Answer>()
  /** Refuses the next sign-ins before the browser leaves. */
  beginRefusal: MessageInitShape<typeof RefusalSchema> | undefined
  /** Answers by the `code` of the redirect URI. */
  readonly answers = new Map<string, Answer>()
  /** The accounts of the subjects. */
  readonly links = new Map<string, string>()
  /** Providers by the paths of other products. */
  readonly consumers = new Map<string, string>()
  askedConsumers = 0
  /** Subjects that are refused, with the rule. */
  readonly refused = new Map<string, string>()
  unlinked = { mayLink: true, mayCreate: true }
  linkRefusal = ''
  deletionRefusal = ''
  /** Methods of the provider that count. */
  amr: string[] = []
  secondFactorRequired = false
  readonly created: string[] = []
  isAway = false
  /** Whether the provider signs people in. */
  isUsable = true
  /** Whether the parameters of an answer are too many. */
  isStrict = false
  /** The next logout tokens say this. */
  logout: MessageInitShape<typeof LogoutSchema> = {}
  /** Providers that a sign-out goes on at. */
  readonly logoutProviders = new Set<string>()
  readonly logoutStates: string[] = []
  /** The names of the sessions of sign-outs that went on. */
  readonly logoutNames: object[] = []
  /** Messages of a sign-out of SAML, as they came. */
  readonly logoutMessages: string[] = []
  logoutSessionIds: string[] = []
  beginLogoutRefusal: MessageInitShape<typeof RefusalSchema> | undefined
  logoutRefusal: MessageInitShape<typeof RefusalSchema> | undefined
  /** Tests by the secret of their link, with the person who made it. */
  readonly tests = new Map<string, string>()
  /** States of tests that have begun. */
  readonly testStates = new Set<string>()
  testedType = 'oidc'
  /** The outcome of a test in which the provider asserts a person. */
  testOutcome = 'creates'
  /** Results of tests. */
  readonly finished: object[] = []
  readonly #epochs: { readonly user: bigint; readonly organization: bigint }

  constructor(epochs: { readonly user: bigint; readonly organization: bigint }) {
    this.#epochs = epochs
  }

  /** Forgets the calls and the answers. */
  reset(): void {
    const lists = [this.begun, this.completed, this.created, this.found, this.verified, this.finished]
    for (const list of lists) list.length = 0
    for (const known of [this.answers, this.links, this.refused, this.passwords]) known.clear()
    for (const known of [this.tests, this.testStates]) known.clear()
    this.findRefusal = undefined
    this.beginRefusal = undefined
    this.unlinked = { mayLink: true, mayCreate: true }
    this.linkRefusal = ''
    this.logoutRefusal = undefined
    this.logoutProviders.clear()
    this.logoutStates.length = 0
    this.logoutNames.length = 0
    this.logoutMessages.length = 0
    this.logoutSessionIds = []
    this.beginLogoutRefusal = undefined
    this.deletionRefusal = ''
    this.testOutcome = 'creates'
    this.testedType = 'oidc'
    this.amr = []
    this.secondFactorRequired = false
    this.isAway = false
    this.consumers.clear()
    this.isUsable = true
    this.isStrict = false
  }

  federation(): RpcService {
    return rpcService(FederationService, {
      begin: async (request) => {
        this.#requirePresent()
        this.begun.push(request)
        if (this.beginRefusal !== undefined) return { refusal: this.beginRefusal }
        return { location: `https://idp.localhost/authorize?state=${encodeURIComponent(request.state)}` }
      },
      writeMetadata: async ({ providerId }) => {
        this.#requirePresent()
        if (providerId !== 'corp') throw new RpcError('NOT_FOUND', 'there is no SAML provider with this id')
        return { metadata: '<md:EntityDescriptor/>' }
      },
      findPerson: async (request) => {
        this.#requirePresent()
        this.found.push(request)
        if (this.findRefusal !== undefined) return { refusal: this.findRefusal }
        // As federation does: all names of an entry have one key.
        return { attemptKey: request.name.trim().toLowerCase().replace(/@.*/, '') }
      },
      verifyPassword: async (request) => {
        this.#requirePresent()
        this.verified.push(request)
        const wrong = { refusal: { rule: 'password_wrong', wrongCredentials: true } }
        return this.passwords.get(`${request.name} ${request.password}`) ?? wrong
      },
      testPassword: async (request) => {
        this.#requirePresent()
        this.verified.push(request)
        const wrong = { refusal: { rule: 'password_wrong', wrongCredentials: true } }
        const answer = this.passwords.get(`${request.name} ${request.password}`) ?? wrong
        return { ...answer, documents: [{ name: 'ldap_entry', claims: '{}' }] }
      },
      beginLogout: async ({ providerId, state, ...names }) => {
        this.#requirePresent()
        if (this.beginLogoutRefusal !== undefined) return { refusal: this.beginLogoutRefusal }
        this.logoutStates.push(state)
        this.logoutNames.push(names)
        return this.logoutProviders.has(providerId)
          ? { location: `https://${providerId}.localhost/out?${new URLSearchParams({ state })}` }
          : {}
      },
      readLogoutRequest: async ({ query, posted }) => {
        this.#requirePresent()
        this.logoutMessages.push(query || posted)
        if (this.logoutRefusal !== undefined) return { refusal: this.logoutRefusal }
        const { logout, logoutSessionIds: sessionIds } = this
        return { logout, sessionIds, location: 'https://idp.localhost/slo?SAMLResponse=signed' }
      },
      completeLogout: async ({ query, posted }) => {
        this.#requirePresent()
        this.logoutMessages.push(query || posted)
        return this.logoutRefusal === undefined ? {} : { refusal: this.logoutRefusal }
      },
      readLogoutToken: async ({ logoutToken }) => {
        this.#requirePresent()
        if (logoutToken === '') return { refusal: { rule: 'logout_token_malformed' } }
        return this.logoutRefusal === undefined ? { logout: this.logout } : { refusal: this.logoutRefusal }
      },
      completeTest: async (request) => this.#complete(request, { test: true }),
      complete: async (request) => this.#complete(request, { test: false }),
    })
  }

  async #complete(
    request: MessageShape<typeof CompleteRequestSchema | typeof CompleteTestRequestSchema>,
    { test }: { readonly test: boolean },
  ) {
    this.#requirePresent()
    this.completed.push(request)
    if (this.isStrict) throw new RpcError('INVALID_ARGUMENT', 'parameters: too many or too long')
    const code =
      request.parameters.find(({ name }) => name === 'code')?.value ??
      Buffer.from(request.samlResponse).toString()
    // As federation does: the state of another browser, or one that was used, is unknown.
    const begun = this.begun.findIndex(
      ({ state, browser, providerId, test: isTest }) =>
        isTest === test &&
        state === request.state &&
        browser === request.browser &&
        providerId === request.providerId,
    )
    if (begun < 0) return { refusal: { rule: 'state_unknown' } }
    this.begun.splice(begun, 1)
    return this.answers.get(code) ?? { refusal: { rule: 'token_request_failed' } }
  }

  accounts(): RpcService {
    const linksOf = (userId: string) => [...this.links].filter(([, owner]) => owner === userId)
    return rpcService(UpstreamAccountService, {
      resolveUpstream: async ({ assertion, create }) => {
        const subject = assertion?.subject ?? ''
        const refusedRule = this.refused.get(subject)
        if (refusedRule !== undefined) return { refusedRule }
        if (create) {
          this.created.push(subject)
          this.links.set(subject, 'user1')
        }
        const userId = this.links.get(subject)
        if (userId === undefined) return { unlinked: this.unlinked }
        const { user: userEpoch, organization: organizationEpoch } = this.#epochs
        const organizationId = ORGANIZATION_OF[userId] ?? ''
        const { secondFactorRequired } = this
        return {
          account: { userId, organizationId, userEpoch, organizationEpoch, secondFactorRequired },
          ...{ amr: this.amr, factor: `link:${subject}`, noRolesOffered: true },
        }
      },
      linkUpstream: async ({ owner, assertion }) => {
        if (owner?.userEpoch !== this.#epochs.user) throw new RpcError('FAILED_PRECONDITION', 'ended')
        if (this.linkRefusal === '') this.links.set(assertion?.subject ?? '', owner.userId)
        return { refusedRule: this.linkRefusal }
      },
      listOwnLinks: async ({ userId }) => ({
        links: linksOf(userId).map(([subject]) => ({
          ...{ linkId: subject, providerId: 'corp', providerName: 'Corp "ID"' },
          displayName: `${subject}@corp.localhost`,
          usable: this.isUsable,
          createdAt: { seconds: 1_700_000_000n },
        })),
      }),
      deleteOwnLink: async ({ linkId }) => {
        if (this.deletionRefusal === '') this.links.delete(linkId)
        return { refusedRule: this.deletionRefusal }
      },
      findConsumer: async ({ path }) => {
        this.askedConsumers += 1
        if (this.isAway) throw new RpcError('UNAVAILABLE', 'directory is not running')
        const providerId = this.consumers.get(path)
        if (providerId === undefined) throw new RpcError('NOT_FOUND', 'no identity provider has this path')
        return { providerId }
      },
      findProviderTest: async ({ token }) => {
        const userId = this.tests.get(token)
        if (userId === undefined) throw new RpcError('NOT_FOUND', 'there is no such test')
        const { testedType: providerType } = this
        return { providerId: 'corp', providerName: 'Corp "ID"', organizationId: 'acme', userId, providerType }
      },
      beginProviderTest: async ({ token, state }) => {
        if (!this.tests.delete(token)) throw new RpcError('NOT_FOUND', 'there is no such test')
        this.testStates.add(state)
        return {}
      },
      finishProviderTest: async ({ state, assertion, refusal }) => {
        if (!this.testStates.delete(state)) throw new RpcError('NOT_FOUND', 'there is no such test')
        const result =
          refusal === undefined
            ? { outcome: this.testOutcome, subject: assertion?.subject }
            : { outcome: 'provider_refused', refusedBy: { rule: refusal.rule } }
        this.finished.push(result)
        return { result: JSON.stringify(result) }
      },
    })
  }

  #requirePresent(): void {
    if (this.isAway) throw new RpcError('UNAVAILABLE', 'federation is not running')
  }
}

/** The answer of a provider about a person. */
export const asserted = (subject: string, authenticatedAt?: Date): Answer => ({
  assertion: {
    ...(authenticatedAt && { authenticatedAt: timestampFromDate(authenticatedAt) }),
    ...{ providerId: 'corp', issuer: 'https://idp.localhost', subject },
    profile: { email: `${subject}@corp.localhost`, emailVerified: true },
  },
})
