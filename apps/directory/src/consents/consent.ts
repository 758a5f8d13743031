import type { Clock } from '@signet/service-runtime/clock'
import type { Consent, ConsentStore } from '../stores/consent-store.ts'

export type FindConsent = (userId: string, clientId: string) => Promise<readonly string[]>

/** The scopes that a person has agreed to give an application, ordered. */
export function findConsent(consents: ConsentStore): FindConsent {
  return (userId, clientId) => consents.scopes(userId, clientId)
}

export type RecordConsent = (consent: Consent & { readonly clientAddress?: string }) => Promise<boolean>

/** Adds to what a person has agreed to; false when there is no such person or application. */
export function recordConsent(consents: ConsentStore, now: Clock): RecordConsent {
  return ({ clientAddress, ...consent }) =>
    consents.add(consent, now(), {
      actor: { kind: 'human', id: consent.userId },
      action: 'consent',
      target: { kind: 'client', id: consent.clientId },
      clientAddress,
      result: 'success',
      details: { scopes: consent.scopes },
    })
}
