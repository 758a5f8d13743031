// `FederationService` of proto/federation/v1: sign-ins by identity providers.

import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import {
  type AssertionSchema,
  type BeginRequest,
  type CompleteRequest,
  type CompleteTestRequest,
  FederationService,
  type RefusalSchema,
} from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { type RpcHandlers, type RpcService, rpcService } from '@signet/grpc/service'
import type { Assertion } from './conversation/assertion.ts'
import type { createBeginLogout } from './conversation/begin-logout.ts'
import type { Ending } from './conversation/complete.service.ts'
import type { Logout } from './conversation/logout-token.ts'
import { Refused } from './conversation/refusal.ts'
import type { Asserted, Beginning } from './conversation/way.ts'
import type { NamedPerson } from './ldap/password.service.ts'
import type { BroughtMessage, SingleLogout } from './saml/single-logout.ts'
import { shownClaims } from './shown-claims.ts'

type TypedPassword = NamedPerson & { readonly password: string }

interface FederationParts {
  readonly begin: (beginning: Beginning) => Promise<URL>
  /** Returns the metadata of Signet for a SAML provider. Rejects with RpcError NOT_FOUND for another one. */
  readonly writeMetadata: (providerId: string) => Promise<string>
  readonly findAttemptKey: (person: NamedPerson) => Promise<string>
  readonly verifyPassword: (person: TypedPassword) => Promise<Asserted>
  readonly complete: (ending: Ending) => Promise<Asserted>
  readonly beginLogout: ReturnType<typeof createBeginLogout>
  readonly singleLogout: Pick<SingleLogout, 'complete' | 'receive'>
  readonly readLogoutToken: (providerId: string, token: string) => Promise<Logout>
  /** Logs and counts how a step of a sign-in ended. */
  readonly report: (step: Step, providerId: string, refused: Refused | undefined) => void
}

/** A test counts as its own steps: an administrator tries what does not work yet. */
export type Step =
  | 'begin'
  | 'complete'
  | 'find'
  | 'password'
  | 'begin_test'
  | 'complete_test'
  | 'find_test'
  | 'password_test'
  | 'logout'
  | 'begin_logout'
  | 'complete_logout'

export function createFederationService(parts: FederationParts): RpcService {
  const { begin, complete, writeMetadata, findAttemptKey, verifyPassword, readLogoutToken, report } = parts
  const { beginLogout, singleLogout } = parts
  async function outcomeOf<T>(step: Step, providerId: string, run: () => Promise<T>) {
    try {
      const result = await run()
      report(step, providerId, undefined)
      return { result }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      report(step, providerId, error)
      const { rule, received, expected, temporary, declined, isCredential: wrongCredentials } = error
      return { refusal: { rule, received, expected, temporary, declined, wrongCredentials } }
    }
  }
  return rpcService(FederationService, {
    async begin(request) {
      const beginning = readBeginning(request)
      const step = beginning.isTest ? 'begin_test' : 'begin'
      const { result, refusal } = await outcomeOf(step, request.providerId, () => begin(beginning))
      return result === undefined ? { refusal } : { location: result.href }
    },
    async complete(request) {
      const { result, refusal } = await outcomeOf('complete', request.providerId, async () =>
        complete(readEnding(request, { isTest: false })),
      )
      return result === undefined ? { refusal } : { assertion: assertionMessage(result.assertion) }
    },
    async completeTest(request) {
      const { result, refusal } = await outcomeOf('complete_test', request.providerId, async () =>
        complete(readEnding(request, { isTest: true })),
      )
      return result === undefined ? { refusal } : testMessage(result)
    },
    async readLogoutToken({ providerId, logoutToken }) {
      requireProviderId(providerId)
      const { result, refusal } = await outcomeOf('logout', providerId, async () => {
        if (logoutToken.length > MOST_TOKEN_CHARACTERS) throw new Refused('logout_token_malformed')
        return readLogoutToken(providerId, logoutToken)
      })
      if (result === undefined) return { refusal }
      return { logout: logoutMessage(result) }
    },
    async beginLogout(request) {
      const { providerId } = request
      requireProviderId(providerId)
      requireState(request.state)
      const { result, refusal } = await outcomeOf('begin_logout', providerId, () => beginLogout(request))
      return { location: result?.href ?? '', ...(refusal && { refusal }) }
    },
    ...createSingleLogoutCalls(singleLogout, outcomeOf),
    async writeMetadata({ providerId }) {
      requireProviderId(providerId)
      return { metadata: await writeMetadata(providerId) }
    },
    async findPerson(request) {
      const person = readPerson(request)
      const step = request.test ? 'find_test' : 'find'
      const { result, refusal } = await outcomeOf(step, person.providerId, () => findAttemptKey(person))
      return result === undefined ? { refusal } : { attemptKey: result }
    },
    async verifyPassword(request) {
      const typed = readPassword(request)
      const { result, refusal } = await outcomeOf('password', typed.providerId, () => verifyPassword(typed))
      return result === undefined ? { refusal } : { assertion: assertionMessage(result.assertion) }
    },
    async testPassword(request) {
      const typed = readPassword(request)
      const verify = () => verifyPassword(typed)
      const { result, refusal } = await outcomeOf('password_test', typed.providerId, verify)
      return result === undefined ? { refusal } : testMessage(result)
    },
  })
}

