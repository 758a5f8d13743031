import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { managesInstance, onInstance, viewsInstance } from '../permissions/permission.ts'
import { readFeatures, resetFeatures, setFeatures } from './features.service.ts'
import { changed, details, FEATURES, type InstanceFeatures, revisionDetails } from './instance-setting.ts'

const PATH = '/v2/features/instance'
const target = { kind: 'instance', id: 'features' }

const feature = z.strictObject({
  enabled: z.boolean(),
  source: z.enum(['SOURCE_INSTANCE', 'SOURCE_UNSPECIFIED']),
})

export const featureOperations = [
  operation({
    id: 'features.read',
    summary: 'Shows the features of the instance',
    method: 'get',
    path: PATH,
    query: {
      inheritance: z
        .enum(['true', 'false'], 'must be true or false')
        .default('false')
        .describe('Whether to show features that are not set, with their default.'),
    },
    response: z.strictObject({ details, oidcTokenExchange: feature.optional() }).meta({ id: 'Features' }),
    permission: onInstance(viewsInstance),
    target,
    handle: async (call, input, services) =>
      shownFeatures(await readFeatures(call, input, services), input.inheritance === 'true'),
  }),
  operation({
    id: 'features.set',
    summary: 'Switches features of the instance on and off',
    description: 'Those that are left out stay as they are. Effective everywhere within a second.',
    method: 'put',
    path: PATH,
    request: z.strictObject({ oidcTokenExchange: z.boolean().optional() }),
    example: { oidcTokenExchange: true },
    response: changed,
    permission: onInstance(managesInstance),
    target,
    handle: async (call, input) => ({ details: revisionDetails(await setFeatures(call, input)) }),
  }),
  operation({
    id: 'features.reset',
    summary: 'Gives every feature its default back',
    method: 'delete',
    path: PATH,
    response: changed,
    permission: onInstance(managesInstance),
    target,
    handle: async (call) => ({ details: revisionDetails(await resetFeatures(call)) }),
  }),
]

function shownFeatures({ set, revision }: InstanceFeatures, inheritance: boolean) {
  const shown = FEATURES.filter((name) => inheritance || set.has(name)).map((name) => [
    name,
    {
      enabled: set.get(name) ?? false,
      source: set.has(name) ? ('SOURCE_INSTANCE' as const) : ('SOURCE_UNSPECIFIED' as const),
    },
  ])
  return { details: revisionDetails(revision), ...Object.fromEntries(shown) }
}
