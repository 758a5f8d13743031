import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { SignInContext } from '../accounts/login-name.ts'
import { accountMessage } from './account-message.ts'
import type { AttemptKey, AttemptKeys } from './attempt-keys.ts'
import { orExhausted } from './or-exhausted.ts'
import type { RecoveryCodes } from './recovery-codes.service.ts'
import type { AttemptOrigin } from './sign-in-refusals.ts'
import type { TotpAttempt } from './totp.service.ts'
import type { VerifyPasskey } from './verify-passkey.ts'
import type { ForbiddenSignIn, PasswordAccount, PasswordAttempt } from './verify-password.ts'

interface Dependencies {
  readonly attemptKeys: AttemptKeys
  readonly findAttemptKey: (loginName: string, context: SignInContext) => Promise<AttemptKey>
  readonly verifyPassword: (
    attempt: PasswordAttempt,
  ) => Promise<PasswordAccount | ForbiddenSignIn | undefined>
  readonly verifyPasskey: VerifyPasskey
  readonly verifyTotp: (attempt: TotpAttempt) => Promise<boolean>
  readonly recoveryCodes: Pick<RecoveryCodes, 'verify'>
}

export function credentialService(dependencies: Dependencies): RpcService {
  const { attemptKeys, findAttemptKey, verifyPassword, verifyTotp, recoveryCodes, verifyPasskey } =
    dependencies
  return rpcService(CredentialService, {
    findAttemptKey: ({ loginName, organizationId, clientId }) =>
      findAttemptKey(loginName, {
        organizationId: organizationId || undefined,
        clientId: clientId || undefined,
      }),
    async verifyPassword({ organizationId, ...attempt }) {
      const { loginName, password, throttled, announceNewBrowser, agent } = attempt
      const verdict = await orExhausted(
        verifyPassword({
          ...{ loginName, password, throttled, announceNewBrowser, agent },
          organizationId: organizationId || undefined,
          ...originOf(attempt),
        }),
      )
      if (verdict === undefined) return {}
      if ('refusedRule' in verdict) return verdict
      const { newBrowserAnnounced, rolesOffered, ...account } = verdict
      return {
        account: accountMessage(account, attemptKeys),
        newBrowserAnnounced,
        noRolesOffered: !rolesOffered,
      }
    },
    async verifyTotp({ userId, code, throttled, ...attempt }) {
      const accepted = await verifyTotp({ userId, code, throttled, ...originOf(attempt) })
      return { accepted }
    },
    async verifyRecoveryCode({ userId, code, throttled, ...attempt }) {
      const accepted = await recoveryCodes.verify({ userId, code, throttled, ...originOf(attempt) })
      return { accepted }
    },
    async verifyPasskey({ response, challenge, userId, organizationId, throttled, ...attempt }) {
      const verdict = await verifyPasskey({
        response,
        challenge,
        throttled,
        ...(userId !== '' && { userId }),
        ...(organizationId !== '' && { organizationId }),
        ...originOf(attempt),
      })
      if (verdict === undefined || 'refusedRule' in verdict) return verdict ?? {}
      const { account, amr, multiFactor, passkeyId } = verdict
      return { account: accountMessage(account, attemptKeys), amr: [...amr], multiFactor, passkeyId }
    },
  })
}

function originOf({
  clientAddress,
  requestId,
  clientId,
  confirms,
}: {
  readonly clientAddress: string
  readonly requestId: string
  readonly clientId: string
  readonly confirms: boolean
}): AttemptOrigin {
  return {
    clientAddress: clientAddress || undefined,
    requestId: requestId || undefined,
    clientId: clientId || undefined,
    confirms,
  }
}
