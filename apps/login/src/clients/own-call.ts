// Calls to the directory that change the account of the caller's session.
import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { callService } from '../dependency.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import type { OwnChange } from '../sessions/sign-in-proof.ts'

/** The methods that check the session, and those of the previous release that do not. */
export interface OwnCalls {
  readonly own: RpcClient<typeof OwnAccountService>
  readonly accounts: RpcClient<typeof AccountService>
}

export const changeMessage = ({ userEpoch, organizationEpoch, ...change }: OwnChange) => ({
  ...change,
  userEpoch: BigInt(userEpoch),
  organizationEpoch: BigInt(organizationEpoch),
})

export const ownerOf = ({ userId, clientAddress }: OwnChange) => ({ userId, clientAddress })

/** Whether a directory of the previous version refused the caller or the method, which it does not know. */
export const isUnknownMethod = (error: unknown) =>
  error instanceof RpcError && (error.code === 'UNIMPLEMENTED' || error.code === 'PERMISSION_DENIED')

/** Calls a method of OwnAccountService; during a rollout, with a directory that has none such, the method `before` it. */
export async function callOwn<A, B>(own: () => Promise<A>, before: () => Promise<B>): Promise<A | B> {
  try {
    return await callService('directory', own)
  } catch (error) {
    if (!isUnknownMethod(error)) throw error
    return callService('directory', before)
  }
}

/** Throws PageExpiredError when the directory refuses the change because the session has ended: the user signs in again. */
export async function inSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isRefused = error instanceof RpcError && error.code === 'FAILED_PRECONDITION'
    throw isRefused ? new PageExpiredError('the session has ended') : error
  }
}
