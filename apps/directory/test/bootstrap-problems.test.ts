import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseFileText, problemText } from '@signet/file-formats/bootstrap/bootstrap-file'
import { ConfigurationError } from '@signet/platform/config/settings'
import { StartFailure } from '@signet/platform/process/service'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBootstrap } from '../src/bootstrap/read-bootstrap.ts'
import { type DirectoryFixture, directoryFixture, sampleDocument } from './directory-fixture.ts'

let directory: DirectoryFixture
beforeAll(async () => {
  directory = await directoryFixture()
})
afterAll(() => directory?.stop())

function problemsOf(yaml: string): readonly string[] {
  const parsed = parseFileText(yaml)
  if ('problems' in parsed) return parsed.problems
  return readBootstrap(parsed.document, (value) => ({ value })).problems.map(problemText)
}

const apply = async (yaml: string): Promise<readonly string[]> => {
  const parsed = parseFileText(yaml)
  if ('problems' in parsed) return parsed.problems
  const failure = await directory.apply(parsed.document as never).catch((error: unknown) => error)
  if (!(failure instanceof ConfigurationError)) throw new Error('no ConfigurationError', { cause: failure })
  return failure.problems
}

it('reports all problems of a file at once, each with its path, and writes nothing', async () => {
  const problems = await apply(`
organizations:
  - id: acme
    name: ACME
    primaryDomain: acme.localhost
    users:
      - { id: alice, userName: alice, profile: { givenName: A, familyName: B }, emial: x }
      - { id: alice, userName: bob, profile: { givenName: A }, email: { address: nobody } }
      - { id: carol, userName: carol, profile: { givenName: A, familyName: B }, password: short }
    projects:
      - id: portal
        name: Portal
        roles: [{ key: admin }]
        grants: [{ userId: nobody, roles: [ghost] }]
        applications:
          - id: web
            clientId: alice
            name: Web
            type: web
            clientSecret: too-short
            redirectUris: [not-a-url, "https://app.example/cb#fragment", "com.example.app:/cb"]
          - { id: spa, name: SPA, type: userAgent, redirectUris: ["http://app.example/cb"] }
settings: { accessTokenLifetime: 25h, refreshIdle: 2h, refreshAbsolute: 1h }
defaultOrganization: nowhere
`)
  expect([...problems].sort()).toEqual(
    [
      'organizations[0].users[0].emial: unknown key',
      'organizations[0].users[1].profile.familyName: is required',
      'organizations[0].users[1].email.address: must be one e-mail address such as id@acme.example',
      'organizations[0].users[1].id: the id alice is already used at organizations[0].users[0].id',
      'organizations[0].users[2].password: needs at least 8 characters',
      'organizations[0].projects[0].applications[0].clientSecret: must have 16 characters or more',
      'organizations[0].projects[0].applications[0].redirectUris[0]: must be an absolute URI in ASCII',
      'organizations[0].projects[0].applications[0].redirectUris[1]: must not have a fragment',
      'organizations[0].projects[0].applications[0].redirectUris[2]: only native applications may use a scheme of their own',
      'organizations[0].projects[0].applications[0].clientId: the id alice is already used at organizations[0].users[0].id',
      'organizations[0].projects[0].applications[1].redirectUris[0]: must use https; http is for loopback hosts and devMode',
      'organizations[0].projects[0].grants[0].userId: there is no user nobody, neither in the file nor in the database',
      'organizations[0].projects[0].grants[0].roles[0]: there is no role of this project ghost, neither in the file nor in the database',
      'settings.accessTokenLifetime: must be from 1s to 24h',
      'settings.refreshIdle: must not be longer than refreshAbsolute',
      'defaultOrganization: there is no organization nowhere, neither in the file nor in the database',
    ].sort(),
  )
  expect(await directory.rows('SELECT FROM directory_read.organization_v1')).toEqual([])
})

it.each([
  ['a list', '- 1', '(file): Invalid input: expected object, received array'],
  [
    'snake_case and camelCase of one key',
    'default_organization: a\ndefaultOrganization: a',
    'defaultOrganization: is given twice, also in snake_case',
  ],
  ['a key written twice', 'settings: {}\nsettings: {}', 'Map keys must be unique at line 2, column 1:'],
  [
    'a syntax error',
    'settings: [',
    'Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 12:',
  ],
  [
    'a mapped claim that is reserved',
    'organizations: [{ id: a, name: A, primaryDomain: a.localhost, projects: [{ name: P, applications: [{ name: W, type: web, claimMapping: { sub: id } }] }] }]',
    'organizations[0].projects[0].applications[0].claimMapping.sub: is the name of a claim that is not filled from metadata',
  ],
  ['an unknown feature', 'features: { loginV2: true }', 'features.loginV2: unknown key'],
  [
    'a bad id',
    'organizations: [{ id: "a b", name: A, primaryDomain: a.localhost }]',
    'organizations[0].id: must be 1 to 200 characters out of A-Z a-z 0-9 . _ ~ @ + -',
  ],
])('refuses %s', (_, yaml, problem) => {
  expect(problemsOf(yaml)).toContain(problem)
})

