import { generateKeyPairSync } from 'node:crypto'
import { LISTS, type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { BootstrapFileInput } from '../src/bootstrap.ts'
import type { Batch, BatchOutcome } from '../src/transfer/batch.ts'
import { batchFixture } from './batch-fixture.ts'
import { type DirectoryFixture, PASSWORD } from './directory-fixture.ts'

/** An entry of a document: an organization with lists of records. */
export interface Entry {
  readonly orgId: string
  readonly org?: { readonly name: string }
  readonly [list: string]: unknown
}

export interface Imported {
  /** The outcomes of the records of each list, by `organization list`. */
  readonly outcomes: Readonly<Record<string, string>>
  readonly messages: readonly string[]
  /** The messages of records that refer to an object that is not there, or not in the document. */
  readonly missing: readonly string[]
  readonly notes: readonly string[]
}

interface Options {
  readonly jobId: string
  readonly named?: readonly string[]
  readonly onConflict?: Batch['onConflict']
}

/** Imports a whole document, stage after stage, as the service of imports does. */
export function documentImporter(fixture: DirectoryFixture) {
  const { apply, batchOf } = batchFixture(fixture)
  return async (
    entries: readonly Entry[],
    { jobId, named = [], onConflict = 'skip' }: Options,
  ): Promise<Imported> => {
    let batch = 0
    const outcomes: Record<string, string> = {}
    const messages: string[] = []
    const missing: string[] = []
    const notes: string[] = []
    const write = async (list: string, { orgId }: Entry, records: readonly unknown[]) => {
      const more = { list, onConflict, namedOrganizations: named }
      const [outcome] = await apply([batchOf(jobId, batch, orgId, records, more)])
      batch += 1
      outcomes[`${orgId} ${list}`] = (outcome as BatchOutcome).outcomes
      const { failures } = outcome as BatchOutcome
      messages.push(...failures.map(({ message }) => message))
      missing.push(...failures.flatMap(({ message, isMissing }) => (isMissing ? [message] : [])))
      notes.push(...(outcome as BatchOutcome).notes)
    }
    for (const entry of entries) {
      const header = Object.fromEntries(Object.entries(entry).filter(([member]) => !(member in LISTS)))
      await write('organization', entry, [{ org: { name: entry.orgId }, domains: [], ...header }])
    }
    const names = (Object.keys(LISTS) as ListName[]).toSorted(
      (one, other) => shapeOf(one).stage - shapeOf(other).stage,
    )
    for (const list of names) {
      for (const entry of entries) {
        const records = entry[list] as readonly unknown[] | undefined
        if (records !== undefined) await write(list, entry, records)
      }
    }
    return { outcomes, messages, missing, notes }
  }
}

/** A public key as a document has it. */
export const publicKey = Buffer.from(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
).toString('base64')

export const human = (userId: string, more: object = {}) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId, displayName: userId }, ...more },
})
/** The members of a trusted issuer beside its owner and its id. */
export const trust = (name: string) => ({ issuer: `https://${name}.example`, subject: 'workload' })
export const robot = (userId: string, more: object = {}) => ({
  userId,
  user: { userName: userId, name: userId },
  ...more,
})

const member = (id: string, more: object = {}) => ({
  id,
  userName: id,
  profile: { givenName: id, familyName: id },
  password: PASSWORD,
  ...more,
})
const client = (id: string, more: object = {}) => ({
  ...{ id, clientId: id, name: id, type: 'web' as const, clientSecret: 'x'.repeat(43) },
  redirectUris: ['https://app.example/callback'],
  ...more,
})

/** The instance with `acme`, the tenant `ob`, and `evil`, in which an IAM_OWNER lives too. */
export const TENANTS: BootstrapFileInput = {
  organizations: [
    {
      ...{ id: 'acme', name: 'acme', primaryDomain: 'acme.localhost' },
      users: [member('boss', { roles: ['ORG_OWNER'] })],
      serviceUsers: [
        {
          id: 'administrator',
          userName: 'administrator',
          roles: ['IAM_OWNER'],
          clientSecret: 's'.repeat(43),
        },
      ],
    },
    {
      ...{ id: 'ob', name: 'ob', primaryDomain: 'ob.localhost', domains: ['obmail.test'] },
      users: [member('ob-own', { roles: ['ORG_OWNER'] }), member('ob-vic')],
      serviceUsers: [{ id: 'ob-robot', userName: 'ob-robot' }],
      projects: [
        {
          ...{ id: 'ob-p', name: 'ob-p', roles: [{ key: 'admin' }] },
          grants: [{ userId: 'ob-own', roles: ['admin'] }],
          applications: [client('ob-web')],
        },
      ],
    },
    {
      ...{ id: 'evil', name: 'evil', primaryDomain: 'evil.localhost' },
      users: [
        member('resident', { roles: ['IAM_OWNER'] }),
        member('plain'),
        member('own', { roles: ['ORG_OWNER'] }),
      ],
      serviceUsers: [
        { id: 'steward', userName: 'steward', roles: ['IAM_OWNER_VIEWER'] },
        { id: 'worker', userName: 'worker' },
      ],
      projects: [
        {
          ...{ id: 'evil-p', name: 'evil-p', roles: [{ key: 'reader' }] },
          applications: [client('evil-web'), client('evil-api', { mayCallApi: true })],
        },
      ],
    },
  ],
}
