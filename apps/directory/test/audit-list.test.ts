import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { userId: 'root', tokenId: 'root-token', roles: ['IAM_OWNER'] })
  management.bearers.set('nobody', { userId: 'nobody', roles: [] })
})
afterAll(() => management?.stop())

const list = async (query: string) => (await management.call('GET', `/audit?${query}`)).body

it('finds the creator, the token and the address by one query', async () => {
  const made = await management.call('POST', '/users/migrator-id/tokens', { id: 'asked-for' })
  const { items } = await list('action=token.create')
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/Z$/),
      service: 'directory',
      action: 'token.create',
      result: 'success',
      actor: { kind: 'service_user', id: 'root' },
      target: { kind: 'token', id: 'asked-for' },
      organizationId: 'acme',
      organizationName: 'ACME',
      clientAddress: '127.0.0.1',
      details: {
        ...{ request_id: made.headers.get('x-request-id'), token_id: 'root-token' },
        user_id: 'migrator-id',
      },
    },
  ])
  expect(JSON.stringify(items)).not.toContain(made.body.token)
})

describe('filters', () => {
  beforeAll(async () => {
    await management.call('GET', '/users/alice')
    await management.call('GET', '/users/alice', undefined, 'nobody')
    await management.call('POST', '/users/alice/sign-out', undefined, 'nobody')
  })

  it.each([
    ['actorId=nobody&action=user.sign_out', ['user.sign_out']],
    ['targetId=alice&result=refused', ['user.sign_out', 'user.read']],
    ['targetKind=token', ['token.create']],
    ['actorId=who-is-this', []],
    ['action=user.sign_out&to=2001-01-01T00:00:00Z', []],
    ['action=user.sign_out&from=2001-01-01T00:00:00Z', ['user.sign_out']],
    ['organizationId=other', []],
    ['kind=changes&targetId=alice&action=user.read', ['user.read']],
    ['kind=changes&targetId=alice&action=user.read&result=success', []],
    ['kind=changes&targetId=alice&action=user.created', ['user.created']],
    ['organizationId=acme&action=token.create', ['token.create']],
  ])('%s', async (query, actions) => {
    const { items } = await list(query)
    expect(items.map(({ action }: { action: string }) => action)).toEqual(actions)
  })
})

describe('by the request', () => {
  const actionsOf = async (requestId: string) =>
    (await list(`requestId=${requestId}`)).items.map(({ action }: { action: string }) => action)

  it('finds what one request did, and nothing of another request', async () => {
    const one = await management.call('POST', '/users/alice/sign-out', undefined, 'nobody')
    const other = await management.call('POST', '/users/migrator-id/tokens', { id: 'of-another-request' })
    expect(await actionsOf(one.headers.get('x-request-id') ?? '')).toEqual(['user.sign_out'])
    expect(await actionsOf(other.headers.get('x-request-id') ?? '')).toEqual(['token.create'])
  })

  it('reads the minutes around the time of the request alone', async () => {
    const made = await management.call('POST', '/users/alice/sign-out', undefined, 'nobody')
    const requestId = made.headers.get('x-request-id') ?? ''
    const time = Number.parseInt(requestId.replaceAll('-', '').slice(0, 12), 16)
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
    await management.directory.asAdministrator(
      `INSERT INTO directory_audit.audit_event (at, actor_kind, actor_id, action, result, details)
       SELECT now() + n * interval '4 minutes', 'human', 'copied', 'test.' || n, 'success',
              jsonb_build_object('request_id', '${requestId}') FROM generate_series(1, 2) n`,
    )
    expect(await actionsOf(requestId)).toEqual(['test.1', 'user.sign_out'])
  })

  it('knows an id in capitals, as RFC 9562 has it', async () => {
    const made = await management.call('POST', '/users/alice/sign-out', undefined, 'nobody')
    const requestId = made.headers.get('x-request-id') ?? ''
    expect(await actionsOf(requestId.toUpperCase())).toEqual(['user.sign_out'])
  })

  it.each(['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000'])(
    'knows nothing of %s',
    async (requestId) => expect(await actionsOf(requestId)).toEqual([]),
  )

  it('refuses what is no id of a request, and knows none that did nothing', async () => {
    const refused = await management.call('GET', '/audit?requestId=1234')
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('requestId: must be the X-Request-Id of a response'),
    ])
    expect(await actionsOf('01890000-0000-7000-8000-000000000000')).toEqual([])
  })
})