it('reads snake_case keys at every depth, but leaves metadata, claim names and JWK members alone', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const read = readBootstrap(
    {
      organizations: [
        {
          id: 'a',
          name: 'A',
          primary_domain: 'a.localhost',
          users: [
            {
              user_name: 'u',
              profile: { given_name: 'G', family_name: 'F' },
              metadata: { customer_no: '1' },
            },
          ],
          projects: [
            {
              name: 'P',
              applications: [{ name: 'W', type: 'web', claim_mapping: { cost_center: 'cost_center' } }],
            },
          ],
          service_users: [
            {
              user_name: 's',
              keys: [
                { id: 'k', public_key_jwk: { ...publicKey.export({ format: 'jwk' }), key_ops: ['verify'] } },
              ],
            },
          ],
        },
      ],
    },
    (value) => ({ value }),
  )
  expect(read.problems).toEqual([])
  const { users, projects } = read.file?.organizations?.[0] ?? {}
  expect(users?.[0]?.metadata).toEqual({ customer_no: '1' })
  expect(projects?.[0]?.applications?.[0]?.claimMapping).toEqual({ cost_center: 'cost_center' })
})

it('refuses private keys, weak keys and unreadable hashes', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const { privateKey } = generateKeyPairSync('ed25519')
  const user = { userName: 'u', profile: { givenName: 'G', familyName: 'F' }, passwordHash: '$2b$31$x' }
  const keys = [
    { id: 'a', publicKeyJwk: privateKey.export({ format: 'jwk' }) },
    { id: 'b', publicKeyPem: rsa.publicKey.export({ type: 'spki', format: 'pem' }) },
  ]
  const { problems } = readBootstrap(
    {
      organizations: [
        { name: 'A', primaryDomain: 'a.localhost', users: [user], serviceUsers: [{ userName: 's', keys }] },
      ],
    },
    (value) => ({ value }),
  )
  expect(problems.map(problemText)).toEqual([
    expect.stringMatching(/^organizations\[0\]\.users\[0\]\.passwordHash: a password hash must be bcrypt, /),
    'organizations[0].serviceUsers[0].keys[0]: is a private key; register its public half only',
    'organizations[0].serviceUsers[0].keys[1]: must have 2048 to 4096 bits',
  ])
})

it('names the environment variable or file that a secret needs', async () => {
  const document = sampleDocument()
  const [user] = document.organizations[0]?.users ?? []
  if (user) Object.assign(user, { password: `\${ALICE_PASSWORD}`, totpSecret: 'file:///nowhere/at-all' })
  await expect(directory.apply(document)).rejects.toMatchObject({
    problems: [
      'organizations[0].users[0].password: needs the environment variable ALICE_PASSWORD',
      'organizations[0].users[0].totpSecret: cannot read file:///nowhere/at-all (ENOENT)',
    ],
  })
})

it('refuses a master key that the database was not started with, in one line', async () => {
  await directory.apply({})
  const failure = await directory.apply({}, {}, [Buffer.alloc(32, 7)]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartFailure)
  expect(String(failure)).toMatch(/^StartFailure: SIGNET_DIRECTORY_MASTER_KEY is not the key [^\n]*$/)
})

it('opens with an old master key that stands behind the new one', async () => {
  await expect(directory.apply({}, {}, [Buffer.alloc(32, 7), ...directory.masterKeys])).resolves.toBeDefined()
})

/** The paths of all texts of a value. */
function textPaths(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    textPaths(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

function withText(value: unknown, [first, ...rest]: readonly (string | number)[], text: unknown): unknown {
  if (first === undefined) return text
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >
  copy[first] = withText(copy[first], rest, text)
  return copy
}

/** The file that `npm start` fills an empty installation with, and metadata. */
const SAMPLE = (() => {
  const url = new URL('../../../packages/dev-stack/sample-bootstrap.yaml', import.meta.url)
  const parsed = parseFileText(readFileSync(url, 'utf8'))
  if ('problems' in parsed) throw new Error(parsed.problems.join())
  return withText(parsed.document, ['organizations', 0, 'users', 0, 'metadata'], { team: 'sales' })
})()
const sampleSecret = (text: string) => ({
  value: text.startsWith('$\x7bSAMPLE_') ? '1cUaWz4JpQ0qYl7yJm3uX9kTt2bQ0qYl7yJm' : text,
})

it.each(['$\x7bNAME}', '$(env:NAME)', 'a-##NAME##', '@@NAME@@', '{{ NAME }}', 'https://$\x7bHOST}/cb'])(
  'refuses a placeholder in every member: %s',
  (placeholder) => {
    const paths = textPaths(SAMPLE)
    expect(paths.length).toBeGreaterThan(100)
    expect(readBootstrap(SAMPLE, sampleSecret).problems).toEqual([])
    for (const path of paths) {
      const { problems, file } = readBootstrap(withText(SAMPLE, path, placeholder), sampleSecret)
      const place = path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
        .join('')
        .slice(1)
      expect(
        problems.map((problem) => problem.path),
        place,
      ).toContain(place)
      expect(file).toBeUndefined()
    }
  },
)

it('refuses secrets that each reader of the file knows, also after their variables are filled in', () => {
  const file = (clientSecret: string) => ({
    organizations: [
      {
        ...{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' },
        privacyPolicy: { tosLink: 'https://acme.example/{{.Lang}}/terms' },
        projects: [{ id: 'p', name: 'P', applications: [{ name: 'Web', type: 'web', clientSecret }] }],
      },
    ],
  })
  const path = 'organizations[0].projects[0].applications[0].clientSecret'
  const problemsWith = (secret: string) =>
    readBootstrap(file('$\x7bSECRET}'), () => ({ value: secret })).problems
  expect(problemsWith('1cUaWz4JpQ0qYl7yJm3uX9kTt2b')).toEqual([])
  expect(problemsWith('change-me-change-me')).toEqual([{ path, rule: 'is a known sample: set another one' }])
  expect(problemsWith('$\x7bVAULT_CLIENT_SECRET}')).toEqual([
    { path, rule: 'is a placeholder of the deployment: fill it in first' },
  ])
})
