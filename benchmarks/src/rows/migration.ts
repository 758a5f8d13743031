import { residentBytesOf } from '../measure/process-usage.ts'
import { oneOrganization, smallOrganizations } from '../stage/import-document.ts'
import { exportUsers, importUsers, type Moved } from '../stage/migration.ts'
import { standaloneEnvironment } from '../stage/production-environment.ts'
import { openStandalone } from '../stage/standalone.ts'
import { temporaryFolder } from '../stage/temporary-folder.ts'
import type { FigureRow } from './row.ts'

const MEBIBYTE = 1_048_576
const SAMPLE_MS = 50
/** A first import of this size warms everything up, and tells how memory grows from it on. */
const FEW_USERS = 10_000

/** Inline import and export of one organization, whose users have bcrypt strings, by the process of `npm start`. */
export const migration: FigureRow = {
  kind: 'figures',
  name: 'migration',
  title: 'import and export, standalone, databases on the same machine',
  async measure({ users }) {
    await using opened = new AsyncDisposableStack()
    const standalone = await openStandalone(await temporaryFolder(opened), standaloneEnvironment())
    opened.defer(() => standalone.stop())
    const { pid } = await standalone.start()
    const idleBytes = residentBytesOf([pid])
    const { origin } = standalone
    const few = await withPeak(pid, async () => {
      await importUsers(origin, oneOrganization('few', FEW_USERS))
      return exportUsers(origin, oneOrganization('few', FEW_USERS))
    })
    const brought = await withPeak(pid, () => importUsers(origin, oneOrganization('many', users)))
    const taken = await withPeak(pid, () => exportUsers(origin, oneOrganization('many', users)))
    const most = Math.max(brought.peakBytes, taken.peakBytes)
    return [
      {
        name: `import of ${users} users`,
        value: rateOf(brought.result),
        unit: 'users/s',
        budget: { atLeast: 20_000 },
      },
      {
        name: `export of ${users} users`,
        value: rateOf(taken.result),
        unit: 'users/s',
        budget: { atLeast: 50_000 },
      },
      {
        name: `memory above idle, ${users} users`,
        value: (most - idleBytes) / MEBIBYTE,
        unit: 'MiB',
        budget: { atMost: 180 },
        note: `import ${mebibytes(brought.peakBytes - idleBytes)}, export ${mebibytes(taken.peakBytes - idleBytes)}`,
      },
      {
        name: `growth of memory from ${FEW_USERS} to ${users} users`,
        value: (most - few.peakBytes) / MEBIBYTE,
        unit: 'MiB',
        budget: { atMost: 80 },
      },
    ]
  },
}

/** Imports and exports the same number of users in organizations of 20 and in one. */
export const migrationOfSmallOrganizations: FigureRow = {
  kind: 'figures',
  name: 'migration-organizations',
  title: 'import and export of organizations of 20 users, standalone, databases on the same machine',
  async measure({ usersOfOrganizations: users }) {
    await using opened = new AsyncDisposableStack()
    const standalone = await openStandalone(await temporaryFolder(opened), standaloneEnvironment())
    opened.defer(() => standalone.stop())
    await standalone.start()
    const { origin } = standalone
    await importUsers(origin, oneOrganization('few', FEW_USERS))
    await exportUsers(origin, oneOrganization('few', FEW_USERS))
    const [one, small] = [oneOrganization('one', users), smallOrganizations('small', users)]
    const imports = [
      rateOf(await importUsers(origin, one)),
      rateOf(await importUsers(origin, small)),
    ] as const
    const exports = [
      rateOf(await exportUsers(origin, one)),
      rateOf(await exportUsers(origin, small)),
    ] as const
    const organizations = small.organizationIds.length
    const figures = (what: string, [ofOne, ofSmall]: readonly [number, number]) => [
      { name: `${what} of ${organizations} organizations of 20 users`, value: ofSmall, unit: 'users/s' },
      {
        name: `${what}: ratio to one organization of ${users} users`,
        value: ofSmall / ofOne,
        unit: '',
        budget: { atLeast: 0.5 },
        note: `${Math.round(ofOne)} users/s`,
      },
    ]
    return [...figures('import', imports), ...figures('export', exports)]
  },
}

const rateOf = ({ users, seconds }: Moved) => users / seconds

const mebibytes = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`

/** The result, and the most resident bytes that a process had meanwhile. */
async function withPeak<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peakBytes: number }> {
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytesOf([pid]))
  }, SAMPLE_MS)
  try {
    const result = await work()
    return { result, peakBytes }
  } finally {
    clearInterval(timer)
  }
}
