import type { Clock } from '@signet/platform/runtime/clock'
import type { ApplicationConsent, Consent, ConsentStore, DocumentedClient } from './consent.repository.ts'
import type { DocumentedClientStore } from './documented-client.repository.ts'

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

export type RecordConsent = (
  consent: Consent & {
    /** Types of authorization details, which a later request asks for again. */
    readonly detailTypes: readonly string[]
    readonly clientAddress?: string
    readonly documented?: DocumentedClient
  },
) => Promise<boolean>

/**
 * Adds to what a person has agreed to; false when there is no such person or application. A client that its document describes
 * becomes an application by the first consent, and each consent brings the application up to date.
 */
export function createRecordConsent(
  consents: ConsentStore,
  {
    documentedClients,
    now,
  }: { readonly documentedClients: DocumentedClientStore | undefined; readonly now: Clock },
): RecordConsent {
  return async ({ clientAddress, detailTypes, documented, ...consent }) => {
    const actor = { kind: 'human', id: consent.userId } as const
    if (documented !== undefined && documentedClients === undefined) return false
    return consents.add(consent, {
      at: now(),
      event: {
        actor,
        action: 'consent',
        target: { kind: 'client', id: consent.clientId },
        clientAddress,
        result: 'success',
        details: {
          scopes: consent.scopes,
          ...(detailTypes.length > 0 && { authorization_details_types: detailTypes }),
        },
      },
      async before(tx) {
        if (documented === undefined) return
        await documentedClients?.put(tx, { clientId: consent.clientId, ...documented }, { at: now(), actor })
      },
    })
  }
}