/** Runs a step, and returns its result or the refusal, which is reported. */
type OutcomeOf = <T>(
  step: Step,
  providerId: string,
  run: () => Promise<T>,
) => Promise<{ readonly result?: T; readonly refusal?: MessageInitShape<typeof RefusalSchema> }>

/** The messages of a sign-out of SAML. */
function createSingleLogoutCalls(
  singleLogout: FederationParts['singleLogout'],
  outcomeOf: OutcomeOf,
): Pick<RpcHandlers<typeof FederationService>, 'completeLogout' | 'readLogoutRequest'> {
  return {
    async readLogoutRequest(request) {
      const { providerId } = request
      requireProviderId(providerId)
      const { result, refusal } = await outcomeOf('logout', providerId, async () =>
        singleLogout.receive(readMessage(request)),
      )
      if (result === undefined) return { refusal }
      const { logout, sessionIds, location } = result
      return { logout: logoutMessage(logout), sessionIds: [...sessionIds], location: location.href }
    },
    async completeLogout(request) {
      const { providerId } = request
      requireProviderId(providerId)
      const { refusal } = await outcomeOf('complete_logout', providerId, async () =>
        singleLogout.complete(readMessage(request)),
      )
      return refusal === undefined ? {} : { refusal }
    },
  }
}

/** 256 bits in base64url, or more of them. */
const STATE = /^[A-Za-z0-9_-]{43,200}$/
const BROWSER = /^[\x21-\x7e]{1,200}$/
const MOST_ID_CHARACTERS = 200

const MOST_PASSWORD_CHARACTERS = 1_000

function requireProviderId(providerId: string): void {
  if (providerId === '' || providerId.length > MOST_ID_CHARACTERS) {
    throw new RpcError('INVALID_ARGUMENT', 'provider_id: is required, with at most 200 characters')
  }
}

function readPerson({ providerId, organizationId, name }: NamedPerson): NamedPerson {
  requireProviderId(providerId)
  if (organizationId.length > MOST_ID_CHARACTERS)
    throw new RpcError('INVALID_ARGUMENT', 'organization_id: has at most 200 characters')
  return { providerId, organizationId, name }
}

function readPassword({ password, ...person }: TypedPassword): TypedPassword {
  if (password.length > MOST_PASSWORD_CHARACTERS)
    throw new RpcError('INVALID_ARGUMENT', 'password: has at most 1000 characters')
  return { ...readPerson(person), password }
}

function requireState(state: string): void {
  if (!STATE.test(state))
    throw new RpcError('INVALID_ARGUMENT', 'state: must be 43 to 200 characters of base64url')
}

