import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import type { PublishEpochs } from '../epochs/epoch.ts'
import { managesProject } from '../permissions/sufficient-roles.ts'
import type { ApplicationState, ApplicationStore } from '../stores/application-store.ts'

interface Dependencies {
  readonly applications: ApplicationStore
  readonly publishEpochs: PublishEpochs
}

/**
 * Puts an application into a state. When it resolves, nothing is active that was made for it before it stopped being
 * active. Repeating it publishes again.
 */
export function setApplicationState({ applications, publishEpochs }: Dependencies) {
  return async (call: ManagementCall, state: ApplicationState): Promise<void> => {
    const { id: applicationId } = call.target
    const project = await applications.findProject(applicationId)
    requireRole(call.caller, managesProject(project))
    const { organizationId } = project ?? {}
    const event = callEvent(call, { result: 'success', organizationId, details: { state } })
    const epochs = await applications.setState(applicationId, state, event)
    if (epochs === undefined) {
      throw new ApiError('NOT_FOUND', 'there is no application with this id', {
        reason: 'application_unknown',
      })
    }
    await publishEpochs(epochs)
  }
}
