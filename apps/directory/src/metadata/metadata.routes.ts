import { z } from 'zod'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { organizationId, storedKey, userId } from '../api/parameters.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import {
  managesAccounts,
  managesOrganization,
  onOrganization,
  onUser,
  type Permission,
  viewsAccounts,
  viewsOrganization,
} from '../permissions/permission.ts'
import { newKey } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  deleteMetadata,
  listMetadata,
  type MetadataOwner,
  type MetadataReads,
  type MetadataStores,
  readMetadata,
  setMetadata,
} from './metadata.service.ts'

const MOST_BYTES = 500_000

const asMetadataKey = (key: typeof storedKey) =>
  key.describe('A key of the metadata.').meta({ examples: ['customer_no'] })

/** Bytes inside, base64 on the wire, as exports have it. */
const metadataValue = z
  .codec(z.base64('must be base64'), z.instanceof(Buffer), {
    decode: (text) => Buffer.from(text, 'base64'),
    encode: (bytes) => bytes.toString('base64'),
  })
  .refine(({ length }) => length > 0 && length <= MOST_BYTES, `must hold 1 to ${MOST_BYTES} bytes`)
  .describe('Base64.')

const metadata = z.strictObject({ key: z.string(), value: metadataValue }).meta({ id: 'Metadata' })

interface Kind {
  readonly noun: 'user' | 'organization'
  readonly parameter: 'userId' | 'organizationId'
  readonly schema: z.ZodType<string>
  readonly viewing: Permission
  readonly changing: Permission
  readonly owner: (id: string) => MetadataOwner
}

const KINDS: readonly Kind[] = [
  {
    noun: 'user',
    parameter: 'userId',
    schema: userId,
    viewing: onUser(viewsAccounts),
    changing: onUser(managesAccounts),
    owner: (id) => ({ store: 'userMetadata', id, require: ({ accounts }) => requireAccount(accounts, id) }),
  },
  {
    noun: 'organization',
    parameter: 'organizationId',
    schema: organizationId,
    viewing: onOrganization(viewsOrganization),
    changing: onOrganization(managesOrganization),
    owner: (id) => ({
      store: 'organizationMetadata',
      id,
      require: ({ organizations }) => requireOrganization(organizations, id),
    }),
  },
]

export const metadataOperations = KINDS.flatMap(operationsOf)

function operationsOf({ noun, parameter, schema, viewing, changing, owner }: Kind) {
  const collection = `/management/v1/${noun}s/{${parameter}}/metadata`
  const item = `${collection}/{key}`
  const ofOwner: Readonly<Record<string, z.ZodType<string>>> = { [parameter]: schema }
  const parameters = { ...ofOwner, key: asMetadataKey(storedKey) }
  const ownerOf = (input: Readonly<Record<string, unknown>>) => owner(String(input[parameter]))
  // The audit log holds no words of a caller's choice.
  const target = { kind: noun, field: parameter }
  const article = noun === 'user' ? 'a user' : 'an organization'
  return [
    operation({
      id: `${noun}_metadata.list`,
      summary: `Lists the metadata of ${article}`,
      method: 'get',
      path: collection,
      parameters: ofOwner,
      query: paging,
      response: pageOf(metadata),
      permission: viewing,
      target,
      handle: (_call, input, services: MetadataReads) =>
        listMetadata(ownerOf(input), { limit: Number(input.limit), cursor: input.cursor }, services),
    }),
    operation({
      id: `${noun}_metadata.read`,
      summary: `Shows what the metadata of ${article} holds under a key`,
      method: 'get',
      path: item,
      parameters,
      response: metadata,
      permission: viewing,
      target,
      handle: (_call, input, services: MetadataReads) => readMetadata(ownerOf(input), input.key, services),
    }),
    operation({
      id: `${noun}_metadata.set`,
      summary: `Sets what the metadata of ${article} holds under a key`,
      method: 'put',
      path: item,
      parameters: { ...ofOwner, key: asMetadataKey(newKey) },
      request: z.strictObject({ value: metadataValue }),
      example: { value: 'NDcxMQ==' },
      response: metadata,
      permission: changing,
      target,
      handle: (call: ManagementCall<MetadataStores>, input) =>
        setMetadata(call, ownerOf(input), { key: input.key, value: input.value }),
    }),
    operation({
      id: `${noun}_metadata.delete`,
      summary: `Takes a key out of the metadata of ${article}`,
      method: 'delete',
      path: item,
      parameters,
      permission: changing,
      target,
      handle: (call: ManagementCall<MetadataStores>, input) =>
        deleteMetadata(call, ownerOf(input), input.key),
    }),
  ]
}
