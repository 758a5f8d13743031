import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'

/** A passkey, without its public key. */
export interface Passkey {
  readonly id: string
  /** The relying party that it was made for. */
  readonly rpId: string
  readonly name: string
  /** The model of its authenticator as the authenticator claims; zeros when it claims none. */
  readonly aaguid: string
  readonly transports: readonly string[]
  /** Whether the private key may be on several devices, and whether it is. */
  readonly backupEligible: boolean
  readonly backedUp: boolean
  readonly createdAt: Date
  /** Null: it was not used yet. */
  readonly lastUsedAt: Date | null
  /** When its counter went back, from which on it signs in no more; null: it did not. */
  readonly clonedAt: Date | null
}

/** A passkey with the id of its credential. */
export type OwnPasskey = Passkey & { readonly credentialId: Buffer }

/** A passkey with the account that it signs in to. */
export interface SignInPasskey {
  readonly id: string
  readonly userId: string
  readonly organizationId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly backupEligible: boolean
  readonly cloned: boolean
  /** The random user handle of its owner. */
  readonly handle: Buffer
  /** The account and its organization are active. */
  readonly active: boolean
  readonly userEpoch: number
  readonly organizationEpoch: number
  /** The login policy lets people sign in with a passkey alone. */
  readonly allowed: boolean
  /** The login policy lets a passkey follow a password. */
  readonly secondFactorAllowed: boolean
  /** A passkey counts as two factors. */
  readonly multiFactor: boolean
  readonly forceMfa: boolean
  readonly hasTotp: boolean
}

/** A person who may add a passkey. */
export interface PasskeyOwner {
  readonly organizationId: string
  readonly handle: Buffer
  readonly loginName: string
  readonly displayName: string
}

export interface NewPasskey extends Omit<Passkey, 'lastUsedAt' | 'clonedAt'> {
  readonly userId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly counter: number
}

/** The most passkeys of a person, for all relying parties together. */
export const MOST_PASSKEYS = 20

/** WebAuthn Level 3 section 7.1: longer credential ids are refused. */
export const MOST_CREDENTIAL_ID_BYTES = 1_023

/**
 * The authentication methods of a passkey (RFC 8176): `swk` where the private key leaves the authenticator for other
 * devices, else `hwk`; `user` because every response proves the presence of a person.
 */
export function passkeyMethods({ backupEligible }: Pick<Passkey, 'backupEligible'>): readonly string[] {
  return ['pop', backupEligible ? 'swk' : 'hwk', 'user']
}

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/)
const credential = { id: base64url, rawId: base64url, type: z.literal('public-key') }
const MOST_CHARACTERS = 20_000

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
})

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .default([]),
  }),
})

/** Reads AuthenticationResponseJSON (WebAuthn Level 3 section 5.1); undefined for any other text. */
export function readAssertion(text: string): AuthenticationResponseJSON | undefined {
  const data = assertion.safeParse(json(text)).data
  return data && isTopLevel(data.response.clientDataJSON)
    ? ({ ...data, clientExtensionResults: {} } as AuthenticationResponseJSON)
    : undefined
}

/** Reads RegistrationResponseJSON; undefined for any other text. */
export function readAttestation(text: string): RegistrationResponseJSON | undefined {
  const data = attestation.safeParse(json(text)).data
  return data && isTopLevel(data.response.clientDataJSON)
    ? ({ ...data, clientExtensionResults: {} } as RegistrationResponseJSON)
    : undefined
}

const clientData = z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() })

/** Whether the page was not in a frame of another origin: no page of ours may be framed. */
function isTopLevel(clientDataJson: string): boolean {
  return clientData.safeParse(json(Buffer.from(clientDataJson, 'base64url').toString())).success
}

function json(text: string): unknown {
  try {
    return text.length > MOST_CHARACTERS ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
