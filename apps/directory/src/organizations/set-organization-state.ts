import type { Caller } from '@signet/bearer-authentication/caller'
import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import type { PublishEpochs } from '../epochs/epoch.ts'
import { managesOrganization } from '../permissions/sufficient-roles.ts'
import type { OrganizationState, OrganizationStore } from '../stores/organization-store.ts'

interface Dependencies {
  readonly organizations: OrganizationStore
  readonly publishEpochs: PublishEpochs
}

/**
 * Puts an organization into a state. When it resolves, nothing is active that was made for its users or applications
 * before it stopped being active. Repeating it publishes again.
 */
export function setOrganizationState({ organizations, publishEpochs }: Dependencies) {
  return async (caller: Caller, organizationId: string, state: OrganizationState): Promise<void> => {
    requireRole(caller, managesOrganization(organizationId))
    const epochs = await organizations.setState(organizationId, state)
    if (epochs === undefined) {
      throw new ApiError('NOT_FOUND', 'there is no organization with this id', {
        reason: 'organization_unknown',
      })
    }
    await publishEpochs(epochs)
  }
}
