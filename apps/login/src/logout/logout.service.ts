// Implements OIDC RP-Initiated Logout 1.0: checks the request, ends sessions and revokes their tokens.
import { InvalidRequestError } from '@signet/protocol/errors'
import { isRegisteredRedirectUri } from '@signet/protocol/redirect-uri'
import type { IdTokenHint, IdTokenHints, ReadIdTokenHint } from '../authorize/id-token-hint.ts'
import type { Client, FindClient } from '../authorize/oauth-client.ts'
import {
  END_SESSION_QUERY_LIMIT,
  type RequestParameters,
  STATE_LIMIT,
  UI_LOCALES_LIMIT,
} from '../authorize/parameters.ts'
import { isRedirectTarget, withQuery } from '../authorize/redirect.ts'
import type { Browser } from '../sessions/browser.ts'
import {
  type Administrator,
  type BrowserSession,
  type EndedSession,
  type EndSessions,
  endImpersonated,
} from '../sessions/browser-session.ts'
import type { BrowserSessions, OpenedSessions } from '../sessions/browser-sessions.ts'
import type { UserSessions } from '../sessions/user-sessions.ts'
import type { ProviderLogout, WayOut } from './provider-logout.ts'

export interface SignedOut extends WayOut {
  readonly kind: 'signed-out'
  /** The sessions that were ended. */
  readonly sids: readonly string[]
  /** Whether this browser has no session left, so that its session cookie can be deleted. */
  readonly browserIsEmpty: boolean
}

type LogoutOutcome = SignedOut | { readonly kind: 'confirm' }

/** The contents of the confirmation page. */
interface LogoutQuestion {
  /** Name of the application that asked. */
  readonly application: string | undefined
  /** The languages that the application prefers. */
  readonly uiLocales: string | undefined
  /** The request names a target, and neither the application nor an ID token, so the target is ignored. */
  readonly isNotReturned: boolean
}

/** The browser and the network address of a request. */
interface Requester {
  readonly browser: Browser
  readonly clientAddress: string
}

export interface LogoutFlow {
  /** The request with a short value in place of an ID token, so that it fits into an address. */
  readonly shortened: IdTokenHints['shortened']
  /**
   * Signs out at once when the hint names a session of this browser. Otherwise another site may have sent the request,
   * and the user has to confirm.
   */
  begin(parameters: RequestParameters, from: Requester): Promise<LogoutOutcome>
  /** Checks the request and returns the contents of the confirmation page. */
  question(parameters: RequestParameters): Promise<LogoutQuestion>
  /** Ends all sessions of this browser, and the session of the hint in any browser, after the user has confirmed. */
  confirm(parameters: RequestParameters, from: Requester): Promise<SignedOut>
}

interface LogoutFlowOptions extends Pick<LogoutFlow, 'shortened'> {
  readonly readRequest: ReadEndSessionRequest
  readonly sessions: BrowserSessions
  readonly endSessions: EndSessions
  readonly userSessions: Pick<UserSessions, 'endNamed'>
  readonly providerLogout: Pick<ProviderLogout, 'leave'>
}

interface EndedSessions {
  /** The browser of the request. */
  readonly opened: OpenedSessions
  /** The sessions of this browser that end. */
  readonly own: readonly BrowserSession[]
  /** A session of another browser, and the administrator whose it is. */
  readonly elsewhere?: (EndedSession & { readonly administrator?: Administrator }) | undefined
}

