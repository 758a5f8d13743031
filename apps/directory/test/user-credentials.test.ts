import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(() => void management.published.splice(0))

const ROBOT = '/users/migrator-id'
const view = (sql: string, values: readonly unknown[]) => management.directory.rows(sql, values)

const inHours = (hours: number) =>
  new Date(management.directory.clock.now().getTime() + hours * 3_600_000).toISOString()

describe('personal access tokens', () => {
  it('are shown once and found by their hash as long as they are there', async () => {
    const made = await management.call('POST', `${ROBOT}/tokens`, { expiresAt: inHours(1) })
    expect(made).toMatchObject({
      status: 201,
      body: { token: expect.stringMatching(/^sgpat_[\w-]{49}$/), expiresAt: inHours(1), roles: null },
    })
    const found = () =>
      view(
        'SELECT user_id, active FROM directory_read.personal_access_token_v1 WHERE token_hash = sha256($1::bytea)',
        [Buffer.from(made.body.token)],
      )
    expect(await found()).toEqual([{ user_id: 'migrator-id', active: true }])
    const list = await management.call('GET', `${ROBOT}/tokens`)
    expect(list.body.items.map(({ id }: { id: string }) => id).sort()).toEqual(['first', made.body.id].sort())
    expect(JSON.stringify(list.body)).not.toContain('sgpat_')
    expect((await management.call('DELETE', `${ROBOT}/tokens/${made.body.id}`)).status).toBe(204)
    expect(await found()).toEqual([])
    const again = await management.call('DELETE', `${ROBOT}/tokens/${made.body.id}`)
    expect([again.status, management.published.length]).toEqual([204, 2])
    expect((await management.call('DELETE', `${ROBOT}/tokens/unknown`)).status).toBe(404)
  })

  it('a repetition under the same key returns the same token, which is stored encrypted only', async () => {
    const create = () =>
      management.call('POST', `${ROBOT}/tokens`, { id: 'again' }, 'owner', { 'idempotency-key': 'pat' })
    const [first, second] = [await create(), await create()]
    expect(second.body).toEqual(first.body)
    expect(await management.directory.placesOf(first.body.token)).toEqual([])
  })

  it.each([
    ['/users/alice', {}, 'only a service user has a personal access token'],
    [ROBOT, { expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt: must lie in the future'],
    [ROBOT, { expiresAt: 'tomorrow' }, 'expiresAt: must be a time such as 2030-01-01T00:00:00Z'],
  ])('%s %o is refused', async (user, body, message) => {
    const answer = await management.call('POST', `${user}/tokens`, body)
    expect([answer.status, answer.body.message]).toEqual([400, message])
  })

  it('end within the longest life of the instance, which a file sets; longer ones stay', async () => {
    const create = (body: object) => management.call('POST', `${ROBOT}/tokens`, body)
    expect((await create({ id: 'year' })).body.expiresAt).toBe(inHours(8_760))
    expect((await create({ expiresAt: inHours(8_760) })).status).toBe(201)
    expect((await create({ expiresAt: inHours(8_761) })).body.message).toBe(
      'expiresAt: must be at most 8760 hours from now, the personalAccessTokenLifetime of the instance',
    )
    const document = exampleDirectory()
    document.settings = { ...document.settings, personalAccessTokenLifetime: '48h' }
    await management.directory.apply(document)
    expect((await create({})).body.expiresAt).toBe(inHours(48))
    expect((await create({ expiresAt: inHours(49) })).body.message).toContain('at most 48 hours')
    const { body } = await management.call('GET', `${ROBOT}/tokens`)
    expect(body.items).toContainEqual(expect.objectContaining({ id: 'year', expiresAt: inHours(8_760) }))
    expect(body.items).toContainEqual(expect.objectContaining({ id: 'first', expiresAt: null }))
    document.settings = { ...document.settings, personalAccessTokenLifetime: '9601h' }
    await expect(management.directory.apply(document)).rejects.toThrow('must be from 1s to 9600h')
  })

  it('are narrowed to roles that the user holds', async () => {
    await management.call('PUT', '/organizations/acme/members/migrator-id', { roles: ['ORG_OWNER'] })
    const create = (roles: readonly string[]) => management.call('POST', `${ROBOT}/tokens`, { roles })
    expect(await create(['ORG_OWNER'])).toMatchObject({ status: 201, body: { roles: ['ORG_OWNER'] } })
    const refused = { status: 400, body: { message: 'roles: must be roles that the user holds' } }
    expect(await create(['IAM_OWNER'])).toMatchObject(refused)
    expect(await create(['ORG_OWNER', 'ORG_USER_MANAGER'])).toMatchObject(refused)
    expect((await create([])).status).toBe(400)
  })

  it('an id is used once', async () => {
    expect(await management.call('POST', `${ROBOT}/tokens`, { id: 'first' })).toMatchObject({
      status: 409,
      body: { code: 6, message: 'id: is the id of another token of this user' },
    })
  })

  it('an id that was deleted is not used again while its ending is kept, by the file neither', async () => {
    expect((await management.call('POST', `${ROBOT}/tokens`, { id: 'ended' })).status).toBe(201)
    expect((await management.call('DELETE', `${ROBOT}/tokens/ended`)).status).toBe(204)
    const rule = 'is the id of a token of this user that was deleted in the last 25 hours'
    expect(await management.call('POST', `${ROBOT}/tokens`, { id: 'ended' })).toMatchObject({
      status: 409,
      body: { code: 6, message: `id: ${rule}` },
    })
    expect((await management.call('DELETE', `${ROBOT}/tokens/first`)).status).toBe(204)
    // The file brings a deleted object back when it changes it.
    const changed = JSON.parse(JSON.stringify(exampleDirectory()).replace('p'.repeat(40), 'q'.repeat(40)))
    await expect(management.directory.apply(changed)).rejects.toThrow(rule)
  })
})

describe('machine keys', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])(
    'a generated key file signs assertions that the registered key verifies: %s',
    async (algorithm) => {
      const { status, body } = await management.call('POST', `${ROBOT}/keys`, { algorithm })
      expect(status).toBe(201)
      expect(body.keyFile).toMatchObject({ type: 'serviceaccount', keyId: body.id, userId: 'migrator-id' })
      const [row] = await management.directory.rows<{ jwk: JsonWebKey }>(
        "SELECT jwk FROM directory_read.machine_key_v1 WHERE user_id = 'migrator-id' AND kid = $1",
        [body.id],
      )
      const privateKey = createPrivateKey(body.keyFile.key)
      const digest = algorithm === 'EdDSA' ? null : 'sha256'
      const signature = sign(digest, Buffer.from('text'), privateKey)
      const publicKey = createPublicKey({ key: row?.jwk ?? {}, format: 'jwk' })
      expect(verify(digest, Buffer.from('text'), publicKey, signature)).toBe(true)
      expect(JSON.stringify(row)).not.toContain('"d"')
    },
  )

  it('a public key is registered as JWK or PEM, and a private one is refused', async () => {
    const { body } = await management.call('POST', `${ROBOT}/keys`, { algorithm: 'ES256' })
    const { alg, ...members } = body.publicKeyJwk
    expect(alg).toBe('ES256')
    const privateKey = createPrivateKey(body.keyFile.key)
    const pem = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' })
    const byPem = await management.call('POST', `${ROBOT}/keys`, { id: 'pem', publicKeyPem: pem })
    expect(byPem.body.publicKeyJwk).toEqual(members)
    expect(byPem.body.keyFile).toBeUndefined()
    const byJwk = await management.call('POST', `${ROBOT}/keys`, { public_key_jwk: body.publicKeyJwk })
    expect(byJwk).toMatchObject({ status: 201, body: { publicKeyJwk: body.publicKeyJwk } })
    expect(
      await management.call('POST', `${ROBOT}/keys`, { publicKeyJwk: privateKey.export({ format: 'jwk' }) }),
    ).toMatchObject({ status: 400, body: { details: [{ field: 'publicKeyJwk' }] } })
  })

  it('are listed and deleted', async () => {
    expect((await management.call('DELETE', `${ROBOT}/keys/k1`)).status).toBe(204)
    const { body } = await management.call('GET', `${ROBOT}/keys`)
    expect(body.items.map(({ id }: { id: string }) => id)).not.toContain('k1')
  })
})

