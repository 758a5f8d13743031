import { attemptEvent } from '@signet/admin-api/audit/audit-recorder'
import { noStore } from '@signet/http/response-headers'
import type { Database } from '@signet/platform/postgres/pool'
import { rewrapColumns } from '@signet/platform/sealing/rewrap'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { Router } from 'express'
import { auditTable } from '../jobs/job-audit.ts'
import { SEALED_COLUMNS } from '../sealed-columns.ts'
import type { RequireAdministrator } from './administrator.ts'

/** A batch of an import has up to a mebibyte, so that a call reads and writes some 50 MiB at most. */
const MOST = 50

interface RewrapRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly database: Database
  /** Newest first. */
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** /admin/v1/jobs/rewrap */
export function createRewrapRoutes({
  requireAdministrator,
  database,
  masterKeys,
  random,
}: RewrapRouteOptions): Router {
  const router = Router()
  router.post('/admin/v1/jobs/rewrap', noStore, async (req, res) => {
    const attempt = await requireAdministrator(req)
    const result = await database.transaction(async (tx) => {
      const { done, ...counts } = await rewrapColumns(tx, SEALED_COLUMNS, { masterKeys, random, most: MOST })
      await auditTable.record(tx, attemptEvent(attempt, { result: 'success', details: counts }))
      return { ...counts, done }
    })
    res.json(result)
  })
  return router
}
