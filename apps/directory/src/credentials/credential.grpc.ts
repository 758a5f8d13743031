import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { AttemptKey, AttemptKeys } from './attempt-keys.ts'
import { accountMessage, orExhausted } from './verified-account.ts'
import type { ForbiddenSignIn, PasswordAttempt, VerifiedAccount } from './verify-password.ts'
import type { TotpAttempt } from './verify-totp.ts'

interface Dependencies {
  readonly attemptKeys: AttemptKeys
  readonly findAttemptKey: (loginName: string, organizationId: string | undefined) => Promise<AttemptKey>
  readonly verifyPassword: (
    attempt: PasswordAttempt,
  ) => Promise<VerifiedAccount | ForbiddenSignIn | undefined>
  readonly verifyTotp: (attempt: TotpAttempt) => Promise<boolean>
}

export function credentialService(dependencies: Dependencies): RpcService {
  const { attemptKeys, findAttemptKey, verifyPassword, verifyTotp } = dependencies
  return rpcService(CredentialService, {
    findAttemptKey: ({ loginName, organizationId }) => findAttemptKey(loginName, organizationId || undefined),
    async verifyPassword({ loginName, password, organizationId, clientAddress, throttled }) {
      const verdict = await orExhausted(
        verifyPassword({
          loginName,
          password,
          throttled,
          ...(organizationId !== '' && { organizationId }),
          ...(clientAddress !== '' && { clientAddress }),
        }),
      )
      if (verdict === undefined) return {}
      return 'refusedRule' in verdict ? verdict : { account: accountMessage(verdict, attemptKeys) }
    },
    async verifyTotp({ userId, code, clientAddress, throttled }) {
      const accepted = await verifyTotp({
        userId,
        code,
        throttled,
        ...(clientAddress !== '' && { clientAddress }),
      })
      return { accepted }
    },
  })
}
