import { ApiError } from '@signet/http-server/api-error'
import type { ClientAuthMethod } from '@signet/oauth-protocol/client-auth-methods'
import { type RotatedSecret, rotatedSecret } from '../credentials/rotated-secret.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import { requireApplication } from './applications.ts'

/** Whether clients of this method prove themselves by a secret. */
export function hasSecret(authMethod: ClientAuthMethod): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post'
}

/**
 * Gives an application a new client secret. Without an overlap the old one is taken to be in wrong hands: when it
 * resolves, everything that was made for the application is dead.
 */
export function rotateApplicationSecret(
  call: ManagementCall,
  { applicationId, overlapSeconds }: { readonly applicationId: string; readonly overlapSeconds: number },
  services: Pick<ManagementServices, 'now' | 'random' | 'hasher'>,
): Promise<RotatedSecret> {
  return call.change(async ({ applications, clientSecrets }) => {
    const { clientId, authMethod } = await requireApplication(applications, applicationId)
    if (!hasSecret(authMethod)) {
      throw new ApiError(
        'FAILED_PRECONDITION',
        `an application with authMethod ${authMethod} has no secret; give it client_secret_basic first`,
        { reason: 'auth_method_without_secret' },
      )
    }
    const { stored, shown } = await rotatedSecret(clientId, overlapSeconds, services)
    const hasEnded = await clientSecrets.rotateOfApplication(applicationId, stored)
    const epochs = hasEnded ? await applications.raiseEpoch(applicationId) : []
    return { result: shown, epochs, details: { overlap_seconds: overlapSeconds } }
  })
}
