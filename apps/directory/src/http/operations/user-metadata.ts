import { z } from 'zod'
import { deleteMetadata, listMetadata, readMetadata, setMetadata } from '../../accounts/metadata.ts'
import { onUser } from '../../permissions/permission.ts'
import { managesAccounts, viewsAccounts } from '../../permissions/sufficient-roles.ts'
import { operation } from '../operation.ts'
import { metadataKey as key, metadata, metadataValue } from './metadata-schemas.ts'
import { pageOf, paging } from './paging.ts'
import { userId } from './parameters.ts'

const COLLECTION = '/management/v1/users/{userId}/metadata'
const ITEM = `${COLLECTION}/{key}`
/** The trail holds no words of a caller's choice. */
const target = { kind: 'user', field: 'userId' }

export const userMetadataOperations = [
  operation({
    id: 'user_metadata.list',
    summary: 'Lists the metadata of a user',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(metadata),
    permission: onUser(viewsAccounts),
    target,
    handle: listMetadata,
  }),
  operation({
    id: 'user_metadata.read',
    summary: 'Shows what the metadata of a user holds under a key',
    method: 'get',
    path: ITEM,
    parameters: { userId, key },
    response: metadata,
    permission: onUser(viewsAccounts),
    target,
    handle: readMetadata,
  }),
  operation({
    id: 'user_metadata.set',
    summary: 'Sets what the metadata of a user holds under a key',
    method: 'put',
    path: ITEM,
    parameters: { userId, key },
    request: z.strictObject({ value: metadataValue }),
    example: { value: 'NDcxMQ==' },
    response: metadata,
    permission: onUser(managesAccounts),
    target,
    handle: setMetadata,
  }),
  operation({
    id: 'user_metadata.delete',
    summary: 'Takes a key out of the metadata of a user',
    method: 'delete',
    path: ITEM,
    parameters: { userId, key },
    permission: onUser(managesAccounts),
    target,
    handle: deleteMetadata,
  }),
]
