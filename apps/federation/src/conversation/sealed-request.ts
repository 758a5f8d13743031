import { createHash } from 'node:crypto'
import { openValue, type RandomBytes, sealValue } from '@signet/platform/sealing/sealed-value'
import { z } from 'zod'
import { Refused } from './refusal.ts'

/** The secrets of a sign-in under way, and the provider that it began with. */
const requestSecrets = z.object({
  nonce: z.string(),
  codeVerifier: z.string(),
  /** Seconds before the begin that the authentication may be old; absent: any age. */
  maxAge: z.number().optional(),
  issuer: z.string(),
  clientId: z.string(),
  /** An administrator tests the provider; absent: a person signs in. */
  isTest: z.literal(true).optional(),
  /** A sign-out at a SAML provider; absent: a sign-in. */
  isLogout: z.literal(true).optional(),
})

export type RequestSecrets = z.infer<typeof requestSecrets>

export interface RequestSealer {
  seal(secrets: RequestSecrets, stateHash: Buffer): Buffer
  /** Throws Refused for a value of another key or row. */
  open(sealed: Buffer, stateHash: Buffer): RequestSecrets
}

/** Seals under the first key; all of them open. A value opens for the state that it was sealed for. */
export function createRequestSealer(keys: readonly Buffer[], random: RandomBytes): RequestSealer {
  const purposeOf = (stateHash: Buffer) => `federation request ${stateHash.toString('hex')}`
  return {
    seal: (secrets, stateHash) =>
      sealValue(keys, Buffer.from(JSON.stringify(secrets)), purposeOf(stateHash), random),
    open(sealed, stateHash) {
      const opened = openValue(keys, sealed, purposeOf(stateHash))
      if (opened === undefined) throw new Refused('request_unreadable')
      return requestSecrets.parse(JSON.parse(opened.toString('utf8')))
    },
  }
}

export const hashOfState = (state: string): Buffer => createHash('sha256').update(state).digest()
