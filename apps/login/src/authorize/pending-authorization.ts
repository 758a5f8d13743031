// An authorization request that waits while a user signs in, and the limits on its storage.

import { addressBlock, createLeakyBucket } from '@signet/http/rate-limit'
import type { Clock } from '@signet/platform/runtime/clock'
import { DEVICE_LIFETIME_SECONDS } from '@signet/protocol/device-authorization'
import { RateLimitedError } from '@signet/protocol/errors'
import { keyspaces } from '../keyspaces.ts'
import type { SignInProof } from '../sessions/sign-in-proof.ts'

/** A load of the `request_uri` of a pushed request in a browser; of several, one gets the response. */
export interface Opening {
  readonly handle: string
  /** A random value of this opening. */
  readonly claimant: string
}

/** The request of a device (RFC 8628), as the browser of the person who entered its code holds it. */
export interface DeviceReference {
  /** SHA-256 of the device code. */
  readonly handle: string
  /** Stands for the code that the person entered. */
  readonly codeId: string
  /** Network address of the device. */
  readonly clientAddress: string
  /** When the device began it, in Unix milliseconds. */
  readonly startedAt: number
  /** Network address of the browser in which the code was entered. */
  readonly enteredFrom: string
}

/** A person whom an identity provider asserts, and who has no account with a link. */
export interface UpstreamPerson {
  readonly providerId: string
  readonly providerName: string
  /** Name or address of the account at the provider, for the person. */
  readonly account: string
  /** The assertion of the provider, which the directory reads. */
  readonly assertion: string
  /** Unix milliseconds. */
  readonly assertedAt: number
  /** The provider allows the link to an account that exists. */
  readonly mayLink: boolean
  /** The provider allows a new account. */
  readonly mayCreate: boolean
}

/** The reason for which a sign-in by an identity provider did not happen, for the sign-in page. */
export interface UpstreamProblem {
  readonly outcome: 'declined' | 'refused' | 'switchedOff' | 'unavailable' | 'forbidden'
  readonly providerId: string
  /** X-Request-Id of the response: administrators find the rule by it. */
  readonly responseId: string
}

/** The steps that the user has completed for one request. */
export interface Progress {
  /** The session that the user signed in to for this request. */
  readonly signedInSid?: string | undefined
  /** The session that the user chose among the sessions of this browser. */
  readonly chosenSid?: string | undefined
  /** The session whose user allowed the scopes of this request. */
  readonly consentedSid?: string | undefined
  /** The proven factors of a sign-in that needs further steps. Stored under this name by earlier releases. */
  readonly passwordProof?: SignInProof | undefined
  /** The directory offers the user of this sign-in no roles. Not stored. */
  readonly noRolesOffered?: boolean | undefined
  /** A form answered the request, and may be sent again until this time in Unix milliseconds. Not stored here. */
  readonly answeredUntil?: number | undefined
  /** The login name of the first of two pages. */
  readonly typedName?: string | undefined
  /** The person of an identity provider who has no account yet. */
  readonly upstream?: UpstreamPerson | undefined
  /** The problem of the last sign-in by an identity provider. */
  readonly upstreamProblem?: UpstreamProblem | undefined
  /** The opening of the pushed request that this one is; undefined for a request whose parameters came through the browser. */
  readonly opening?: Opening | undefined
  /** The device that gets the response; undefined for a request whose response goes to a redirect URI. */
  readonly device?: DeviceReference | undefined
}

/** The application of an answered request, for the page of a person who goes back to it. */
export interface FinishedRequest {
  readonly application: string
  readonly url: string
}

