import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import type { SignManifest } from '../export/document-writer.ts'

/** Error codes of an earlier version, which lacks the method. */
const METHOD_MISSING: ReadonlySet<string> = new Set(['UNIMPLEMENTED', 'PERMISSION_DENIED'])

/**
 * Asks `keys` to sign the manifest of an archive; the private key never leaves `keys`. Returns undefined while `keys` is of an
 * earlier version.
 */
export function createSignManifest(
  keys: Pick<RpcClient<typeof KeyService>, 'signArchiveManifest'>,
): SignManifest {
  return async ({ createdAt, sha256, sections }) => {
    const request = {
      createdAt: timestampFromDate(new Date(createdAt)),
      sha256: Buffer.from(sha256, 'hex'),
      sections: Object.entries(sections).map(([name, section]) => ({
        name,
        count: BigInt(section.count),
        sha256: Buffer.from(section.sha256, 'hex'),
      })),
    }
    try {
      return (await keys.signArchiveManifest(request, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })).jws
    } catch (error) {
      if (error instanceof RpcError && METHOD_MISSING.has(error.code)) return undefined
      throw error
    }
  }
}
