import type { Clock } from '@signet/platform/runtime/clock'
import type { ApplicationConsent, Consent, ConsentStore } from './consent.repository.ts'

export type FindConsent = (userId: string, clientId: string) => Promise<readonly string[]>

/** The scopes that a person has agreed to give an application, ordered. */
export function createFindConsent(consents: ConsentStore): FindConsent {
  return (userId, clientId) => consents.scopes(userId, clientId)
}

export type ListConsents = (userId: string) => Promise<readonly ApplicationConsent[]>

/** All that a person has agreed to, ordered by application. */
export function createListConsents(consents: ConsentStore): ListConsents {
  return (userId) => consents.ofUser(userId)
}

export type WithdrawConsent = (
  consent: Omit<Consent, 'scopes'> & { readonly clientAddress?: string },
) => Promise<void>

/** Forgets what a person has agreed to give an application; it has to ask again. */
export function createWithdrawConsent(consents: ConsentStore): WithdrawConsent {
  return ({ userId, clientId, clientAddress }) =>
    consents.remove(userId, clientId, {
      actor: { kind: 'human', id: userId },
      action: 'consent.withdraw',
      target: { kind: 'client', id: clientId },
      clientAddress,
      result: 'success',
    })
}

export type RecordConsent = (consent: Consent & { readonly clientAddress?: string }) => Promise<boolean>

/** Adds to what a person has agreed to; false when there is no such person or application. */
export function createRecordConsent(consents: ConsentStore, now: Clock): RecordConsent {
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
