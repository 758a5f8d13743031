import type { RpcClient } from '@signet/rpc/client'
import type {
  CredentialService,
  VerifiedAccount as VerifiedAccountMessage,
} from '@signet/rpc/gen/directory/v1/credential_service_pb'
import type { VerifyTotp } from '../sign-in/second-factor.ts'
import type { VerifiedAccount, VerifyPassword } from '../sign-in/sign-in.ts'
import { call } from './call.ts'

// Five seconds behind others that wait for the same few threads, and the slowest hash that an import may bring.
const VERIFY_TIMEOUT_MS = 15_000
const TOTP_TIMEOUT_MS = 2_000

type Credentials = RpcClient<typeof CredentialService>

export function passwordVerifier(credentials: Credentials): VerifyPassword {
  return async ({ organizationId = '', ...credential }) => {
    const { account } = await call('directory', () =>
      credentials.verifyPassword({ ...credential, organizationId }, { timeoutMs: VERIFY_TIMEOUT_MS }),
    )
    return account && verifiedAccount(account)
  }
}

export function totpVerifier(credentials: Credentials): VerifyTotp {
  return async (request) => {
    const { accepted } = await call('directory', () =>
      credentials.verifyTotp(request, { timeoutMs: TOTP_TIMEOUT_MS }),
    )
    return accepted
  }
}

/** Epochs are small: a number holds them. */
export function verifiedAccount(account: VerifiedAccountMessage): VerifiedAccount {
  const { userId, organizationId, userEpoch, organizationEpoch, secondFactorRequired } = account
  return {
    userId,
    organizationId,
    userEpoch: Number(userEpoch),
    organizationEpoch: Number(organizationEpoch),
    secondFactorRequired,
  }
}
