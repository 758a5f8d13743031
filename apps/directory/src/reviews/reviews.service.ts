import type { Clock } from '@signet/platform/runtime/clock'
import type { ManagementCall } from '../api/management-call.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import { requireApplication } from '../applications/applications.service.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { RefusalStore } from '../refusals/refusal.repository.ts'
import type { CountUse, FindLastUse } from '../usage/usage.ts'
import { HINTS, type Review, reviewApplication } from './application-review.ts'

const DAY_MS = 86_400_000

interface Reads {
  readonly stores: {
    readonly applications: ApplicationStore
    readonly clientSecrets: ClientSecretStore
    readonly instance: InstanceStore
  }
  readonly refusals: RefusalStore
  readonly countUse: CountUse
  readonly findLastUse: FindLastUse
  readonly now: Clock
}

/** Reviews an application by its settings and by the traffic that is stored of it. Rejects with ApiError UNAVAILABLE without token. */
export async function readApplicationReview(
  _call: ManagementCall,
  { applicationId }: { readonly applicationId: string },
  { stores, refusals, countUse, findLastUse, now }: Reads,
): Promise<Review> {
  const application = await requireApplication(stores.applications, applicationId)
  const { clientId } = application
  const time = now()
  const [secrets, settings, hints, { sessions }, days] = await Promise.all([
    stores.clientSecrets.ofApplication(applicationId, time),
    stores.instance.settings(),
    refusals.hintsOf({ applicationId, clientId }, HINTS),
    countUse('client', [clientId]),
    findLastUse([clientId]),
  ])
  const lastDay = days.get(clientId)
  return reviewApplication({
    ...{ application, secrets, hints, sessions, now: time },
    lifetimes: {
      accessTokenLifetimeSeconds: Number(settings.accessTokenLifetime),
      idTokenLifetimeSeconds: Number(settings.idTokenLifetime),
    },
    lastTokenAt: lastDay === undefined ? undefined : new Date(lastDay * DAY_MS),
  })
}