function requireCommon({ providerId, state, browser }: BeginRequest | EndRequest): void {
  requireProviderId(providerId)
  requireState(state)
  if (!BROWSER.test(browser))
    throw new RpcError('INVALID_ARGUMENT', 'browser: must be 1 to 200 visible ASCII characters')
}

const MOST_SECONDS = 2 ** 31 - 1
const MOST_VALUES = 20

/** A hint is left out when it could not be one: the sign-in goes on without it. */
function readBeginning(request: BeginRequest): Beginning {
  requireCommon(request)
  const { providerId, organizationId, state, browser, loginHint, fresh, maxAgeSeconds } = request
  if (organizationId.length > MOST_ID_CHARACTERS) {
    throw new RpcError('INVALID_ARGUMENT', 'organization_id: has at most 200 characters')
  }
  if (maxAgeSeconds !== undefined && maxAgeSeconds < 0n) {
    throw new RpcError('INVALID_ARGUMENT', 'max_age_seconds: must not be negative')
  }
  return {
    ...{ providerId, organizationId, state, browser, fresh, isTest: request.test },
    loginHint: /^[^\p{Cc}\p{Cs}]{1,320}$/u.test(loginHint) ? loginHint : '',
    maxAge: maxAgeSeconds === undefined ? undefined : Math.min(Number(maxAgeSeconds), MOST_SECONDS),
    acrValues: request.acrValues.filter((value) => /^[\x21-\x7e]{1,200}$/.test(value)).slice(0, MOST_VALUES),
    uiLocales: request.uiLocales.filter((value) => /^[A-Za-z0-9-]{1,35}$/.test(value)).slice(0, MOST_VALUES),
  }
}

const MOST_PARAMETERS = 50
const MOST_TOKEN_CHARACTERS = 16_384
const MOST_PARAMETER_CHARACTERS = 10_000
/** 256 KiB in base64. */
const MOST_SAML_BYTES = 349_528

type EndRequest = CompleteRequest | CompleteTestRequest

function readEnding(request: EndRequest, { isTest }: Pick<Ending, 'isTest'>): Ending {
  requireCommon(request)
  const { providerId, state, browser, parameters, samlResponse } = request
  const isBounded =
    parameters.length <= MOST_PARAMETERS &&
    parameters.every(({ name, value }) => name.length + value.length <= MOST_PARAMETER_CHARACTERS)
  if (!isBounded) throw new RpcError('INVALID_ARGUMENT', 'parameters: too many or too long')
  if (samlResponse.length > MOST_SAML_BYTES) throw new Refused('response_too_large')
  const pairs = parameters.map(({ name, value }): [string, string] => [name, value])
  if (samlResponse.length > 0) pairs.push(['SAMLResponse', Buffer.from(samlResponse).toString('latin1')])
  return {
    ...{ providerId, state, browser, isTest },
    parameters: new URLSearchParams(pairs),
  }
}

/** A message of a sign-out has a few hundred characters. */
const MOST_MESSAGE_CHARACTERS = 65_536

function readMessage({ providerId, query, posted, relayState }: BroughtMessage): BroughtMessage {
  const isBounded = [query, posted, relayState].every(({ length }) => length <= MOST_MESSAGE_CHARACTERS)
  if (!isBounded) throw new Refused('logout_message_malformed', { received: 'too many characters' })
  return { providerId, query, posted, relayState }
}

function logoutMessage({ issuedAt, expiresAt, ...logout }: Logout) {
  return { ...logout, issuedAt: timestampFromDate(issuedAt), expiresAt: timestampFromDate(expiresAt) }
}

/** The outcome of a test. */
function testMessage({ assertion, documents }: Asserted) {
  return {
    assertion: assertionMessage(assertion),
    documents: documents.map(({ name, claims }) => ({ name, claims: shownClaims(claims) })),
  }
}

function assertionMessage(assertion: Assertion): MessageInitShape<typeof AssertionSchema> {
  const { authenticatedAt, amr, groups, ...members } = assertion
  return {
    ...members,
    ...{ amr: [...amr], groups: [...groups] },
    ...(authenticatedAt && { authenticatedAt: timestampFromDate(authenticatedAt) }),
  }
}
