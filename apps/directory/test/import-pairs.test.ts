import { randomBytes } from 'node:crypto'
import { LIST_NAMES } from '@signet/file-formats/export/lists'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAppliedBatches, storeUndoOutcomes } from '../src/transfer/applied-batches.repository.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import { createUndoBatches } from '../src/transfer/undo-batches.ts'
import { objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { actor, batchFixture } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'
import { human, publicKey, robot, TENANTS, trust } from './import-document.ts'

// Two imports of one organization at once.

const RECORDS = 6
const PAIRS = 2

let fixture: DirectoryFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf } = batchFixture(fixture))
  await fixture.apply(TENANTS)
  const write = async (list: string, records: readonly unknown[]) =>
    apply([batchOf(`ready-${list}`, 0, 'evil', records, { list, ...named })])
  await write(
    'humanUsers',
    pairs.flatMap((pair) => numbers.map((at) => human(`person-${pair}-${at}`))),
  )
  await write(
    'projectRoles',
    pairs.map((pair) => ({ projectId: 'evil-p', roleKey: `reader-${pair}` })),
  )
  await write(
    'projects',
    pairs.flatMap((pair) => numbers.map((at) => project(`granted-${pair}-${at}`))),
  )
})
afterAll(() => fixture?.stop())

const named = { namedOrganizations: ['evil', 'ob'], onConflict: 'skip' as const }
const pairs = Array.from({ length: PAIRS }, (_, pair) => pair)
const numbers = Array.from({ length: RECORDS }, (_, at) => at)
const project = (projectId: string) => ({ projectId, project: { name: projectId } })
const expirationDate = '2099-01-01T00:00:00Z'

/** A record of each list; two imports of it differ in what they would overwrite. */
const RECORD_OF: Readonly<Record<string, (id: string, job: string, at: number, pair: number) => unknown>> = {
  humanUsers: (id) => human(id),
  machineUsers: (id) => robot(id),
  projects: (id) => project(id),
  userMetadata: (id, job) => ({ id: 'plain', key: id, value: Buffer.from(job).toString('base64') }),
  orgMetadata: (id, job) => ({ key: id, value: Buffer.from(job).toString('base64') }),
  machineKeys: (id) => ({ userId: 'worker', keyId: id, publicKey, expirationDate }),
  machineTrustedIssuers: (id, job) => ({ userId: 'worker', id, ...trust(job) }),
  projectRoles: (id, job) => ({ projectId: 'evil-p', roleKey: id, displayName: job }),
  oidcApps: (id) => ({ appId: id, app: { projectId: 'evil-p', name: id } }),
  apiApps: (id) => ({ appId: id, app: { projectId: 'evil-p', name: id } }),
  appKeys: (id) => ({ id, appId: 'evil-web', publicKey, expirationDate }),
  appTrustedIssuers: (id, job) => ({ appId: 'evil-web', id, ...trust(job) }),
  projectGrants: (_, __, at, pair) => ({
    ...{
      grantId: `g-${pair}-${at}`,
      projectGrant: { projectId: `granted-${pair}-${at}`, grantedOrgId: 'ob' },
    },
  }),
  userGrants: (_, __, at, pair) => ({
    ...{ userId: `person-${pair}-${at}`, projectId: 'evil-p', roleKeys: [`reader-${pair}`] },
  }),
  orgMembers: (_, job, at, pair) => ({
    ...{
      userId: `person-${pair}-${at}`,
      roles: [job.startsWith('one') ? 'ORG_OWNER_VIEWER' : 'ORG_USER_MANAGER'],
    },
  }),
  projectMembers: (_, job, at, pair) => ({
    ...{ userId: `person-${pair}-${at}`, projectId: 'evil-p' },
    roles: [job.startsWith('one') ? 'PROJECT_OWNER' : 'PROJECT_OWNER_VIEWER'],
  }),
  projectGrantMembers: (id) => ({ userId: 'plain', projectId: 'evil-p', grantId: id }),
  actions: (id, job) => ({ actionId: id, action: { name: job } }),
  triggerActions: (id) => ({ flowType: id, triggerType: '1', actionIds: [] }),
  oidcIdps: (id, job) => ({
    idpId: id,
    idp: { name: job, issuer: 'https://idp.example', clientId: 'signet', clientSecret: 'secret' },
  }),
  jwtIdps: (id, job) => ({ idpId: id, idp: { name: job } }),
  userLinks: (id) => ({ userId: 'plain', idpId: id, providedUserId: id }),
}
/** Returns a record of a list. A record of texts is a language. */
const recordOf = (list: string) =>
  RECORD_OF[list] ?? ((id: string, job: string) => ({ language: id, title: job }))

const undo = createUndo()
function createUndo() {
  return async (jobId: string) => {
    const [outcome] = await createUndoBatches({
      database: fixture.owner,
      batches: postgresAppliedBatches,
      storeOutcomes: storeUndoOutcomes,
      readAuthorityFacts,
      undoBatches: createUndoBatchRepository({ masterKeys: fixture.masterKeys, random: randomBytes }),
      rows: objectRows,
      publishEndings: async () => undefined,
    })({
      ...{ jobId: `undo-${jobId}`, importJobId: jobId, batches: [{ batch: 0, recordCount: RECORDS }] },
      ...{ force: true, actor },
    })
    return outcome?.outcomes ?? ''
  }
}

describe.each(LIST_NAMES)('two imports of %s at once', (list) => {
  it('create each object once, and the undo of one leaves what the other created', async () => {
    for (const pair of pairs) {
      const jobs = [`one-${list}-${pair}`, `two-${list}-${pair}`]
      const imported = await Promise.all(
        jobs.map(async (job) => {
          const records = numbers.map((at) =>
            recordOf(list)(`${list.slice(0, 24)}-${pair}-${at}`, job, at, pair),
          )
          const [outcome] = await apply([batchOf(job, 0, 'evil', records, { list, ...named })])
          return outcome?.outcomes ?? ''
        }),
      )
      const [one = '', two = ''] = imported
      for (const at of numbers) expect([one[at], two[at]].toSorted(), `${list} ${at}`).toEqual(['c', 's'])
      const created = (outcomes: string) => outcomes.replaceAll('c', 'd')
      expect(await undo(jobs[0] ?? '')).toBe(created(one))
      // Nothing of the other is gone.
      expect(await undo(jobs[1] ?? '')).toBe(created(two))
    }
  })
})
