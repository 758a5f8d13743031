import { invalidFields } from '@signet/http-server/invalid-fields'
import { jsonBody } from '@signet/http-server/json-body'
import { queryParameters } from '@signet/http-server/query-parameters'
import { noStore } from '@signet/http-server/response-headers'
import { type Request, Router } from 'express'
import { z } from 'zod'
import type { ManagementCall } from '../audit/audit-event.ts'
import { FEATURES, type Feature, type InstanceFeatures, type Revision } from '../instance/instance-setting.ts'
import type { ManagementRoutes } from './management-route.ts'
import { revisionDetails } from './revision-details.ts'

const wantedFeatures = z.strictObject({ oidcTokenExchange: z.boolean().optional() })

interface Dependencies {
  readonly routes: ManagementRoutes
  readonly readFeatures: (call: ManagementCall) => Promise<InstanceFeatures>
  readonly setFeatures: (call: ManagementCall, wanted: ReadonlyMap<Feature, boolean>) => Promise<Revision>
  readonly resetFeatures: (call: ManagementCall) => Promise<Revision>
}

const PATH = '/v2/features/instance'
const TARGET = { kind: 'instance', id: 'features' }

/** The features of the instance: what is set, and with `inheritance=true` what holds where nothing is set. */
export function featureRoutes({ routes, readFeatures, setFeatures, resetFeatures }: Dependencies): Router {
  return Router()
    .get(
      PATH,
      noStore,
      routes.look('features.read', TARGET, async (call, req) => {
        const inheritance = readInheritance(req)
        const { set, revision } = await readFeatures(call)
        const shown = FEATURES.filter((feature) => inheritance || set.has(feature)).map((feature) => [
          feature,
          {
            enabled: set.get(feature) ?? false,
            source: set.has(feature) ? 'SOURCE_INSTANCE' : 'SOURCE_UNSPECIFIED',
          },
        ])
        return { details: revisionDetails(revision), ...Object.fromEntries(shown) }
      }),
    )
    .put(
      PATH,
      noStore,
      jsonBody(),
      routes.change('features.set', TARGET, async (call, req, res) => {
        const wanted = wantedFeatures.parse(req.body)
        const given = FEATURES.flatMap((feature) => {
          const enabled = wanted[feature]
          return enabled === undefined ? [] : [[feature, enabled] as const]
        })
        res.json({ details: revisionDetails(await setFeatures(call, new Map(given))) })
      }),
    )
    .delete(
      PATH,
      noStore,
      routes.change('features.reset', TARGET, async (call, _req, res) => {
        res.json({ details: revisionDetails(await resetFeatures(call)) })
      }),
    )
}

function readInheritance(req: Request): boolean {
  const { inheritance = 'false' } = queryParameters(req)
  if (inheritance === 'true' || inheritance === 'false') return inheritance === 'true'
  throw invalidFields([{ field: 'inheritance', rule: 'must be true or false' }])
}
