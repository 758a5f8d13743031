// Runs the use cases of administrators for a client that registered itself.
import type { AuditActor, AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Caller } from '@signet/admin-api/caller'
import type { ManagementCall } from '../api/management-call.ts'
import type { RunnerStores, Transact } from '../api/run-operation.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { ClientRegistrationStore } from './client-registration.repository.ts'
import type { RegistrationTokenStore } from './registration-token.repository.ts'

/** The stores of a registration, on one transaction. */
export interface RegistrationStores extends Pick<RunnerStores, 'lock' | 'record'> {
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly clientRegistrations: ClientRegistrationStore
  readonly clientSecrets: ClientSecretStore
  readonly registrationTokens: RegistrationTokenStore
}

export interface RegistrationCallDependencies {
  readonly transact: Transact<RegistrationStores>
  readonly publishEndings: PublishEndings
}

interface RegistrationCall {
  readonly applicationId: string
  readonly organizationId: string
  readonly clientAddress?: string
  readonly actor: AuditActor
  readonly action: string
  readonly details?: AuditEvent['details']
  /** Run in the transaction of the change, which they end by throwing. */
  readonly before: (stores: RegistrationStores) => Promise<void>
  readonly after?: (stores: RegistrationStores, applicationId: string) => Promise<void>
}

/** The context in which the use cases of administrators run for a client that holds no role. */
export function registrationCall(
  { transact, publishEndings }: RegistrationCallDependencies,
  { applicationId, organizationId, clientAddress, actor, action, details, before, after }: RegistrationCall,
): ManagementCall<RegistrationStores> {
  const caller: Caller = { userId: '', kind: 'service_user', organizationId, tokenId: '', roles: [] }
  return {
    caller,
    clientAddress: clientAddress ?? '',
    targetId: applicationId,
    async change(work) {
      const committed = await transact(async (stores) => {
        await stores.lock('application', applicationId)
        await before(stores)
        const done = await work(stores)
        await after?.(stores, applicationId)
        await stores.record({
          actor,
          action,
          target: { kind: 'application', id: applicationId },
          organizationId,
          clientAddress,
          result: 'success',
          details: { ...details, ...done.details },
        })
        return done
      })
      await publishEndings(committed.epochs ?? [])
      return committed.result
    },
  }
}
