import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { managesInstance, onInstance } from '../permissions/permission.ts'
import { applyFile } from './apply-file.ts'
import { OBJECT_KINDS } from './declared-resources.ts'
import { bootstrapFileSchema } from './schema/bootstrap-file.ts'

/** Described here and checked by the use case, which names every problem of a file at once. */
const document = z
  .looseObject({})
  .meta({ id: 'BootstrapFile', ...z.toJSONSchema(bootstrapFileSchema, { io: 'input' }) })

const fieldChange = z.strictObject({
  name: z.string(),
  secret: z.boolean().describe('Of a secret neither the old nor the new value is answered.'),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})

const objectChange = z.strictObject({
  change: z
    .enum(['created', 'updated', 'left_deleted'])
    .describe(
      'left_deleted: it was deleted after the file had made it, and stays so until the file changes it.',
    ),
  kind: z.enum(OBJECT_KINDS),
  path: z.string().describe('Where it stands in the file.'),
  id: z.string().describe('When it is generated, a dry run answers another one than the next call.'),
  organizationId: z.string().optional(),
  fields: z.array(fieldChange).readonly(),
})

const applied = z
  .strictObject({
    dryRun: z.boolean(),
    changes: z.array(objectChange).readonly(),
    unchanged: z.int().describe('How many objects of the file are left as they are.'),
  })
  .meta({ id: 'AppliedFile' })

export const bootstrapFileOperations = [
  operation({
    id: 'instance.apply',
    summary: 'Applies a bootstrap file',
    description: `All of it or nothing. A field is written when the file says something else about it than when it was last applied,
here or at the start of the instance, and when that is not what is stored. Nothing is deleted. Secrets are not compared
with what is stored, and stand in the file themselves: references to files and the environment are refused. What the
file deactivates, and whatever another password or secret of it replaces, ends before the answer.`,
    method: 'post',
    path: '/management/v1/apply',
    query: {
      dryRun: z
        .enum(['true', 'false'], 'must be true or false')
        .default('false')
        .describe('Whether to answer what would be done, and to leave everything as it is.'),
    },
    request: document,
    opaque: ['claimMapping', 'metadata', 'publicKeyJwk'],
    example: { organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }] },
    response: applied,
    permission: onInstance(managesInstance),
    target: { kind: 'instance', id: 'bootstrap_file' },
    handle: (call, { dryRun, ...file }, services) =>
      applyFile(call, { dryRun: dryRun === 'true', document: file }, services),
  }),
]
