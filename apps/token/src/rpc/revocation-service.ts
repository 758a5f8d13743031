import { RpcError } from '@signet/rpc/error'
import { SubjectKind } from '@signet/rpc/gen/token/v1/bearer_service_pb'
import {
  type Administrator,
  type Epoch,
  EpochKind,
  RevocationService,
} from '@signet/rpc/gen/token/v1/revocation_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { EndedBy } from '../audit/session-events.ts'
import type { EndByEpoch } from '../revocation/end-by-epoch.ts'
import type { EndSessions } from '../revocation/end-sessions.ts'
import { type PublishedEpoch, personalTokenMark } from '../revocation/published-epoch.ts'
import type { RevokeKey } from '../revocation/revoke-key.ts'

interface Deps {
  readonly endSessions: EndSessions
  readonly endByEpoch: EndByEpoch
  readonly revokeKey: RevokeKey
}

const KINDS: Readonly<Partial<Record<EpochKind, 'u' | 'c' | 'o'>>> = {
  [EpochKind.USER]: 'u',
  [EpochKind.CLIENT]: 'c',
  [EpochKind.ORGANIZATION]: 'o',
}

/** Serves `signet.token.v1.RevocationService`. */
export const revocationService = ({ endSessions, endByEpoch, revokeKey }: Deps): RpcService =>
  rpcService(RevocationService, {
    async endSession({ sessions, clientAddress, administrator }) {
      const ended = sessions.map(({ sid, userId }) => ({ sid, userId }))
      const by = {
        ...(clientAddress !== '' && { clientAddress }),
        ...(administrator && { administrator: toActor(administrator) }),
      }
      await endSessions(ended, by)
      return {}
    },
    async publishEpochs({ epochs }) {
      await endByEpoch(epochs.map(toPublishedEpoch))
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

function toPublishedEpoch({ kind, id, epoch, userId }: Epoch): PublishedEpoch {
  if (kind === EpochKind.PERSONAL_ACCESS_TOKEN && id !== '' && userId !== '') {
    return { kind: 't', id: personalTokenMark({ userId, tokenId: id }), epoch: 1, subject: userId }
  }
  const known = KINDS[kind]
  if (known === undefined || id === '')
    throw new RpcError('INVALID_ARGUMENT', 'every epoch needs a kind and an id')
  return { kind: known, id, epoch: Number(epoch) }
}
