import { jsonBody } from '@signet/admin-api/json-body'
import { noStore } from '@signet/http/response-headers'
import { type Request, Router } from 'express'
import { z } from 'zod'
import type { ListKeys } from '../administration/list-keys.ts'
import type { RevokeKey } from '../administration/revoke-key.ts'
import type { RewrapKeys } from '../administration/rewrap-keys.ts'
import type { RotateKeys } from '../administration/rotate-keys.ts'
import { KEY_ALGORITHMS, RINGS } from '../rotation/rings.ts'
import { keyDescription } from './key-description.ts'
import type { ManagementRoute } from './management-route.ts'

const wantedRotation = z.strictObject({
  ring: z.enum(RINGS, `must be one of ${RINGS.join(', ')}`).default('signing'),
  algorithm: z.enum(KEY_ALGORITHMS, `must be one of ${KEY_ALGORITHMS.join(', ')}`).optional(),
})
const kidInPath = z.object({
  kid: z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 characters of base64url'),
})

interface Dependencies {
  readonly route: ManagementRoute
  readonly listKeys: ListKeys
  readonly rotateKeys: RotateKeys
  readonly revokeKey: RevokeKey
  readonly rewrapKeys: RewrapKeys
}

const PATH = '/management/v1/keys'
const allKeys = () => ({ kind: 'keys', id: 'all' })
const oneKey = (req: Request) => ({ kind: 'key', id: kidOf(req) })
const kidOf = (req: Request) => kidInPath.parse(req.params).kid

/** Shows every key with its dates, and changes them on demand. */
export function keyRoutes({ route, listKeys, rotateKeys, revokeKey, rewrapKeys }: Dependencies): Router {
  return Router()
    .get(
      PATH,
      noStore,
      route('keys.read', allKeys, async (attempt) => ({
        keys: (await listKeys(attempt)).map(keyDescription),
      })),
    )
    .post(
      `${PATH}/rotate`,
      noStore,
      jsonBody(),
      route('keys.rotate', allKeys, async (attempt, req) => ({
        keys: (await rotateKeys(attempt, wantedRotation.parse(req.body, { reportInput: true }))).map(
          keyDescription,
        ),
      })),
    )
    .post(
      `${PATH}/rewrap`,
      noStore,
      route('keys.rewrap', allKeys, async (attempt) => ({ rewrapped: await rewrapKeys(attempt) })),
    )
    .post(
      `${PATH}/:kid/revoke`,
      noStore,
      route('key.revoke', oneKey, async (attempt, req) => ({
        key: keyDescription(await revokeKey(attempt, kidOf(req))),
      })),
    )
}