it('is read part by part, newest first, each entry once, although several lie in one microsecond', async () => {
  await management.directory.asAdministrator(
    `INSERT INTO directory_audit.audit_event (at, actor_kind, actor_id, action, result)
     SELECT now() + (n / 3) * interval '1 microsecond', 'human', 'busy', 'test.' || n, 'success' FROM generate_series(1, 10) n`,
  )
  const seen: string[] = []
  let cursor = ''
  do {
    const { items, nextCursor } = await list(`actorId=busy&limit=3${cursor}`)
    seen.push(...items.map(({ action }: { action: string }) => action))
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`
  } while (cursor !== '')
  expect(seen).toHaveLength(10)
  expect(new Set(seen).size).toBe(10)
  expect(seen[0]).toMatch(/^test\.(9|10)$/)
  expect(seen.slice(-2).sort()).toEqual(['test.1', 'test.2'])
})

it('a cursor of something else is refused', async () => {
  const cursor = Buffer.from('alice').toString('base64url')
  expect(await management.call('GET', `/audit?cursor=${cursor}`)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'cursor' }] },
  })
})

it('is read in pages of about 5,000 rows, and of 1,000 segments when these have few', async () => {
  await management.directory.asAdministrator(
    `INSERT INTO directory_audit.audit_event (actor_kind, action, result)
     SELECT 'service', 'paged', 'success' FROM generate_series(1, 8000)`,
  )
  while ((await seal(1_000)) === 1_000);
  await management.directory.asAdministrator(
    `INSERT INTO directory_audit.audit_event (actor_kind, action, result)
     SELECT 'service', 'paged', 'success' FROM generate_series(1, 1100)`,
  )
  for (let sealed = 0; sealed < 1_100; sealed += 100) {
    await management.directory.asAdministrator('SELECT directory_audit.seal(1) FROM generate_series(1, 100)')
  }
  const pages: { segments: { number: number; rows?: { content?: string }[] }[]; added: unknown[] }[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const { text } = await management.open(
      `/management/v1/audit/chain?log=directory${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      'owner',
    )
    const page = JSON.parse(text)
    pages.push(page)
    cursor = page.nextCursor
  }
  const segments = pages.flatMap((page) => page.segments)
  expect(segments.map(({ number }) => number)).toEqual(segments.map((_, n) => n + 1))
  const contents = segments.flatMap(({ rows = [] }) => rows.map(({ content = '' }) => content))
  expect(contents.filter((content) => content.includes('"paged"'))).toHaveLength(9_100)
  expect(pages.flatMap(({ added }) => added)).toEqual([])
  // Fewer pages than 1,100 segments by the handful.
  expect(pages.length).toBeLessThanOrEqual(5)
})

it('is exported past more segments without rows than one response reads', async () => {
  await management.directory.asAdministrator(
    `INSERT INTO directory_audit.audit_event (actor_kind, action, result)
     SELECT 'service', 'exported.' || n, 'success' FROM generate_series(1, 9) n`,
  )
  while ((await seal(1)) > 0);
  await management.directory.asAdministrator(
    `UPDATE directory_audit.segment SET ats = NULL, ids = NULL, hashes = NULL
      WHERE number <= (SELECT max(number) - 2 FROM directory_audit.segment)`,
  )
  const { text } = await management.open('/management/v1/audit/export', 'owner')
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.filter(({ metadata }) => metadata.uid !== undefined)).toHaveLength(2)
})

/** Seals at most so many rows, and returns how many it sealed. */
async function seal(most: number): Promise<number> {
  const [row] = await management.directory.asAdministrator<{ count: number }>(
    `SELECT directory_audit.seal(${most}) AS count`,
  )
  return row?.count ?? 0
}

it('counts a first factor as a sign-in, a second one not, and refusals, within the organizations of the caller', async () => {
  const event = (action: string, result: string, factor: string, organizationId = 'acme') =>
    management.directory.rows(
      `INSERT INTO directory_audit.audit_event (actor_kind, action, organization_id, result, details)
       VALUES ('human', $1, $2, $3, jsonb_build_object('factor', $4::text))`,
      [action, organizationId, result, factor],
    )
  for (const factor of ['password', 'passkey', 'otp', 'recovery_code'])
    await event('sign_in', 'success', factor)
  await event('sign_in', 'refused', 'otp')
  await event('sign_in.lockout', 'refused', 'password')
  await event('sign_in', 'success', 'password', 'elsewhere')
  management.bearers.set('org', { userId: 'alice', organizationId: 'acme', roles: ['ORG_OWNER acme'] })
  const sums = async (bearer?: string) => {
    const { spans } = (await management.call('GET', '/audit/activity?hours=168', undefined, bearer)).body
    return ['signIns', 'refused'].map((name) =>
      spans.reduce((sum: number, span: Record<string, number>) => sum + (span[name] ?? 0), 0),
    )
  }
  expect(await sums()).toEqual([3, 2])
  expect(await sums('org')).toEqual([2, 2])
})
