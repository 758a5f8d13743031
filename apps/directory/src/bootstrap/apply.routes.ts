import { z } from 'zod'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { managesInstance, onInstance } from '../permissions/permission.ts'
import { bootstrapFileSchema } from './bootstrap-file.ts'
import { OBJECT_KINDS } from './declared-resources.ts'

/** Only described here. `applyFile` checks the document and reports all problems at once. */
const document = z
  .looseObject({})
  .meta({ id: 'BootstrapFile', ...z.toJSONSchema(bootstrapFileSchema, { io: 'input' }) })

const fieldChange = z.strictObject({
  name: z.string(),
  secret: z.boolean().describe('True for a secret, whose old and new values are left out.'),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})

const objectChange = z.strictObject({
  change: z
    .enum(['created', 'updated', 'left_deleted'])
    .describe(
      'left_deleted: the object was deleted after the file had created it. It stays deleted until the file changes it.',
    ),
  kind: z.enum(OBJECT_KINDS),
  path: z.string().describe('The position in the file.'),
  id: z.string().describe('A generated id differs between a dry run and the next call.'),
  organizationId: z.string().optional(),
  fields: z.array(fieldChange).readonly(),
})

const applied = z
  .strictObject({
    dryRun: z.boolean(),
    changes: z.array(objectChange).readonly(),
    unchanged: z.int().describe('The number of objects of the file that stay unchanged.'),
  })
  .meta({ id: 'AppliedFile' })

/** Merges a bootstrap file into the database: all of it, or nothing when any part is refused. */
type ApplyFile<Stores, Services> = (
  call: ManagementCall<Stores>,
  file: { readonly dryRun: boolean; readonly document: object },
  services: Services,
) => Promise<z.output<typeof applied>>

/** Creates the operation that applies a bootstrap file. `Stores` are those of all objects of a file. */
export const createBootstrapFileOperations = <Stores, Services>(applyFile: ApplyFile<Stores, Services>) => [
  operation({
    id: 'instance.apply',
    summary: 'Applies a bootstrap file',
    description: `Applies all of the file or nothing. A field is written if its value in the file has changed since the file was last applied,
by this operation or at the start of the instance, and if it differs from the stored value. Nothing is deleted. Secrets are not
compared with stored ones and must be in the file: references to files and the environment are refused. Sessions and tokens of
deactivated objects and of replaced passwords and secrets end before the response.`,
    method: 'post',
    path: '/management/v1/apply',
    query: {
      dryRun: z
        .enum(['true', 'false'], 'must be true or false')
        .default('false')
        .describe('true returns the changes without applying them.'),
    },
    request: document,
    opaque: [
      'authorizationDetailTypes',
      'claimMapping',
      'crossAppAccess',
      'metadata',
      'publicKeyJwk',
      'requiredClaims',
    ],
    mostValues: 50_000,
    example: { organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }] },
    response: applied,
    permission: onInstance(managesInstance),
    target: { kind: 'instance', id: 'bootstrap_file' },
    handle: (call: ManagementCall<Stores>, { dryRun, ...file }, services: Services) =>
      applyFile(call, { dryRun: dryRun === 'true', document: file }, services),
  }),
]
