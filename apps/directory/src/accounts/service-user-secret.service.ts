import { ApiError } from '@signet/admin-api/api-error'
import type { NewSecret } from '../credentials/client-secret.repository.ts'
import { type RotatedSecret, rotatedSecret } from '../credentials/client-secret.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type {
  ManagementCall,
  ManagementServices,
  ManagementStores,
} from '../management-api/management-call.ts'
import { requireServiceUser } from './require-account.ts'

interface Target {
  readonly userId: string
}

/**
 * Gives a service user a new secret for client_credentials. Without an overlap the old one is taken to be in wrong
 * hands: when it resolves, every token of the service user is dead.
 */
export function rotateServiceUserSecret(
  call: ManagementCall,
  { userId, overlapSeconds }: Target & { readonly overlapSeconds: number },
  services: Pick<ManagementServices, 'now' | 'random' | 'hasher'>,
): Promise<RotatedSecret> {
  return call.change(async ({ accounts, clientSecrets }) => {
    const { clientId } = await requireServiceUser(accounts, userId, 'client secret')
    if (clientId === undefined) {
      throw new ApiError('FAILED_PRECONDITION', 'the service user has no clientId; give it one first', {
        reason: 'client_id_missing',
      })
    }
    const { stored, shown } = await rotatedSecret(clientId, overlapSeconds, services)
    const epochs = await setServiceUserSecret({ accounts, clientSecrets }, userId, stored)
    return { result: shown, epochs, details: { overlap_seconds: overlapSeconds } }
  })
}

/** Stores a newest secret. The epoch has risen if one before it has ended by that. */
export async function setServiceUserSecret(
  { accounts, clientSecrets }: Pick<ManagementStores, 'accounts' | 'clientSecrets'>,
  userId: string,
  secret: NewSecret,
): Promise<readonly Epoch[]> {
  return (await clientSecrets.rotateOfServiceUser(userId, secret)) ? accounts.raiseEpoch(userId) : []
}

/** Takes all secrets away. When it resolves, every token of the service user is dead. */
export function deleteServiceUserSecret(call: ManagementCall, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts, clientSecrets }) => {
    await requireServiceUser(accounts, userId, 'client secret')
    if (!(await clientSecrets.deleteOfServiceUser(userId))) {
      throw new ApiError('NOT_FOUND', 'the service user has no secret', { reason: 'secret_unknown' })
    }
    return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
  })
}
