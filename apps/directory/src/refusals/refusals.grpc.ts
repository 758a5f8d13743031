import { timestampDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { type Refusal, RefusalService } from '@signet/grpc/gen/directory/v1/refusal_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { type NewRefusal, REFUSING_SERVICES, type RefusingService } from './refusal.ts'

const MOST_AT_ONCE = 500
/** Longer texts are cut: an event is a hint, and its sender has shortened them. */
const LONGEST_TEXT = 300
const MOST_VALUES = 10
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Serves `signet.directory.v1.RefusalService`. */
export function refusalService(record: (refusals: readonly NewRefusal[]) => Promise<void>): RpcService {
  return rpcService(RefusalService, {
    async recordRefusals({ refusals }, { caller }) {
      const service = REFUSING_SERVICES.find((name) => name === caller)
      if (service === undefined || refusals.length > MOST_AT_ONCE)
        throw new RpcError('INVALID_ARGUMENT', `refusals: may have at most ${MOST_AT_ONCE}`)
      await record(refusals.map((message) => toRefusal(message, service)))
      return {}
    },
  })
}

function toRefusal(message: Refusal, service: RefusingService): NewRefusal {
  const { id, at, clientId } = message
  if (!UUID.test(id) || at === undefined || clientId === '')
    throw new RpcError('INVALID_ARGUMENT', 'refusals: id, at and client_id are required')
  const values = message.values.slice(0, MOST_VALUES)
  return {
    ...{ id, service, at: timestampDate(at) },
    refusal: {
      clientId,
      requestId: short(message.requestId),
      reason: short(message.reason),
      result: message.changed ? 'changed' : 'refused',
      userId: message.userId === '' ? undefined : message.userId,
      clientAddress: short(message.clientAddress),
      values: Object.fromEntries(values.map(({ name, value }) => [short(name), short(value)])),
      isAudited: message.audited,
    },
  }
}

/** PostgreSQL takes no half of a character; U+0000 is in no request. */
const short = (text: string) => text.slice(0, LONGEST_TEXT).toWellFormed()
