import { execFile } from 'node:child_process'
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as exportRepository from '../src/transfer/export.repository.ts'
import type * as batches from './batch-fixture.ts'
import { acme, type SampleDocument, sampleDocument } from './directory-fixture.ts'
import type * as management from './management-fixture.ts'
import type { ManagementFixture } from './management-fixture.ts'

/*
 * Adds a field to each table of fields in a copy of the sources, and counts the files that it takes by hand. The copy, which shares
 * the installed packages, runs against a database of its own: the field has to be in the management API, the bootstrap file, the
 * export, imports, plans and the published view.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The row, the migration, the view, the code that acts. */
const MOST_FILES = 4

type Json = Readonly<Record<string, unknown>>

interface Change {
  readonly entity: string
  /** The file of the table in packages/protocol/src, its name there, and the new row. */
  readonly file: string
  readonly fields: string
  readonly row: string
  /** Adds the column. */
  readonly migration: string
  /** The published view that has it, and its column there. */
  readonly published?: readonly [view: string, column: string]
  /** The type whose values have the field. */
  readonly type: readonly [name: string, module: string]
  /** The name of the field, the last part of a path. */
  readonly shown: string
}

interface Trial extends Change {
  /** The object in the management API; `shown` is the path of the field there. */
  readonly url: string
  /** The list of the export, and the path of the field in a record. */
  readonly list: string
  readonly exported: string
  readonly values: readonly [first: unknown, second: unknown]
}

const flag = (table: string) => ({
  row: `newField: { kind: 'flag', column: 'new_flag_of_${table}', default: false },`,
  values: [true, false] as const,
})
const text = (name: string, column: string) => ({
  row: `${name}: { kind: 'name', column: '${column}', optional: true },`,
  values: ['First', 'Second'] as const,
})

const addColumn = (table: string, column: string) => `ALTER TABLE directory.${table} ADD COLUMN ${column};`
const addFlag = (table: string) => addColumn(table, `new_flag_of_${table} boolean NOT NULL DEFAULT false`)

/** The text of a view with one more column at the end; rows of other tables have false there. */
function withColumn(view: string, column: string): string {
  const parts = view.split('UNION ALL')
  return parts
    .map((part, index) => part.replace(/\n {4}FROM/, `,\n         ${index === 0 ? column : 'false'}$&`))
    .join('UNION ALL')
}

