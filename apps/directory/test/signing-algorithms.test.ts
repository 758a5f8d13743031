import { afterAll, beforeAll, expect, it } from 'vitest'
import { batchFixture } from './batch-fixture.ts'
import { acme, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const ALL = ['RS256', 'ES256', 'EdDSA'] as const
let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())

const rows = (text: string, values: readonly unknown[] = []) => management.directory.rows(text, values)
const named = () =>
  rows('SELECT algorithm, named_at::text AS since FROM directory_read.signing_algorithm_v1 ORDER BY 1')
const create = (settings: object) =>
  management.call('POST', '/applications', { projectId: 'portal', name: 'App', type: 'web', ...settings })
const applySettings = (signingAlgorithms: readonly string[]) =>
  management.call('POST', '/apply', { settings: { signingAlgorithms } })
const aDayPasses = () =>
  rows(`UPDATE directory.setting SET signing_algorithms_named =
          jsonb_set(signing_algorithms_named, '{EdDSA}', to_jsonb(now() - interval '1 day'))`)
const refusal = (field: string, rule: string) => ({
  status: 400,
  body: { details: [{ field, rule: expect.stringContaining(rule) }] },
})

it('names RS256 and ES256 from the start, and what the first bootstrap file chooses', async () => {
  expect(await named()).toEqual([
    { algorithm: 'ES256', since: '-infinity' },
    { algorithm: 'RS256', since: '-infinity' },
  ])
  expect((await create({ idTokenSigningAlg: 'ES256' })).status).toBe(201)

  const first = await managementFixture()
  const document = sampleDocument()
  const [application] = acme(document).projects?.[0]?.applications ?? []
  if (application === undefined) throw new Error('the sample has an application')
  application.idTokenSigningAlg = 'EdDSA'
  await first.directory.apply(document)
  await first.directory.apply(document)
  const found = await first.directory.rows(
    "SELECT algorithm, named_at::text AS since FROM directory_read.signing_algorithm_v1 WHERE algorithm = 'EdDSA'",
  )
  expect(found).toEqual([{ algorithm: 'EdDSA', since: '-infinity' }])
  await first.stop()
})

it('refuses a first bootstrap file that names other algorithms than it chooses', async () => {
  const first = await managementFixture()
  const document = sampleDocument()
  const [robot] = acme(document).serviceUsers ?? []
  if (robot === undefined) throw new Error('the sample has a service user')
  robot.accessTokenSigningAlg = 'EdDSA'
  const settings = { signingAlgorithms: ['RS256' as const] }
  await expect(first.directory.apply({ ...document, settings })).rejects.toThrow(
    'serviceUsers[0].accessTokenSigningAlg: must be one of RS256, the signing algorithms of the instance',
  )
  await first.stop()
})

it('lets applications and service users choose an algorithm a day after the instance named it', async () => {
  const notNamed = 'must be one of RS256, ES256, the signing algorithms of the instance'
  expect(await create({ idTokenSigningAlg: 'EdDSA' })).toMatchObject(refusal('idTokenSigningAlg', notNamed))
  const file = sampleDocument()
  acme(file).serviceUsers?.push({ id: 'ed', userName: 'ed', accessTokenSigningAlg: 'EdDSA' })
  const at = (acme(file).serviceUsers?.length ?? 0) - 1
  expect(await management.call('POST', '/apply', file)).toMatchObject(
    refusal(`organizations[0].serviceUsers[${at}].accessTokenSigningAlg`, notNamed),
  )

  expect((await applySettings(ALL)).status).toBe(200)
  const until = /^may be EdDSA from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ on, a day after it was named/
  const early = await create({ accessTokenSigningAlg: 'EdDSA' })
  expect(early).toMatchObject({
    status: 400,
    body: { details: [{ field: 'accessTokenSigningAlg', rule: expect.stringMatching(until) }] },
  })

  await aDayPasses()
  const { status, body } = await create({ accessTokenSigningAlg: 'EdDSA' })
  expect(status).toBe(201)

  // The application keeps the algorithm when other members change, and the instance has to keep it too.
  expect((await management.call('PATCH', `/applications/${body.id}`, { name: 'Other' })).status).toBe(200)
  expect(await applySettings(['RS256', 'ES256'])).toMatchObject(
    refusal('settings.signingAlgorithms', 'must keep EdDSA, which applications or service users have'),
  )
  await management.call('PATCH', `/applications/${body.id}`, { accessTokenSigningAlg: 'RS256' })
  expect((await applySettings(['ES256', 'RS256'])).status).toBe(200)
  expect((await named()).map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256'])
})

it('never loses RS256', async () => {
  expect(await applySettings(['ES256'])).toMatchObject(
    refusal('settings.signingAlgorithms', 'must hold RS256'),
  )
})

it('imports records without an algorithm that they may not choose, and says so', async () => {
  const { apply, batchOf } = batchFixture(management.directory)
  const write = async (batch: number, list: string, record: object) => {
    const [outcome] = await apply([
      batchOf('ed25519', batch, 'acme', [record], {
        list,
        onConflict: 'update',
        namedOrganizations: ['acme'],
      }),
    ])
    return outcome
  }
  const app = {
    projectId: 'portal',
    name: 'Moved',
    idTokenSigningAlg: 'EdDSA',
    accessTokenSigningAlg: 'ES256',
  }
  const application = await write(0, 'oidcApps', { appId: 'moved', app })
  const user = { userId: 'moved-robot', user: { userName: 'moved-robot' }, accessTokenSigningAlg: 'EdDSA' }
  const serviceUser = await write(1, 'machineUsers', user)
  expect(JSON.stringify(application)).toContain(
    'app.idTokenSigningAlg is left out: must be one of RS256, ES256',
  )
  expect(JSON.stringify(serviceUser)).toContain(
    'accessTokenSigningAlg is left out: must be one of RS256, ES256',
  )
  expect(
    await rows(
      `SELECT id_token_signing_alg AS id, access_token_signing_alg AS access FROM directory_read.client_v1
        WHERE application_id = 'moved'
        UNION ALL SELECT NULL, access_token_signing_alg FROM directory_read.service_user_v1 WHERE user_id = 'moved-robot'`,
    ),
  ).toEqual([
    { id: 'RS256', access: 'ES256' },
    { id: null, access: 'RS256' },
  ])
})

it('keeps an algorithm that is chosen and dropped at once, or refuses the choice', async () => {
  for (let round = 0; round < 10; round += 1) {
    await rows("UPDATE directory.setting SET signing_algorithms = '{RS256,ES256,EdDSA}'")
    await aDayPasses()
    const [created] = await Promise.all([
      create({ idTokenSigningAlg: 'EdDSA' }),
      applySettings(['RS256', 'ES256']),
    ])
    const isNamed = (await named()).some(({ algorithm }) => algorithm === 'EdDSA')
    expect(isNamed).toBe(created.status === 201)
    await rows(
      "UPDATE directory.application SET id_token_signing_alg = 'RS256' WHERE id_token_signing_alg = 'EdDSA'",
    )
  }
})
