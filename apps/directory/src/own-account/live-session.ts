// The one place that refuses a change of the own account in a session that has ended.
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { OwnAccountService, type OwnChange } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import type { CallContext, RpcHandlers } from '@signet/grpc/service'
import type { OwnSession } from './own-account.repository.ts'

type Handler = (request: { readonly change?: OwnChange }, context: CallContext) => Promise<never>

/**
 * Adds the check of the session to every method whose request has an OwnChange: FAILED_PRECONDITION unless `isLive`.
 * Throws for a method that changes something and has none.
 */
export function inLiveSession(
  handlers: RpcHandlers<typeof OwnAccountService>,
  isLive: (session: OwnSession) => Promise<boolean>,
): RpcHandlers<typeof OwnAccountService> {
  const untyped = handlers as unknown as Readonly<Record<string, Handler>>
  const checked = OwnAccountService.methods.map(({ localName, input, idempotency }) => {
    const handler = untyped[localName]
    if (input.fields.some(({ message }) => message?.typeName === OWN_CHANGE)) {
      const inSession: Handler = async (request, context) => {
        if (!(await isLive(ownSession(request.change)))) throw refusal()
        return (handler as Handler)(request, context)
      }
      return [localName, inSession] as const
    }
    if (idempotency !== NO_SIDE_EFFECTS && localName !== WRITES_REFUSALS_ALONE) {
      throw new Error(`OwnAccountService.${localName} changes an account: its request needs an OwnChange`)
    }
    return [localName, handler] as const
  })
  return Object.fromEntries(checked) as unknown as RpcHandlers<typeof OwnAccountService>
}

/** Reads an account by the token of a link, with or without a session; a token that is refused is on record. */
const WRITES_REFUSALS_ALONE = 'findEmailChange'
const OWN_CHANGE = 'signet.directory.v1.OwnChange'
const NO_SIDE_EFFECTS = MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS

/** The session of a change. Throws INVALID_ARGUMENT without a person. */
export function ownSession(change: OwnChange | undefined): OwnSession {
  if (change === undefined || change.userId === '')
    throw new RpcError('INVALID_ARGUMENT', 'change.user_id is required')
  const { userId, userEpoch, organizationEpoch } = change
  return { userId, userEpoch: Number(userEpoch), organizationEpoch: Number(organizationEpoch) }
}

/** The error for a change in a session that has ended, or of an account that may not sign in or not be changed. */
export function refusal(): RpcError {
  return new RpcError(
    'FAILED_PRECONDITION',
    'the session has ended, or the account may not sign in or not be changed',
  )
}
