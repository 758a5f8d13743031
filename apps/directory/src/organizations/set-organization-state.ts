import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
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
  return async (call: ManagementCall, state: OrganizationState): Promise<void> => {
    const { id: organizationId } = call.target
    requireRole(call.caller, managesOrganization(organizationId))
    const event = callEvent(call, { result: 'success', organizationId, details: { state } })
    const epochs = await organizations.setState(organizationId, state, event)
    if (epochs === undefined) {
      throw new ApiError('NOT_FOUND', 'there is no organization with this id', {
        reason: 'organization_unknown',
      })
    }
    await publishEpochs(epochs)
  }
}
