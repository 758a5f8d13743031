import { createHash } from 'node:crypto'
import type { RpcClient } from '@signet/rpc/client'
import { RpcError } from '@signet/rpc/error'
import type {
  CredentialService,
  VerifiedAccount as VerifiedAccountMessage,
} from '@signet/rpc/gen/directory/v1/credential_service_pb'
import type { AttemptKey, FindAttemptKey, VerifyPassword } from '../sign-in/sign-in.service.ts'
import type { VerifyTotp } from '../sign-in/totp.service.ts'
import type { VerifiedAccount } from '../sign-in/verified-account.ts'
import { call } from './call.ts'

// Five seconds behind others that wait for the same few threads, and the slowest hash that an import may bring.
const VERIFY_TIMEOUT_MS = 15_000
const ATTEMPT_KEY_TIMEOUT_MS = 2_000
const TOTP_TIMEOUT_MS = 2_000

type Credentials = RpcClient<typeof CredentialService>

export function attemptKeyFinder(credentials: Credentials): FindAttemptKey {
  return async (loginName, organizationId = '') => {
    try {
      return await call('directory', () =>
        credentials.findAttemptKey({ loginName, organizationId }, { timeoutMs: ATTEMPT_KEY_TIMEOUT_MS }),
      )
    } catch (error) {
      if (error instanceof RpcError && error.code === 'UNIMPLEMENTED') return keyOfName(loginName)
      throw error
    }
  }
}

/** Beside a directory of the version before, which knows no keys: each name counts by itself. */
function keyOfName(loginName: string): AttemptKey {
  const normalised = loginName.normalize('NFC').trim().toLowerCase()
  const attemptKey = createHash('sha256').update(normalised).digest('base64url')
  return { attemptKey, deviceKey: '', maxPasswordAttempts: 5 }
}

export function passwordVerifier(credentials: Credentials): VerifyPassword {
  return async ({ organizationId = '', ...credential }) => {
    const { account, refusedRule } = await call('directory', () =>
      credentials.verifyPassword({ ...credential, organizationId }, { timeoutMs: VERIFY_TIMEOUT_MS }),
    )
    if (refusedRule !== '') return { kind: 'forbidden', rule: refusedRule }
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
  const { userId, organizationId, userEpoch, organizationEpoch, deviceKey } = account
  const { secondFactorRequired, secondFactorEnrolmentRequired, passwordChangeRequired } = account
  return {
    userId,
    organizationId,
    userEpoch: Number(userEpoch),
    organizationEpoch: Number(organizationEpoch),
    secondFactorRequired,
    deviceKey,
    secondFactorEnrolmentRequired,
    passwordChangeRequired,
  }
}
