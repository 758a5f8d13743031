import { RpcError } from '@signet/grpc/error'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import {
  type Administrator,
  type Ending,
  EndingKind,
  RevocationService,
} from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { personalTokenId } from '@signet/revocation-reader/endings'
import type { EndedBy } from '../audit-events.ts'
import type { DirectoryEnding } from '../ending-store.ts'
import type { EndByDirectory } from './follow-epochs.ts'
import type { EndSessions, RevokeKey } from './revoke.service.ts'

interface RevocationServiceDeps {
  readonly endSessions: EndSessions
  readonly endByDirectory: EndByDirectory
  readonly revokeKey: RevokeKey
}

const KINDS: Readonly<Partial<Record<EndingKind, DirectoryEnding['kind']>>> = {
  [EndingKind.USER]: 'u',
  [EndingKind.CLIENT]: 'c',
  [EndingKind.ORGANIZATION]: 'o',
  [EndingKind.PERSONAL_ACCESS_TOKEN]: 'p',
}

/** Serves `signet.token.v1.RevocationService`. */
export const revocationService = ({
  endSessions,
  endByDirectory,
  revokeKey,
}: RevocationServiceDeps): RpcService =>
  rpcService(RevocationService, {
    async endSession({ sessions, clientAddress, administrator }) {
      const ended = sessions.map(({ sid, userId }, index) => {
        if (sid === '') throw new RpcError('INVALID_ARGUMENT', `sessions[${index}].sid is required`)
        return { sid, userId }
      })
      const by = {
        ...(clientAddress !== '' && { clientAddress }),
        ...(administrator && { administrator: toActor(administrator) }),
      }
      await endSessions(ended, by)
      return {}
    },
    async publishEndings({ endings }) {
      await endByDirectory(endings.map(toDirectoryEnding))
      return {}
    },
    async revokeKey({ kid }) {
      if (kid === '') throw new RpcError('INVALID_ARGUMENT', 'kid is required')
      await revokeKey(kid)
      return {}
    },
  })

function toActor({ userId, kind }: Administrator): NonNullable<EndedBy['administrator']> {
  if (userId === '') throw new RpcError('INVALID_ARGUMENT', 'administrator needs a user_id')
  return { kind: kind === SubjectKind.HUMAN ? 'human' : 'service_user', id: userId }
}

function toDirectoryEnding({ kind, id, value, userId }: Ending): DirectoryEnding {
  const known = KINDS[kind]
  if (known === undefined || id === '') {
    throw new RpcError('INVALID_ARGUMENT', 'every ending needs a kind and an id')
  }
  if (known !== 'p') {
    if (value < 1n) throw new RpcError('INVALID_ARGUMENT', 'the value of an ending is 1 or more')
    return { kind: known, id, epoch: Number(value) }
  }
  if (userId === '') throw new RpcError('INVALID_ARGUMENT', 'a personal access token needs a user_id')
  return { kind: 'p', id: personalTokenId(userId, id), epoch: 1 }
}
