import type { ManagementCall, Tools } from '../api/management-call.ts'
import { CHECKS, CHECKS_OF_ORGANIZATION, type CheckId, type DoctorFinding } from './checks.ts'
import type { DoctorStore } from './doctor.repository.ts'
import type { StaticSecretStore } from './static-secrets.repository.ts'
import type { StaticSecrets } from './static-secrets.ts'

interface Stores {
  readonly doctor: DoctorStore
  readonly staticSecrets: StaticSecretStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/** The result of one check: how many objects it concerns, and the first of them. */
export interface DoctorCheck {
  readonly id: CheckId
  readonly title: string
  readonly remedy: string
  readonly count: number
  readonly findings: readonly DoctorFinding[]
}

/**
 * Runs every check that the caller may see, and returns those that found something, in the order of their table. `limit` bounds the findings of
 * each check and the secrets of each kind, not their count.
 */
export async function runDoctor(
  { seen }: ManagementCall<Stores>,
  { limit }: { readonly limit: number },
  { stores, rpId, takesCertificates }: Reads & Pick<Tools, 'rpId' | 'takesCertificates'>,
): Promise<{ readonly checks: readonly DoctorCheck[]; readonly staticSecrets: readonly StaticSecrets[] }> {
  const checks: DoctorCheck[] = []
  for (const [id, { title, remedy }] of Object.entries(CHECKS) as [CheckId, (typeof CHECKS)[CheckId]][]) {
    if (seen !== undefined && !CHECKS_OF_ORGANIZATION.includes(id)) continue
    const { count, findings } = await stores.doctor.find(id, { limit, rpId, takesCertificates, seen })
    if (count > 0) checks.push({ id, title, remedy, count, findings })
  }
  return { checks, staticSecrets: await stores.staticSecrets.list(seen?.organizationIds, limit) }
}