describe('the client secret of a service user', () => {
  const valid = async () =>
    (
      await management.directory.rows<{ count: number }>(
        `SELECT count(*) FROM directory_read.client_v1, jsonb_to_recordset(secrets) AS secret (expires_at timestamptz)
          WHERE user_id = 'migrator-id' AND (expires_at IS NULL OR expires_at > $1)`,
        [management.directory.clock.now()],
      )
    )[0]?.count

  it('rotated with an overlap: both are valid until it ends, and no token is revoked', async () => {
    const { status, body } = await management.call('POST', `${ROBOT}/secret`, { overlapSeconds: 60 })
    expect([status, body.clientId]).toEqual([201, 'migrator'])
    expect(body.clientSecret).toMatch(/^sgcs_[\w-]{49}$/)
    expect(new Date(body.previousValidUntil).getTime()).toBe(
      management.directory.clock.now().getTime() + 60_000,
    )
    expect(management.published).toEqual([])
    expect(await valid()).toBe(2)
    management.directory.clock.advance(60_000)
    expect(await valid()).toBe(1)
  })

  it('rotated without one: the old secret is refused and every token is revoked before the response', async () => {
    expect((await management.call('POST', `${ROBOT}/secret`, { overlapSeconds: 0 })).status).toBe(201)
    expect(await valid()).toBe(1)
    expect(management.published).toEqual([
      [expect.stringMatching(/^CLIENT migrator \d+$/), expect.stringMatching(/^USER migrator-id \d+$/)],
    ])
  })

  it('taken away', async () => {
    expect((await management.call('DELETE', `${ROBOT}/secret`)).status).toBe(204)
    expect([await valid(), management.published.length]).toEqual([0, 1])
    expect((await management.call('DELETE', `${ROBOT}/secret`)).status).toBe(404)
  })

  it('is refused for a person', async () => {
    expect((await management.call('POST', '/users/alice/secret', { overlapSeconds: 0 })).body.message).toBe(
      'only a service user has a client secret',
    )
  })
})