const TRIALS: readonly Trial[] = [
  {
    ...{
      entity: 'an organization',
      file: 'fields/organization.ts',
      fields: 'ORG_MEMBERS',
      ...flag('organization'),
    },
    migration: addFlag('organization'),
    type: ['Organization', '@signet/directory-reader/views'],
    ...{ url: '/organizations/acme', shown: 'newField', list: 'organization', exported: 'org.newField' },
    published: ['organization_v1', 'new_flag_of_organization'],
  },
  {
    ...{ entity: 'a project', file: 'fields/project.ts', fields: 'PROJECT_FIELDS', ...flag('project') },
    migration: addFlag('project'),
    type: ['Project', '@signet/directory-reader/views'],
    ...{ url: '/projects/portal', shown: 'newField', list: 'projects', exported: 'project.newField' },
    published: ['project_v1', 'new_flag_of_project'],
  },
  {
    ...{ entity: 'a role', file: 'fields/role.ts', fields: 'ROLE_FIELDS', ...flag('project_role') },
    migration: addFlag('project_role'),
    type: ['ProjectRole', '../projects/project.ts'],
    ...{ url: '/projects/portal/roles/admin', shown: 'newField' },
    ...{ list: 'projectRoles', exported: 'newField' },
  },
  {
    ...{ entity: 'the profile of a person', file: 'fields/person.ts', fields: 'PROFILE_FIELDS' },
    ...text('newName', 'new_name'),
    migration: addColumn('account', 'new_name text'),
    type: ['Profile', '../accounts/account.ts'],
    ...{ url: '/users/bob', shown: 'profile.newName' },
    ...{ list: 'humanUsers', exported: 'user.profile.newName' },
  },
  {
    ...{ entity: 'the address of a person', file: 'fields/person.ts', fields: 'ADDRESS_FIELDS' },
    ...text('newLine', 'new_line'),
    migration: addColumn('account', 'new_line text'),
    type: ['Address', '../accounts/account.ts'],
    ...{ url: '/users/bob', shown: 'address.newLine' },
    ...{ list: 'humanUsers', exported: 'user.address.newLine' },
  },
  {
    ...{
      entity: 'a service user',
      file: 'fields/service-user.ts',
      fields: 'SERVICE_USER_FIELDS',
      ...flag('service_user'),
    },
    migration: addFlag('service_user'),
    type: ['ServiceUser', '@signet/directory-reader/views'],
    ...{ url: '/users/migrator-id', shown: 'newField', list: 'machineUsers', exported: 'newField' },
    published: ['service_user_v1', 'new_flag_of_service_user'],
  },
  {
    ...{ entity: 'an application', file: 'application-settings.ts', fields: 'APPLICATION_SETTINGS' },
    row: `newField: { kind: 'flag', column: 'new_flag_of_application' },`,
    values: [true, false],
    migration: addFlag('application'),
    type: ['Client', '@signet/directory-reader/views'],
    ...{ url: '/applications/web', shown: 'newField', list: 'oidcApps', exported: 'app.newField' },
    published: ['client_v1', 'new_flag_of_application'],
  },
  {
    ...{
      entity: 'an identity provider',
      file: 'fields/identity-provider.ts',
      fields: 'PROVIDER_FIELDS',
      ...flag('identity_provider'),
    },
    migration: addFlag('identity_provider'),
    type: ['ProviderSettings', '@signet/protocol/fields/identity-provider'],
    ...{ url: '/identity-providers/corporate', shown: 'newField' },
    ...{ list: 'oidcIdps', exported: 'idp.newField' },
  },
]

/** A setting of the instance is in no export. */
const SETTING: Change = {
  entity: 'a setting of the instance',
  ...{ file: 'fields/instance.ts', fields: 'SECURITY_SETTINGS', shown: 'newField' },
  row: `newField: { kind: 'flag', column: 'new_flag_of_setting', published: 'newField' },`,
  migration: addFlag('setting'),
  published: ['setting_v1', 'new_flag_of_setting'],
  type: ['InstanceSettings', '@signet/directory-reader/views'],
}
const CHANGES = [...TRIALS, SETTING]

const nameOf = ({ shown }: Pick<Change, 'shown'>) => shown.split('.').at(-1) ?? ''
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((holder, name) => (holder as Json | undefined)?.[name], value)
/** The object with another value at the path; undefined takes it out. */
function withValue(object: Json, [first = '', ...rest]: readonly string[], value: unknown): Json {
  const inner = rest.length === 0 ? value : withValue((object[first] ?? {}) as Json, rest, value)
  return { ...object, [first]: inner }
}

/** Other tests write reports at the same time. */
const isSource = (path: string) => !/\/(test-results|dist|\.turbo)$/.test(path)

let copy: string
/** The files that each trial changed or added. */
const changed = new Map<string, readonly string[]>()
let directory: ManagementFixture
let { apply, batchOf } = {} as ReturnType<typeof batches.batchFixture>
beforeAll(async () => {
  copy = await temporaryFolder('new-field')
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const path of ['tsconfig.base.json', 'packages', 'apps/directory'])
    await cp(join(ROOT, path), join(copy, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isSource,
    })
  for (const [index, trial] of CHANGES.entries()) changed.set(trial.entity, await addField(trial, index))
  const load = (file: string) => import(/* @vite-ignore */ join(copy, 'apps/directory/test', file))
  const fixture: typeof management = await load('management-fixture.ts')
  directory = await fixture.managementFixture()
  directory.bearers.set('owner', { roles: ['IAM_OWNER'] })
  const fixtures: typeof batches = await load('batch-fixture.ts')
  ;({ apply, batchOf } = fixtures.batchFixture(directory.directory))
})
afterAll(async () => {
  await directory?.stop()
  if (copy !== undefined) await rm(copy, { recursive: true })
})

