import { BusyError } from '@signet/password-hash/password-hasher'
import { RpcError } from '@signet/rpc/error'
import { CredentialService } from '@signet/rpc/gen/directory/v1/credential_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { PasswordAttempt, VerifiedAccount } from '../credentials/verify-password.ts'

interface Dependencies {
  readonly verifyPassword: (attempt: PasswordAttempt) => Promise<VerifiedAccount | undefined>
}

export function credentialService({ verifyPassword }: Dependencies): RpcService {
  return rpcService(CredentialService, {
    async verifyPassword({ loginName, password, organizationId, clientAddress }) {
      const account = await orExhausted(
        verifyPassword({
          loginName,
          password,
          ...(organizationId !== '' && { organizationId }),
          ...(clientAddress !== '' && { clientAddress }),
        }),
      )
      if (account === undefined) return {}
      return {
        account: {
          ...account,
          userEpoch: BigInt(account.userEpoch),
          organizationEpoch: BigInt(account.organizationEpoch),
        },
      }
    },
  })
}

async function orExhausted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BusyError) throw new RpcError('RESOURCE_EXHAUSTED', error.message, { cause: error })
    throw error
  }
}
