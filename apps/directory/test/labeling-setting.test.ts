import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCarried } from '../src/carried/carried.repository.ts'
import { postgresExportSource } from '../src/transfer/export.repository.ts'
import { batchFixture } from './batch-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const [UNSPECIFIED, ENFORCE, ALLOW] = [
  'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
] as const

let management: ManagementFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  management = await managementFixture()
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  ;({ apply, batchOf } = batchFixture(management.directory))
  await management.directory.apply({ organizations: [organization({})] })
})
afterAll(() => management?.stop())

const organization = (project: object) => ({
  ...{ id: 'one', name: 'One', primaryDomain: 'one.localhost' },
  projects: [{ id: 'of-file', name: 'Of the file', ...project }],
})
const settingOf = async (id: string) =>
  (await management.call('GET', `/projects/${id}`)).body.privateLabelingSetting
const published = async (id: string) =>
  (
    await management.directory.rows<{ setting: string | null }>(
      'SELECT private_labeling_setting AS setting FROM directory_read.project_v1 WHERE project_id = $1',
      [id],
    )
  )[0]?.setting

/** The setting of each exported project of the organization. */
async function exported(): Promise<Readonly<Record<string, unknown>>> {
  const source = postgresExportSource(management.directory.owner, management.directory.masterKeys)
  const choices = { withPasswords: false, withOtp: false, withSecrets: false, withPasskeys: false }
  const order = { organizationIds: ['one'], excludedIds: [], ...choices, actor: SYSTEM }
  return source.snapshot(async (tx) => {
    const projects: Record<string, unknown> = {}
    for await (const content of source.contents(tx, ['one'], order)) {
      if (!('part' in content) || content.part.list !== 'projects') continue
      for (const { projectId, project } of JSON.parse(`[${content.part.records}]`)) {
        projects[projectId] = project.privateLabelingSetting
      }
    }
    return projects
  })
}

const SYSTEM = { kind: 'service_user', id: 'exporter' } as const

describe('the labeling setting of a project', () => {
  it('is set by the management API', async () => {
    expect([await settingOf('of-file'), await published('of-file')]).toEqual([UNSPECIFIED, null])
    const changed = await management.call('PATCH', '/projects/of-file', { privateLabelingSetting: ENFORCE })
    expect(changed).toMatchObject({ status: 200, body: { privateLabelingSetting: ENFORCE } })
    expect(await published('of-file')).toBe(ENFORCE)
    const made = { id: 'made', organizationId: 'one', name: 'Made', privateLabelingSetting: ALLOW }
    expect((await management.call('POST', '/projects', made)).status).toBe(201)
    expect(await settingOf('made')).toBe(ALLOW)
    const refused = await management.call('PATCH', '/projects/made', { privateLabelingSetting: 'ALWAYS' })
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(/^privateLabelingSetting: /),
    ])
  })

  it('is set by a bootstrap file', async () => {
    await management.directory.apply({ organizations: [organization({ privateLabelingSetting: ALLOW })] })
    expect(await settingOf('of-file')).toBe(ALLOW)
  })

  it('is set by an import and exported again', async () => {
    const project = (name: string, more: object) => ({ projectId: name, project: { name, ...more } })
    const records = [project('with', { privateLabelingSetting: ENFORCE }), project('without', {})]
    await apply([batchOf('projects', 0, 'one', records, { list: 'projects' })])
    expect([await published('with'), await published('without')]).toEqual([ENFORCE, null])
    expect(await exported()).toMatchObject({ with: ENFORCE, without: undefined })
    const again = [project('with', { privateLabelingSetting: ALLOW })]
    await apply([batchOf('projects', 1, 'one', again, { list: 'projects' })])
    expect(await exported()).toMatchObject({ with: ALLOW })
  })

  it('is exported as an older import stored it, until it is changed', async () => {
    await management.call('POST', '/projects', { id: 'old', organizationId: 'one', name: 'Old' })
    await management.directory.rows(
      `UPDATE directory.project SET private_labeling_setting = NULL WHERE project_id = 'old'`,
    )
    const { owner, masterKeys } = management.directory
    await owner.transaction((tx) =>
      writeCarried(tx, { masterKeys, random: randomBytes }, [
        {
          ...{ organizationId: 'one', list: 'projects', key: 'old', projectId: 'old' },
          content: { privateLabelingSetting: ENFORCE },
        },
      ]),
    )
    expect([await settingOf('old'), (await exported()).old]).toEqual([UNSPECIFIED, ENFORCE])
    await management.call('PATCH', '/projects/old', { privateLabelingSetting: ALLOW })
    expect([await settingOf('old'), (await exported()).old]).toEqual([ALLOW, ALLOW])
  })
})
