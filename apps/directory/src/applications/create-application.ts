import type { ApplicationType } from '@signet/protocol/application-settings'
import { rotatedSecret } from '../credentials/client-secret.ts'
import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { Application, ApplicationChanges } from './application.schema.ts'
import { hasSecret } from './application-credentials.service.ts'
import { APPLICATION_DEFAULTS, requireNoOwnerOnlyFlag } from './application-rules.ts'
import { requireApplication, requireRules } from './applications.service.ts'

type NewApplication = ApplicationChanges & {
  readonly projectId: string
  readonly name: string
  readonly type: ApplicationType
}

/** Makes an application and, if it authenticates with one, a secret, which is answered here and nowhere again. */
export function createApplication(
  call: ManagementCall,
  { projectId, ...given }: NewApplication,
  services: Pick<ManagementServices, 'newId' | 'now' | 'random' | 'hasher'>,
): Promise<Application & { readonly clientSecret?: string }> {
  requireNoOwnerOnlyFlag(call.caller, given)
  const { type } = given
  const {
    clientId = services.newId(),
    authMethod = APPLICATION_DEFAULTS[type].authMethod,
    devMode = false,
    exactLocalhostPort = false,
    redirectUris = [],
    postLogoutRedirectUris = [],
    backChannelLogoutUri = null,
  } = given
  const uris = { redirectUris, postLogoutRedirectUris, backChannelLogoutUri }
  requireRules({ type, authMethod, devMode, exactLocalhostPort, ...uris })
  return call.change(async ({ applications, clientSecrets }) => {
    const settings = { ...APPLICATION_DEFAULTS[type], ...given, clientId, authMethod }
    await applications.add({ id: call.targetId, projectId, createdAt: services.now(), settings })
    const result = await requireApplication(applications, call.targetId)
    if (!hasSecret(authMethod)) return { result }
    const { stored, shown } = await rotatedSecret(clientId, 0, services)
    await clientSecrets.rotateOfApplication(call.targetId, stored)
    return { result: { ...result, clientSecret: shown.clientSecret } }
  })
}