export function createLogoutFlow(options: LogoutFlowOptions): LogoutFlow {
  const { readRequest, shortened, sessions, endSessions, userSessions, providerLogout } = options

  /**
   * Revokes the tokens first: if that fails, the session is still there and the user can try again. If the removal
   * fails instead, the remaining record is refused because its session has ended. `elsewhere` is a session of another
   * browser; finding it costs one read for each browser of its user. Identity providers come last.
   */
  async function end(
    { browser, clientAddress }: Requester,
    { opened, own, elsewhere }: EndedSessions,
    target: string | undefined,
  ): Promise<SignedOut> {
    const sids = [...own, ...(elsewhere ? [elsewhere] : [])].map(({ sid }) => sid)
    const acting = own.filter(({ impersonation }) => impersonation !== undefined)
    const signedOut = own.filter(({ impersonation }) => impersonation === undefined)
    await endImpersonated(endSessions, acting, clientAddress)
    if (signedOut.length > 0) await endSessions(signedOut, { clientAddress })
    if (elsewhere !== undefined) await userSessions.endNamed({ ...elsewhere, clientAddress })
    const browserIsEmpty = await opened.remove(new Set(sids))
    const upstreams = own.flatMap(({ upstream }) => upstream ?? [])
    const providers = [...new Set(upstreams.map(({ providerId }) => providerId))]
    const named = upstreams.map(
      ({ providerId, subject, sessionId, nameIdFormat }) =>
        [providerId, { subject, sessionId, nameIdFormat }] as const,
    )
    // A browser has one session at a provider, also where several of its own began there.
    const names = Object.fromEntries(named)
    const wayOut = await providerLogout.leave(browser, { target, providers, names })
    return { kind: 'signed-out', ...wayOut, sids, browserIsEmpty }
  }

  const checkAndOpen = (parameters: RequestParameters, { browser }: Requester) =>
    Promise.all([readRequest(parameters), sessions.open(browser.sessionCookie)])

  return {
    shortened,
    async question(parameters) {
      const { client } = await readRequest(parameters)
      const namesNobody = !parameters.has('client_id') && !parameters.has('id_token_hint')
      return {
        application: client?.name,
        isNotReturned: namesNobody && parameters.has('post_logout_redirect_uri'),
        uiLocales: parameters.get('ui_locales')?.slice(0, UI_LOCALES_LIMIT),
      }
    },
    async begin(parameters, from) {
      const [{ hint, target }, opened] = await checkAndOpen(parameters, from)
      // The sessions of an administrator's impersonations end with the session of the administrator.
      const isNamed = ({ sid, impersonation }: BrowserSession) =>
        [sid, impersonation?.sid].includes(hint?.sid ?? '')
      const own = opened.sessions.filter(isNamed)
      return own.length > 0 ? end(from, { opened, own }, target) : { kind: 'confirm' }
    },
    async confirm(parameters, from) {
      const [{ hint, target }, opened] = await checkAndOpen(parameters, from)
      const own = opened.sessions
      const isElsewhere = hint?.sid !== undefined && !own.some(({ sid }) => sid === hint.sid)
      return end(
        from,
        { opened, own, elsewhere: isElsewhere ? elsewhereOf(hint, hint.sid) : undefined },
        target,
      )
    },
  }
}

/** The session of a hint. That of an impersonation ends in the name of its administrator. */
function elsewhereOf({ userId, administratorId }: IdTokenHint, sid: string): EndedSessions['elsewhere'] {
  if (administratorId === undefined) return { sid, userId }
  return { sid, userId, administrator: { userId: administratorId, kind: 'human' } }
}

// OIDC RP-Initiated Logout section 2.

const KNOWN_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales']

/**
 * Returns the known parameters of a sign-out request as the query of a URL. Throws InvalidRequestError when they are
 * ambiguous or too long.
 */
export function endSessionQuery(parameters: RequestParameters): string {
  refuseAmbiguous(parameters)
  const query = new URLSearchParams(parameters.pick(KNOWN_PARAMETERS)).toString()
  if (query.length <= END_SESSION_QUERY_LIMIT) return query
  throw new InvalidRequestError(
    `The parameters of a sign-out may have at most ${END_SESSION_QUERY_LIMIT} characters together.`,
    { reason: 'parameters_too_long' },
  )
}

function refuseAmbiguous({ repeated, withZeroCharacter }: RequestParameters): void {
  if (repeated.size > 0) {
    throw new InvalidRequestError('A parameter was sent more than once.', { reason: 'parameter_repeated' })
  }
  if (withZeroCharacter.size > 0) {
    throw new InvalidRequestError('A parameter holds a zero character.', {
      reason: 'parameter_zero_character',
    })
  }
}