const useOf = (index: number) => `apps/directory/src/api/new-field-${index}.ts`

/** Makes the changes that a field takes; returns their files. */
async function addField(trial: Change, index: number): Promise<readonly string[]> {
  const { file, fields, row, migration, published, type } = trial
  const table = `packages/protocol/src/${file}`
  const before = await readFile(join(copy, table), 'utf8')
  const begin = `export const ${fields} = {\n`
  expect(before).toContain(begin)
  const [name, module] = type
  const use = `({ ${nameOf(trial)} }: ${name}) => ${nameOf(trial)}`
  const texts: Record<string, string> = {
    [table]: before.replace(begin, `${begin}  ${row}\n`),
    [`apps/directory/migrations/999${index}_new_field.sql`]: migration,
    [useOf(index)]: `import type { ${name} } from '${module}'\n\nexport const acts = ${use}\n`,
  }
  if (published !== undefined) {
    const [name, column] = published
    const view = `apps/directory/migrations/views/${name}.sql`
    texts[view] = withColumn(await readFile(join(copy, view), 'utf8'), column)
    expect(texts[view]).toContain(column)
  }
  for (const [path, text] of Object.entries(texts)) await writeFile(join(copy, path), text)
  return Object.keys(texts)
}

/** The record of a list that `isWanted` finds in an export. */
async function exported(list: string, isWanted: (record: Json) => boolean): Promise<Json> {
  const { postgresExportSource } = (await import(
    /* @vite-ignore */ join(copy, 'apps/directory/src/transfer/export.repository.ts')
  )) as typeof exportRepository
  const source = postgresExportSource(directory.directory.owner, directory.directory.masterKeys)
  const choices = { withPasswords: false, withOtp: false, withSecrets: false, withPasskeys: false }
  const records = await source.snapshot(async (tx) => {
    const found: Json[] = []
    for await (const content of source.contents(tx, ['acme'], choices)) {
      if ('organization' in content && list === 'organization') found.push(content.organization)
      if ('part' in content && content.part.list === list)
        found.push(...JSON.parse(`[${content.part.records}]`))
    }
    return found
  })
  const record = records.find(isWanted)
  if (record === undefined) throw new Error(`${list} has no such record`)
  return record
}

const batchIn = (list: string) => ({ list, namedOrganizations: ['acme'] })

const shownBy = async ({ url, shown }: Trial) => at((await directory.call('GET', url)).body, shown)

it('is type-checked with its use', async () => {
  const files = CHANGES.map((_, index) => useOf(index))
  await writeFile(join(copy, 'tsconfig.json'), JSON.stringify({ extends: './tsconfig.base.json', files }))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['--noEmit', '--project', copy])
  expect(stdout).toBe('')
})

it('is in the bootstrap file', async () => {
  for (const at of [0, 1] as const) {
    await directory.directory.apply(fileWith(at))
    for (const trial of TRIALS)
      expect([trial.entity, await shownBy(trial)]).toEqual([trial.entity, trial.values[at]])
  }
})

it('takes at most 4 files by hand for a setting of the instance, which file and API set', async () => {
  expect(changed.get(SETTING.entity)?.length).toBeLessThanOrEqual(MOST_FILES)
  const set = async () => (await directory.call('GET', '/v2/settings/security')).body.settings.newField
  const published = () =>
    directory.directory.rows('SELECT new_flag_of_setting AS set FROM directory_read.setting_v1')
  await directory.directory.apply({ ...fileWith(0), security: { newField: true } } as SampleDocument)
  expect([await set(), await published()]).toEqual([true, [{ set: true }]])
  await directory.call('PATCH', '/v2/policies/security', { newField: false })
  expect([await set(), await published()]).toEqual([false, [{ set: false }]])
})

