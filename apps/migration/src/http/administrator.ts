import type { Attempt, AuditProblems } from '@signet/admin-api/audit/audit-recorder'
import type { AuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import { requireRole } from '@signet/admin-api/require-role'
import { clientAddress } from '@signet/http/request-context'
import type { Request } from 'express'

/**
 * The attempt of an instance administrator. Rejects with ApiError for all other callers; the refusal of an
 * authenticated caller is in the audit log.
 */
export type RequireAdministrator = (req: Request) => Promise<Attempt>

export function createRequireAdministrator(
  authenticate: AuthenticateBearer,
  auditProblems: AuditProblems,
): RequireAdministrator {
  return async (req) => {
    const caller = await authenticate(req)
    const { jobId } = req.params
    const attempt: Attempt = {
      caller,
      clientAddress: clientAddress(req),
      action: actionOf(req),
      target: { kind: 'job', ...(typeof jobId === 'string' && { id: jobId }) },
    }
    await auditProblems(attempt, async () => requireRole(caller, [{ role: 'IAM_OWNER' }]))
    return attempt
  }
}

/** `export.start`, `import.start`, `job.cancel`, `job.resume`, or `job.read` for everything that changes nothing. */
function actionOf({ method, path }: Request): string {
  const last = path.split('/').at(-1) ?? ''
  if (method !== 'POST') return 'job.read'
  return last === 'export' || last === 'import' ? `${last}.start` : `job.${last}`
}