describe('the second factor of a person', () => {
  it('is taken away, and cannot be given by an administrator', async () => {
    expect((await management.call('GET', '/users/alice/totp')).body).toEqual({ isSet: true })
    expect((await management.call('DELETE', '/users/alice/totp')).status).toBe(204)
    expect((await management.call('GET', '/users/alice/totp')).body).toEqual({ isSet: false })
    expect((await management.call('POST', '/users/alice/totp')).status).toBe(405)
    expect((await management.call('DELETE', '/users/alice/totp')).status).toBe(404)
  })

  it('is refused for a service user', async () => {
    expect(await management.call('DELETE', `${ROBOT}/totp`)).toMatchObject({ status: 400, body: { code: 9 } })
  })
})

describe('metadata', () => {
  it('is set, shown, listed and deleted; keys may hold anything', async () => {
    const key = encodeURIComponent('a key/with ünusual %')
    expect(await management.call('PUT', `/users/alice/metadata/${key}`, { value: 'AAEC' })).toMatchObject({
      status: 200,
      body: { key: 'a key/with ünusual %', value: 'AAEC' },
    })
    expect((await management.call('GET', `/users/alice/metadata/${key}`)).body.value).toBe('AAEC')
    const { body } = await management.call('GET', '/users/alice/metadata')
    expect(body.items).toContainEqual({ key: 'customer_no', value: Buffer.from('4711').toString('base64') })
    expect((await management.call('DELETE', `/users/alice/metadata/${key}`)).status).toBe(204)
    expect((await management.call('GET', `/users/alice/metadata/${key}`)).status).toBe(404)
  })

  it('holds up to 500,000 bytes', async () => {
    const put = (bytes: number) =>
      management.call('PUT', '/users/alice/metadata/large', {
        value: Buffer.alloc(bytes, 1).toString('base64'),
      })
    expect((await put(500_000)).status).toBe(200)
    expect(await put(500_001)).toMatchObject({ status: 400, body: { details: [{ field: 'value' }] } })
    expect(await put(0)).toMatchObject({ status: 400 })
  })

  it('the audit log does not repeat the key', async () => {
    await management.call('GET', '/users/alice/metadata/a-canary')
    expect(JSON.stringify(await management.directory.audited())).not.toContain('a-canary')
  })
})
