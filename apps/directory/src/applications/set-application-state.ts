import { ApiError } from '@signet/http-server/api-error'
import { changedFields } from '../management/changed-fields.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ApplicationState } from '../stores/application-store.ts'

interface StateChange {
  readonly applicationId: string
  readonly state: ApplicationState
}

/**
 * Puts an application into a state. When it resolves, nothing is active that was made for it before it stopped being
 * active. Repeating it publishes again.
 */
export function setApplicationState(call: ManagementCall, { applicationId, state }: StateChange) {
  return call.change(async ({ applications }) => {
    const epochs = await applications.setState(applicationId, state)
    if (epochs === undefined) {
      throw new ApiError('NOT_FOUND', 'there is no application with this id', {
        reason: 'application_unknown',
      })
    }
    return { result: { id: applicationId, state }, epochs, details: changedFields({ state }) }
  })
}
