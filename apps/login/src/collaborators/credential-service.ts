import type { RpcClient } from '@signet/rpc/client'
import type { CredentialService } from '@signet/rpc/gen/directory/v1/credential_service_pb'
import type { VerifyPassword } from '../sign-in/sign-in.ts'
import { call } from './call.ts'

// An argon2id run behind others that wait for the same few threads.
const VERIFY_TIMEOUT_MS = 5_000

export function passwordVerifier(credentials: RpcClient<typeof CredentialService>): VerifyPassword {
  return async ({ organizationId: within = '', ...credential }) => {
    const { account } = await call('directory', () =>
      credentials.verifyPassword({ ...credential, organizationId: within }, { timeoutMs: VERIFY_TIMEOUT_MS }),
    )
    if (account === undefined) return undefined
    const { userId, organizationId, userEpoch, organizationEpoch } = account
    return {
      userId,
      organizationId,
      userEpoch: Number(userEpoch),
      organizationEpoch: Number(organizationEpoch),
    }
  }
}