/** The ids that a record of another object has for itself. */
const IDS: Readonly<Record<string, RegExp>> = {
  organization: /"(acme(?:\.localhost)?)"/g,
  oidcApps: /"(web)"/g,
  oidcIdps: /"(corporate)"/g,
}

describe.each(TRIALS)('a field of $entity', (trial) => {
  const { entity, url, shown, list, exported: path, values, published } = trial
  const [first, second] = values

  it(`takes ${MOST_FILES} files by hand at most`, () => {
    expect(changed.get(entity)?.length).toBeLessThanOrEqual(MOST_FILES)
  })

  it('is set and shown by the management API, and published', async () => {
    const change = withValue({}, shown.split('.'), first)
    expect((await directory.call('PATCH', url, change)).status).toBe(200)
    expect(await shownBy(trial)).toBe(first)
    if (published === undefined) return
    const [view, column] = published
    const rows = await directory.directory.rows(`SELECT FROM directory_read.${view} WHERE ${column}`)
    expect(rows).toHaveLength(1)
  })

  it('is exported, and an import of the record changes it and names it in the plan', async () => {
    await directory.call('PATCH', url, withValue({}, shown.split('.'), first))
    const record = await exported(list, (one) => at(one, path) === first)
    const other = withValue(record, path.split('.'), second)
    // The first import of an identity provider stores that its record is one.
    await apply([batchOf(`keep ${entity}`, 0, 'acme', [record], batchIn(list))])
    const batch = (dryRun: boolean) =>
      batchOf(`change ${entity}`, 0, 'acme', [other], { ...batchIn(list), dryRun })
    const [planned] = await apply([batch(true)])
    expect(planned?.plan?.changes).toEqual([{ index: 0, fields: [path] }])
    await apply([batch(false)])
    expect(await shownBy(trial)).toBe(second)
  })

  it('is given to a new object by an import', async () => {
    await directory.call('PATCH', url, withValue({}, shown.split('.'), first))
    const record = await exported(list, (one) => at(one, path) === first)
    const prefix = `${nameOf(trial).toLowerCase()}-`
    const ids = JSON.stringify(record).replaceAll(
      IDS[list] ?? /"(bob|migrator|admin|migrator-id)"/g,
      `"${prefix}$1"`,
    )
    const renamed = { ...JSON.parse(ids), ...(list === 'projects' && { projectId: `${prefix}portal` }) }
    const [outcome] = await apply([batchOf(`add ${entity}`, 0, 'acme', [renamed], batchIn(list))])
    expect(outcome?.outcomes).toBe('c')
    const added = url.replace(/[^/]+$/, `${prefix}$&`)
    expect(await shownBy({ ...trial, url: added })).toBe(first)
  })
})

/** The sample document with the first or the second value of each field. */
function fileWith(which: 0 | 1): SampleDocument {
  const [own, project, role, profile, address, serviceUser, application, provider] = TRIALS.map((trial) => ({
    [nameOf(trial)]: trial.values[which],
  }))
  const document = sampleDocument()
  const organization = acme(document)
  const [service] = organization.serviceUsers ?? []
  const [portal] = organization.projects ?? []
  // A person without roles, whom an import may change.
  const names = { givenName: 'Bob', familyName: 'Example' }
  const bob = { id: 'bob', userName: 'bob', profile: { ...names, ...profile }, address: { ...address } }
  organization.users = [...(organization.users ?? []), bob]
  const corporate = { id: 'corporate', name: 'Corporate', issuer: 'https://idp.example', clientId: 'signet' }
  organization.identityProviders = [{ ...corporate, clientAuthentication: 'none', ...provider }]
  Object.assign(organization, own)
  Object.assign(service ?? {}, serviceUser)
  Object.assign(portal ?? {}, project)
  Object.assign(portal?.roles?.[0] ?? {}, role)
  Object.assign(portal?.applications?.[0] ?? {}, application)
  return document
}
