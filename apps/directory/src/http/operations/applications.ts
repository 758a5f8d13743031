import { z } from 'zod'
import { setApplicationState } from '../../applications/set-application-state.ts'
import { onApplication } from '../../permissions/permission.ts'
import { managesProject } from '../../permissions/sufficient-roles.ts'
import { operation } from '../operation.ts'
import { applicationId } from './parameters.ts'

const state = z.enum(['active', 'inactive'])

export const applicationOperations = [
  operation({
    id: 'application.update',
    summary: 'Activates or deactivates an application',
    description: 'When it stops being active, what was made for it ends before the answer.',
    method: 'patch',
    path: '/management/v1/applications/{applicationId}',
    parameters: { applicationId },
    request: z.strictObject({ state }),
    example: { state: 'active' },
    response: z.strictObject({ id: z.string(), state }).meta({ id: 'ApplicationState' }),
    permission: onApplication(managesProject),
    handle: setApplicationState,
  }),
]
