// gRPC calls to the directory for passkeys.
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { Passkey } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { callService } from '../dependency.ts'
import type { PasskeyDirectory } from '../own-account/own-passkeys.service.ts'
import type { OwnPasskey } from '../sign-in/own-passkey.ts'
import type { VerifyPasskey } from '../sign-in/passkey.service.ts'
import { verifiedAccount } from './directory.ts'
import { callOwn, changeMessage, inSession, type OwnCalls, ownerOf } from './own-call.ts'

const TIMEOUT_MS = REPEATED_CALL_TIMEOUT_MS

export function createPasskeyVerifier(credentials: RpcClient<typeof CredentialService>): VerifyPasskey {
  return async ({ userId = '', organizationId = '', responseId = '', ...request }) => {
    const message = { ...request, userId, organizationId, requestId: responseId }
    const { account, refusedRule, amr, multiFactor, passkeyId } = await callService('directory', () =>
      credentials.verifyPasskey(message, { timeoutMs: TIMEOUT_MS }),
    )
    if (refusedRule !== '') return { kind: 'forbidden', rule: refusedRule }
    return account && { kind: 'verified', account: verifiedAccount(account), amr, multiFactor, passkeyId }
  }
}

export function passkeyDirectory({ own, accounts }: OwnCalls): PasskeyDirectory {
  const call = <T>(work: () => Promise<T>) => callService('directory', work)
  const options = { timeoutMs: TIMEOUT_MS }
  return {
    async list(userId) {
      const { passkeys, mayAdd } = await call(() => accounts.listPasskeys({ userId }, options))
      return { passkeys: passkeys.map(ownPasskey), mayAdd }
    },
    async begin(owner) {
      try {
        const { userHandle, loginName, displayName, passkeys } = await callOwn(
          () => own.beginOwnPasskey({ change: changeMessage(owner) }, options),
          () => accounts.beginPasskey({ userId: owner.userId }, options),
        )
        const handle = Buffer.from(userHandle).toString('base64url')
        return { userHandle: handle, loginName, displayName, passkeys: passkeys.map(ownPasskey) }
      } catch (error) {
        if (error instanceof RpcError && error.code === 'FAILED_PRECONDITION') return undefined
        throw error
      }
    },
    async add(owner, { response, challenge, factorProven }) {
      const made = { response, challenge, factorProven }
      const { amr, passkeyId } = await inSession(() =>
        callOwn(
          () => own.addOwnPasskey({ change: changeMessage(owner), ...made }, options),
          () => accounts.addPasskey({ ...ownerOf(owner), ...made }, options),
        ),
      )
      return amr.length === 0 ? undefined : { amr, passkeyId }
    },
    async rename(owner, { passkeyId, name }) {
      await inSession(() =>
        callOwn(
          () => own.renameOwnPasskey({ change: changeMessage(owner), passkeyId, name }, options),
          () => accounts.renamePasskey({ ...ownerOf(owner), passkeyId, name }, options),
        ),
      )
    },
    async delete(owner, passkeyId) {
      await inSession(() =>
        callOwn(
          () => own.deleteOwnPasskey({ change: changeMessage(owner), passkeyId }, options),
          () => accounts.deletePasskey({ ...ownerOf(owner), passkeyId }, options),
        ),
      )
    },
    async skipOffer(owner) {
      await inSession(() =>
        callOwn(
          () => own.skipOwnPasskeyOffer({ change: changeMessage(owner) }, options),
          () => accounts.skipPasskeyOffer({ userId: owner.userId }, options),
        ),
      )
    },
  }
}

function ownPasskey(passkey: Passkey): OwnPasskey {
  const { id, credentialId, transports, name, createdAt, lastUsedAt, backupEligible, backedUp, cloned } =
    passkey
  return {
    ...{ id, credentialId, transports, name, backupEligible, backedUp, cloned },
    createdAt: createdAt === undefined ? new Date(0) : timestampDate(createdAt),
    lastUsedAt: lastUsedAt && timestampDate(lastUsedAt),
  }
}
