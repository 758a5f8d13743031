// gRPC calls to the directory about administrators who sign in as another person.
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import { callService } from '../dependency.ts'
import type { StoredImpersonations } from '../impersonation/impersonation.service.ts'

export function createStoredImpersonations(
  impersonations: RpcClient<typeof ImpersonationService>,
): StoredImpersonations {
  const options = { timeoutMs: REPEATED_CALL_TIMEOUT_MS }
  return {
    find: (token) =>
      unlessMissing(() =>
        callService('directory', () => impersonations.findImpersonation({ token }, options)),
      ),
    begin: (opening) =>
      unlessMissing(async () => {
        const begun = await callService('directory', () =>
          impersonations.beginImpersonation(opening, options),
        )
        if (begun.refusedRule !== '') return 'refused'
        const { impersonationId: id, userId, organizationId, reason, endsAt } = begun
        return {
          ...{ id, userId, organizationId, reason, administratorId: opening.administratorId },
          userEpoch: Number(begun.userEpoch),
          organizationEpoch: Number(begun.organizationEpoch),
          endsAt: endsAt === undefined ? 0 : timestampMs(endsAt),
        }
      }),
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RpcError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
