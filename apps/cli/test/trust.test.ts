import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
  const project = ['--set', 'id=shop', '--set', 'name=Shop', '--set', 'organizationId=home']
  expect(await fixture.signet('project', 'create', ...project)).toMatchObject({ code: 0 })
  const application = ['--set', 'id=web', '--set', 'projectId=shop', '--set', 'name=Web', '--set', 'type=api']
  expect(await fixture.signet('application', 'create', ...application)).toMatchObject({ code: 0 })
  const user = ['--set', 'id=orders-id', '--set', 'userName=orders', '--set', 'organizationId=home']
  expect(await fixture.signet('service-user', 'create', ...user)).toMatchObject({ code: 0 })
})
afterAll(() => fixture?.close())

const KUBERNETES = ['--issuer', 'https://kubernetes.example.com', '--namespace', 'shop']
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY_SET = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] })

describe('signet trust add', () => {
  it.each<[string, readonly string[], object]>([
    [
      'kubernetes',
      [...KUBERNETES, '--service-account', 'orders', '--id', 'cluster'],
      {
        ...{ id: 'cluster', issuer: 'https://kubernetes.example.com', claims: {}, keySet: null },
        subject: 'system:serviceaccount:shop:orders',
      },
    ],
    [
      'github',
      ['--owner', 'acme', '--repository-id', '1234', '--environment', 'production'],
      {
        ...{ issuer: 'https://token.actions.githubusercontent.com', subject: 'repo:acme/*' },
        claims: { repository_id: '1234', environment: 'production' },
      },
    ],
    [
      'gitlab',
      ['--group', 'acme', '--project-id', '12'],
      {
        ...{ issuer: 'https://gitlab.com', subject: 'project_path:acme/*' },
        claims: { project_id: '12' },
      },
    ],
    [
      'spiffe',
      ['--issuer', 'https://spire.example.com', '--spiffe-id', 'spiffe://acme/orders'],
      { issuer: 'https://spire.example.com', subject: 'spiffe://acme/orders' },
    ],
    [
      'oidc',
      ['--issuer', 'https://login.example.com', '--subject', 'job-7'],
      { issuer: 'https://login.example.com', subject: 'job-7' },
    ],
  ])('writes what the tokens of %s say', async (platform, options, trust) => {
    for (const owner of [
      ['--user', 'orders'],
      ['--application', 'web'],
    ]) {
      const made = await fixture.signet('trust', 'add', platform, ...owner, ...options, '--output', 'json')
      expect(made).toMatchObject({ code: 0 })
      expect(JSON.parse(made.out)).toMatchObject(trust)
    }
  })

  it('uploads the key set of a cluster that Signet cannot reach', async () => {
    const issuer = ['--issuer', 'https://kubernetes.default.svc.cluster.local', '--namespace', 'shop']
    const made = await fixture.signetWith(
      { standardInput: typed(KEY_SET) },
      ...['trust', 'add', 'kubernetes', '--user', 'orders', ...issuer],
      ...['--service-account', 'orders', '--key-set', '-', '--output', 'json'],
    )
    expect(JSON.parse(made.out)).toMatchObject({ keySet: JSON.parse(KEY_SET) })
  })

  it('uploads the keys of JWT-SVIDs of a SPIFFE bundle', async () => {
    const [key] = JSON.parse(KEY_SET).keys
    const bundle = {
      keys: [
        { ...key, use: 'x509-svid', kid: undefined, x5c: ['MIIB'] },
        { ...key, use: 'jwt-svid' },
      ],
      ...{ spiffe_sequence: 2, spiffe_refresh_hint: 300 },
    }
    const add = (document: object) =>
      fixture.signetWith(
        { standardInput: typed(JSON.stringify(document)) },
        ...['trust', 'add', 'spiffe', '--user', 'orders', '--issuer', 'spire', '--spiffe-id', 'spiffe://a/b'],
        ...['--key-set', '-', '--output', 'json'],
      )
    expect(JSON.parse((await add(bundle)).out)).toMatchObject({ keySet: { keys: [key] } })
    const refused = await add({ ...bundle, keys: bundle.keys.slice(0, 1) })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('no key of JWT-SVIDs')])
  })

  it.each<[string, readonly string[], string]>([
    ['an unknown platform', ['nomad', '--user', 'orders'], 'kubernetes, github'],
    ['no owner', ['kubernetes', ...KUBERNETES, '--service-account', 'x'], '--user or --application'],
    [
      'two owners',
      ['oidc', '--issuer', 'https://a.example', '--subject', 'x', '--user', 'orders', '--application', 'web'],
      '--user or --application',
    ],
    ['an option missing', ['kubernetes', ...KUBERNETES, '--user', 'orders'], 'needs --service-account'],
    [
      'the option of another platform',
      ['oidc', '--issuer', 'https://a.example', '--subject', 'x', '--owner', 'acme', '--user', 'orders'],
      'does not take --owner',
    ],
    [
      'a key set that cannot be read',
      ['oidc', '--issuer', 'a', '--subject', 'x', '--user', 'orders', '--key-set', '/nowhere'],
      'cannot be read',
    ],
  ])('refuses %s', async (_, args, message) => {
    const refused = await fixture.signet('trust', 'add', ...args)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(message)
  })
})