export interface PendingAuthorization extends Progress {
  readonly browserHash: string
  /** Parameters as the client sent them; they are checked again when the request continues. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Stores pending requests, each bound to one browser. */
export interface PendingAuthorizations {
  create(requestId: string, pending: PendingAuthorization): Promise<void>
  /**
   * Returns undefined when the request has expired, is finished, or belongs to another browser. `sentAgain`: a form that is sent
   * twice gets a response each time, so a request that a form answered seconds ago is not finished.
   */
  load(
    requestId: string | undefined,
    browserId: string | undefined,
    options?: { readonly sentAgain?: boolean },
  ): Promise<PendingAuthorization | undefined>
  /**
   * Changes a request of this browser without extending its lifetime, and returns false when there is none. Calls
   * `change` again with the new request after a concurrent write.
   */
  change(
    requestId: string,
    browserId: string | undefined,
    change: (pending: PendingAuthorization) => PendingAuthorization,
  ): Promise<boolean>
  /**
   * Ends the request; until its lifetime is over, `finished` returns what is left of it. Of concurrent calls exactly one
   * returns true; with the parameters of a request that a form answers, each call within seconds of the first does.
   */
  finish(
    requestId: string,
    browserId: string,
    left: FinishedRequest | undefined,
    answered?: Pick<PendingAuthorization, 'parameters' | 'answeredUntil'>,
  ): Promise<boolean>
  /** Undefined for a request that is not finished, or of another browser. */
  finished(requestId: string, browserId: string): Promise<FinishedRequest | undefined>
}

/** Carries the parameters of a cross-site POST, which sends no cookie, to a GET, which sends cookies. */
export interface PostedParameters {
  /** Returns the handle of the stored parameters. */
  store(parameters: Readonly<Record<string, string>>): Promise<string>
  /** Returns and deletes the parameters of a handle. */
  take(handle: string): Promise<Readonly<Record<string, string>> | undefined>
}

/** Counts the bytes stored for an anonymous caller. Throws RateLimitedError above the limit. */
export type CountStored = (clientAddress: string, stored: unknown) => void

const MEBIBYTE = 1024 * 1024
/** Redis key and bookkeeping of one record. */
const RECORD_BYTES = 200

interface ByteLimit {
  readonly bytes: number
  /** The lifetime of a record, over which the limit recovers. */
  readonly windowMs: number
  readonly refusal: string
}

/** Limits the bytes that each holder stores: so many at once, and as many more spread over each window. */
function createByteLimit({ bytes: most, windowMs, refusal }: ByteLimit, now: Clock) {
  const bucket = createLeakyBucket(most, () => now().getTime(), windowMs)
  return (holder: string, stored: unknown) => {
    const bytes = Buffer.byteLength(JSON.stringify(stored)) + RECORD_BYTES
    const retryAfterSeconds = bucket.waitSeconds(holder, bytes)
    if (retryAfterSeconds > 0)
      throw new RateLimitedError(refusal, { reason: 'storage_limited', retryAfterSeconds })
    bucket.fill(holder, bytes)
  }
}

/**
 * Limits the bytes that one network stores before its users sign in: 4 MiB at once, and 4 MiB more spread over each half
 * hour. Redis therefore holds at most 8 MiB of one network for each replica. At 600 bytes a request, one network starts
 * 7,000 sign-ins at once and four a second after that.
 */
export function createStorageLimit(now: Clock): CountStored {
  const count = createByteLimit(
    {
      bytes: 4 * MEBIBYTE,
      windowMs: 30 * 60_000,
      refusal: 'Too many sign-ins were begun from this network address. Try again later.',
    },
    now,
  )
  return (clientAddress, stored) => count(addressBlock(clientAddress), stored)
}

/**
 * Limits the responses of identity providers that one network posts, each of which is stored until the redirect that follows: 4 MiB at
 * once, and 4 MiB more spread over each two minutes. A page of any site can make a browser post them, so that they use up nothing of
 * the limit of sign-ins.
 */
export function createPostedLimit(now: Clock): CountStored {
  const count = createByteLimit(
    {
      bytes: 4 * MEBIBYTE,
      windowMs: keyspaces.postedParameters.ttlSeconds * 1_000,
      refusal: 'Too many responses of identity providers came from this network address. Try again later.',
    },
    now,
  )
  return (clientAddress, stored) => count(addressBlock(clientAddress), stored)
}

/** Sign-ins by identity providers that one network begins at once; as many more are spread over ten minutes. */
const MOST_BEGUN = 1_000
/** How long federation keeps one that is not completed. */
const BEGUN_MS = 10 * 60_000

/**
 * Limits the sign-ins by identity providers that one network begins: federation stores 10,000 of one provider, and one network must
 * not take all of them. Throws RateLimitedError.
 */
export function createBeginLimit(now: Clock): (clientAddress: string) => void {
  const bucket = createLeakyBucket(MOST_BEGUN, () => now().getTime(), BEGUN_MS)
  return (clientAddress) => {
    const network = addressBlock(clientAddress)
    const retryAfterSeconds = bucket.waitSeconds(network, 1)
    if (retryAfterSeconds > 0) {
      const refusal = 'Too many sign-ins were begun from this network address. Try again later.'
      throw new RateLimitedError(refusal, { reason: 'rate_limited', retryAfterSeconds })
    }
    bucket.fill(network, 1)
  }
}

/** Counts the bytes of a request that a client sends itself, also of one that is then refused. Throws RateLimitedError above the limit. */
export type CountPushed = (
  pushedBy: {
    readonly organizationId: string
    readonly clientAddress: string
    readonly isAuthenticated: boolean
  },
  stored: unknown,
) => void

/**
 * Limits the bytes of pushed requests, which live for 90 seconds: 16 MiB for the clients of an organization that authenticated,
 * from any network, and 4 MiB for the public clients of one network.
 * A public client has no limit of its own: callers could use it up by the name of the client.
 */
export const createPushLimit = (now: Clock): CountPushed =>
  createClientLimit(
    {
      ofOrganization: 16 * MEBIBYTE,
      ofNetwork: 4 * MEBIBYTE,
      windowMs: 90_000,
      refusal: 'Too many authorization requests were pushed; wait as long as Retry-After says',
    },
    now,
  )

/** Limits the bytes of the requests of devices in the same way: 4 MiB and 1 MiB for as long as they wait. */
export const createDeviceLimit = (now: Clock): CountPushed =>
  createClientLimit(
    {
      ofOrganization: 4 * MEBIBYTE,
      ofNetwork: MEBIBYTE,
      windowMs: DEVICE_LIFETIME_SECONDS * 1000,
      refusal: 'Too many devices wait for an answer; wait as long as Retry-After says',
    },
    now,
  )

interface ClientLimit extends Pick<ByteLimit, 'windowMs' | 'refusal'> {
  /** Bytes of the authenticated clients of one organization. */
  readonly ofOrganization: number
  /** Bytes of the public clients of one network. */
  readonly ofNetwork: number
}

function createClientLimit({ ofOrganization, ofNetwork, ...limit }: ClientLimit, now: Clock): CountPushed {
  const countOrganization = createByteLimit({ ...limit, bytes: ofOrganization }, now)
  const countNetwork = createByteLimit({ ...limit, bytes: ofNetwork }, now)
  return ({ organizationId, clientAddress, isAuthenticated }, stored) =>
    isAuthenticated
      ? countOrganization(organizationId, stored)
      : countNetwork(addressBlock(clientAddress), stored)
}
