import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { type Request, Router } from 'express'
import { z } from 'zod'
import type { ListKeys } from '../administration/list-keys.ts'
import type { RevokeKey } from '../administration/revoke-key.ts'
import type { RewrapKeys } from '../administration/rewrap-keys.ts'
import type { RotateKeys } from '../administration/rotate-keys.ts'
import { KEY_ALGORITHMS, RINGS } from '../rotation/rings.ts'
import { keyDescription } from './key-description.ts'
import type { ManagementRoutes } from './management-route.ts'

const wantedRotation = z.strictObject({
  ring: z.enum(RINGS, `must be one of ${RINGS.join(', ')}`).default('signing'),
  algorithm: z.enum(KEY_ALGORITHMS, `must be one of ${KEY_ALGORITHMS.join(', ')}`).optional(),
})
const kidInPath = z.object({
  kid: z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 characters of base64url'),
})

interface Dependencies {
  readonly routes: ManagementRoutes
  readonly listKeys: ListKeys
  readonly rotateKeys: RotateKeys
  readonly revokeKey: RevokeKey
  readonly rewrapKeys: RewrapKeys
}

const PATH = '/management/v1/keys'
const allKeys = () => ({ kind: 'keys', id: 'all' })
const oneKey = (req: Request) => ({ kind: 'key', id: kidInPath.parse(req.params).kid })

/** Shows every key with its dates, and changes them on demand. */
export function keyRoutes({ routes, listKeys, rotateKeys, revokeKey, rewrapKeys }: Dependencies): Router {
  return Router()
    .get(
      PATH,
      noStore,
      routes.look('keys.read', allKeys, async (call) => ({
        keys: (await listKeys(call)).map(keyDescription),
      })),
    )
    .post(
      `${PATH}/rotate`,
      noStore,
      jsonBody(),
      routes.change('keys.rotate', allKeys, async (call, req) => ({
        keys: (await rotateKeys(call, wantedRotation.parse(req.body, { reportInput: true }))).map(
          keyDescription,
        ),
      })),
    )
    .post(
      `${PATH}/rewrap`,
      noStore,
      routes.change('keys.rewrap', allKeys, async (call) => ({ rewrapped: await rewrapKeys(call) })),
    )
    .post(
      `${PATH}/:kid/revoke`,
      noStore,
      routes.change('key.revoke', oneKey, async (call) => ({ key: keyDescription(await revokeKey(call)) })),
    )
}