/** A sign-out request that cannot be granted. The page of the refusal offers a sign-out without a redirect. */
export class SignOutRefusedError extends Error {
  override readonly name = 'SignOutRefusedError'
  readonly error: InvalidRequestError

  constructor(error: InvalidRequestError) {
    super(error.message, { cause: error })
    this.error = error
  }
}

/** Turns the refusal of a sign-out request into a SignOutRefusedError. */
export async function offerSignOut<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof InvalidRequestError ? new SignOutRefusedError(error) : error
  }
}

/** A sign-out request with valid parameters. */
interface EndSessionRequest {
  readonly hint: IdTokenHint | undefined
  readonly client: Client | undefined
  /** The URI after the sign-out, with `state`; undefined: the page of this service. */
  readonly target: string | undefined
}

/** Checks a sign-out request. Throws InvalidRequestError, which is shown without a redirect. */
type ReadEndSessionRequest = (parameters: RequestParameters) => Promise<EndSessionRequest>

export function createEndSessionRequests(
  findClient: FindClient,
  readIdTokenHint: ReadIdTokenHint,
): ReadEndSessionRequest {
  return async (parameters) => {
    refuseAmbiguous(parameters)
    const hint = await readHint(parameters.get('id_token_hint'), readIdTokenHint)
    const client = await readClient(parameters.get('client_id'), hint, findClient)
    return { hint, client, target: readTarget(parameters, client, hint) }
  }
}

async function readHint(token: string | undefined, read: ReadIdTokenHint): Promise<IdTokenHint | undefined> {
  if (token === undefined) return undefined
  const hint = await read(token)
  if (hint !== undefined) return hint
  throw new InvalidRequestError('id_token_hint is not an ID token of this service.', {
    reason: 'hint_invalid',
  })
}

async function readClient(
  clientId: string | undefined,
  hint: IdTokenHint | undefined,
  findClient: FindClient,
): Promise<Client | undefined> {
  if (clientId !== undefined && hint !== undefined && clientId !== hint.clientId) {
    throw new InvalidRequestError('client_id is not the application that id_token_hint was issued to.', {
      reason: 'client_mismatch',
      values: { clientId: hint.clientId, received: clientId },
    })
  }
  const id = clientId ?? hint?.clientId
  const client = id === undefined ? undefined : await findClient(id)
  if (client === undefined && clientId !== undefined) {
    throw new InvalidRequestError(
      'client_id is not the client id of an active application of this service. The id of an application is another value.',
      {
        reason: 'client_unknown',
        values: { received: clientId },
      },
    )
  }
  return client
}

function readTarget(
  parameters: RequestParameters,
  client: Client | undefined,
  hint: IdTokenHint | undefined,
): string | undefined {
  const uri = parameters.get('post_logout_redirect_uri')
  // Without a client there is no list of registered URIs, so the parameter is ignored.
  if (uri === undefined || (client === undefined && hint === undefined)) return undefined
  const registered = client?.postLogoutRedirectUris ?? []
  const portRule = client?.portRule ?? 'registered'
  if (!isRedirectTarget(uri) || !isRegisteredRedirectUri(uri, registered, portRule)) {
    const rule = 'post_logout_redirect_uri is not among the postLogoutRedirectUris of this application.'
    throw new InvalidRequestError(rule, {
      reason: 'post_logout_redirect_uri_unregistered',
      values: { clientId: client?.clientId, received: uri, registered, devMode: client?.devMode },
    })
  }
  const state = parameters.get('state')
  if (state !== undefined && state.length > STATE_LIMIT) {
    throw new InvalidRequestError(`state may have at most ${STATE_LIMIT} characters.`, {
      reason: 'state_too_long',
    })
  }
  return withQuery(uri, state === undefined ? {} : { state })
}
