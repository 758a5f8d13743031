import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import { RehearsedOutcome, type TransferService } from '@signet/grpc/gen/directory/v1/transfer_service_pb'
import type { RehearsalOutcome, TryStaged } from '../rehearsal/rehearsal.ts'

/** Five seconds in the queue of the directory, and the slowest hash. */
const TRY_TIMEOUT_MS = 20_000

const OUTCOMES: Readonly<Record<number, RehearsalOutcome>> = {
  [RehearsedOutcome.WOULD_SIGN_IN]: 'wouldSignIn',
  [RehearsedOutcome.WRONG_PASSWORD]: 'wrongPassword',
  [RehearsedOutcome.NO_SUCH_PERSON]: 'noSuchPerson',
  [RehearsedOutcome.SEVERAL_PEOPLE]: 'severalPeople',
  [RehearsedOutcome.INACTIVE]: 'inactive',
  [RehearsedOutcome.NO_PASSWORD]: 'noPassword',
  [RehearsedOutcome.KEEPS_PASSWORD]: 'keepsPassword',
  [RehearsedOutcome.NOT_IMPORTED]: 'notImported',
  [RehearsedOutcome.PASSWORD_NOT_ALLOWED]: 'passwordNotAllowed',
  [RehearsedOutcome.SECOND_FACTOR_NEEDED]: 'secondFactorNeeded',
  [RehearsedOutcome.SECOND_FACTOR_WRONG]: 'secondFactorWrong',
  [RehearsedOutcome.HASH_TOO_SLOW]: 'hashTooSlow',
}

/** Tries sample sign-ins in the pool of the directory, which checks the passwords of all sign-ins. */
export function createTryStaged(transfer: RpcClient<typeof TransferService>): TryStaged {
  return async ({ loginName, password, otp = '' }, people) => {
    const request = {
      loginName,
      password,
      otp,
      people: people.map(({ user, organization, outcome }) => ({
        user: Buffer.from(user),
        organization: Buffer.from(organization),
        outcome,
      })),
    }
    try {
      const { outcome: code, ...tried } = await transfer.rehearseSignIn(request, {
        timeoutMs: TRY_TIMEOUT_MS,
      })
      const outcome = OUTCOMES[code]
      if (outcome === undefined) throw new Error(`the directory answers with an unknown outcome ${code}`)
      const { userId, hashKind, milliseconds, steps } = tried
      return {
        outcome,
        ...(userId !== '' && { userId }),
        ...(hashKind !== '' && { hashKind, milliseconds }),
        ...(steps.length > 0 && { steps }),
      }
    } catch (error) {
      if (error instanceof RpcError && error.code === 'RESOURCE_EXHAUSTED') return { outcome: 'busy' }
      throw error
    }
  }
}
