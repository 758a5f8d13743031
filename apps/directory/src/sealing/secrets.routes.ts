import { rewrapped } from '@signet/admin-api/rewrapped'
import { operation } from '../management-api/operation.ts'
import { managesInstance, onInstance } from '../permissions/permission.ts'

export const secretOperations = [
  operation({
    id: 'secrets.rewrap',
    summary: 'Seals stored values under the first of the master keys of the directory',
    description:
      'Second factors, records that imports carry, undo records and answers for repeated calls; 2,000 in a call. Repeat it until done is true; then the other master keys may leave SIGNET_DIRECTORY_MASTER_KEY.',
    method: 'post',
    path: '/management/v1/secrets/rewrap',
    response: rewrapped,
    permission: onInstance(managesInstance),
    target: { kind: 'instance', id: 'secrets' },
    handle: (call, _input, { masterKeys, random }) =>
      call.change(async ({ sealedValues }) => {
        const result = await sealedValues.rewrap(masterKeys, random)
        return { result, details: { rewrapped: result.rewrapped, unreadable: result.unreadable } }
      }),
  }),
]
