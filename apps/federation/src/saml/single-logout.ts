// Single logout with SAML providers (Profiles section 4.4): a sign-out here goes on at the provider and comes back, and one that begins at
// the provider ends sessions here.
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { singleLogoutService } from '@signet/protocol/identity-provider-callback'
import type { Logout } from '../conversation/logout-token.ts'
import type { AtPlace } from '../conversation/places.ts'
import type { FindProvider, Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import type { RequestStore } from '../conversation/request.repository.ts'
import { hashOfState, type RequestSealer } from '../conversation/sealed-request.ts'
import {
  logoutRequestXml,
  logoutResponseXml,
  parseSigned,
  readLogoutRequest,
  requireLogoutResponse,
  type SignedIn,
  verifyEnveloped,
} from './logout-messages.ts'
import { type MessageName, messageInForm, messageInQuery, redirectWith } from './redirect-binding.ts'
import { keysOf, signingKey } from './saml-keys.ts'

interface SingleLogoutParts {
  readonly issuer: string
  readonly findProvider: FindProvider
  readonly atPlace: AtPlace
  readonly requests: Pick<RequestStore, 'add' | 'take'>
  readonly sealer: RequestSealer
  readonly now: Clock
  readonly random: RandomBytes
  /** Most requests of one provider that are stored. */
  readonly mostRequests: number
}

/** A message as the browser brought it. */
export interface BroughtMessage {
  readonly providerId: string
  /** The query of the address, byte by byte; empty for a form. */
  readonly query: string
  /** The message of a form, and its RelayState; empty for a query. */
  readonly posted: string
  readonly relayState: string
}

/** A verified request of a provider to sign a person out. */
export interface ReceivedLogout {
  readonly logout: Logout
  /** The sessions that it names. Empty: all of the person. */
  readonly sessionIds: readonly string[]
  /** The address of the provider with the signed answer, for the browser when the sessions have ended. */
  readonly location: URL
}

const ID_BYTES = 32
/** Lifetime of a sign-out, which is that of the way on that login keeps. */
const REQUEST_SECONDS = 600
const MOST_RELAY_STATE_CHARACTERS = 1_000
/** A sign-out has no browser of its own: login keeps under its browser where that one goes on. */
const NO_BROWSER = 'logout'

export function createSingleLogout(parts: SingleLogoutParts) {
  const { issuer, findProvider, atPlace, requests, sealer, now, random } = parts
  const newId = () => `_${random(ID_BYTES).toString('hex')}`

  const expectedOf = (provider: Provider) => ({
    ...{ issuer: provider.issuer, audience: provider.clientId, now: now() },
    destination: singleLogoutService(issuer, provider.id),
  })

  return {
    /** Returns where the browser of a person who has signed out here goes on at a provider; undefined without a name of the person. */
    async begin(provider: Provider, state: string, signedIn: SignedIn): Promise<URL | undefined> {
      const { id: providerId, clientId: entityId, sloUrl } = provider
      if (sloUrl === '' || signedIn.nameId === '') return undefined
      const id = newId()
      const at = now()
      const stateHash = hashOfState(state)
      const xml = logoutRequestXml({ id, at, destination: sloUrl, entityId, ...signedIn })
      const location = redirectWith(sloUrl, {
        ...({ name: 'SAMLRequest', xml, relayState: state, key: signingKey(provider) } as const),
      })
      const secrets = { nonce: id, codeVerifier: '', issuer: provider.issuer, clientId: entityId }
      const isAdded = await requests.add(
        {
          ...{ stateHash, providerId, organizationId: '', browser: NO_BROWSER },
          sealed: sealer.seal({ ...secrets, isLogout: true }, stateHash),
          expiresAt: new Date(at.getTime() + REQUEST_SECONDS * 1_000),
        },
        { most: parts.mostRequests, now: at },
      )
      if (!isAdded) {
        const expected = `at most ${parts.mostRequests}`
        throw new Refused('too_many_requests', { expected, temporary: true })
      }
      return location
    },

    /** Ends a sign-out that went on at the provider. Its answer counts once. Throws Refused. */
    complete(brought: BroughtMessage): Promise<void> {
      return atPlace(brought.providerId, async () => {
        const provider = await findSamlProvider(findProvider, brought.providerId)
        const { message, relayState = '' } = verified(provider, 'SAMLResponse', brought)
        // Taken after the signature: a page that anyone makes ends no sign-out of another person.
        const stateHash = hashOfState(relayState)
        const request = await requests.take(stateHash)
        if (request === undefined) throw new Refused('request_unknown')
        if (request.expiresAt <= now()) throw new Refused('request_expired')
        if (request.providerId !== provider.id) throw new Refused('provider_differs')
        const secrets = sealer.open(request.sealed, stateHash)
        if (secrets.isLogout !== true) throw new Refused('purpose_differs')
        requireLogoutResponse(message, secrets.nonce, expectedOf(provider))
      })
    },

    /** Verifies a request of a provider. Whether it came before is for the caller. Throws Refused. */
    receive(brought: BroughtMessage): Promise<ReceivedLogout> {
      return atPlace(brought.providerId, async () => {
        const provider = await findSamlProvider(findProvider, brought.providerId)
        if (!provider.backchannelLogout || provider.sloUrl === '') throw new Refused('logout_not_enabled')
        const { message, relayState } = verified(provider, 'SAMLRequest', brought)
        const { nameId, sessionIndexes, ...request } = readLogoutRequest(message, expectedOf(provider))
        if (relayState !== undefined && relayState.length > MOST_RELAY_STATE_CHARACTERS) {
          throw new Refused('logout_message_malformed', { received: 'RelayState' })
        }
        const { id: inResponseTo, issuedAt, expiresAt } = request
        const named = { issuer: provider.issuer, subject: nameId, sessionId: sessionIndexes[0] ?? '' }
        return {
          logout: { ...named, tokenId: inResponseTo, issuedAt, expiresAt },
          sessionIds: sessionIndexes,
          location: answerTo(provider, relayState, { inResponseTo, id: newId(), at: now() }),
        }
      })
    },
  }
}

export type SingleLogout = ReturnType<typeof createSingleLogout>

/** The message of a query or a form, after its signature was verified. Throws Refused. */
function verified(provider: Provider, name: MessageName, { query, posted, relayState }: BroughtMessage) {
  const keys = keysOf(provider)
  const isForm = posted !== ''
  const received = isForm
    ? messageInForm(posted, relayState === '' ? undefined : relayState)
    : messageInQuery(query, name, keys)
  const message = isForm ? verifyEnveloped(received.xml, keys) : parseSigned(received.xml)
  return { message, relayState: received.relayState }
}

/** The address of a provider with the signed answer to its request. */
function answerTo(
  provider: Provider,
  relayState: string | undefined,
  answer: { readonly inResponseTo: string; readonly id: string; readonly at: Date },
): URL {
  const { sloUrl, clientId: entityId } = provider
  const xml = logoutResponseXml({ ...answer, destination: sloUrl, entityId })
  return redirectWith(sloUrl, { name: 'SAMLResponse', xml, relayState, key: signingKey(provider) })
}

/** Finds a provider of SAML. Throws Refused. */
async function findSamlProvider(findProvider: FindProvider, providerId: string): Promise<Provider> {
  const provider = await findProvider(providerId, '')
  if (provider.type === 'saml') return provider
  throw new Refused('provider_type_differs', { received: provider.type, expected: 'saml' })
}
