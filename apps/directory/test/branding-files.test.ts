import { createHash } from 'node:crypto'
import { fontSample, JPEG_SAMPLE, pngSample } from '@signet/testing/branding-samples'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pick } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const FILES = '/organizations/acme/policies/label/files'
const PNG = pngSample()
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const bodyOf = (content: Buffer) => ({ content: content.toString('base64') })

let fixture: ManagementFixture
beforeAll(async () => {
  fixture = await managementFixture()
  fixture.bearers.set('owner', { roles: ['IAM_OWNER'] })
  fixture.bearers.set('acme', { roles: ['ORG_OWNER acme'] })
  fixture.bearers.set('globex', { roles: ['ORG_OWNER globex'] })
  const organizations = ['acme', 'globex', 'gone'].map((id) => ({
    id,
    name: id,
    primaryDomain: `${id}.localhost`,
  }))
  await fixture.directory.apply({ organizations })
})
afterAll(() => fixture?.stop())
beforeEach(() => fixture.directory.rows('DELETE FROM directory.branding_file'))

const put = (kind: string, content: Buffer, bearer = 'acme') =>
  fixture.call('PUT', `${FILES}/${kind}`, bodyOf(content), bearer)
const listed = async () => (await fixture.call('GET', FILES)).body.files
const changes = () =>
  fixture.directory.rows(
    `SELECT count(*)::int AS count FROM directory_read.change_v1 WHERE kind = 'branding_file'`,
  )

describe('a branding file', () => {
  it('is stored by an owner of the organization, replaced and deleted', async () => {
    expect(await listed()).toEqual([])
    const first = await put('logo', PNG)
    expect([first.status, first.body]).toEqual([
      200,
      {
        kind: 'logo',
        mediaType: 'image/png',
        sha256: sha256(PNG),
        sizeBytes: PNG.length,
        changedAt: expect.any(String),
        path: `/ui/assets/${sha256(PNG)}.png`,
      },
    ])
    await put('font', fontSample())
    const second = await put('logo', JPEG_SAMPLE)
    expect((await listed()).map(({ kind, path }: { kind: string; path: string }) => [kind, path])).toEqual([
      ['font', `/ui/assets/${sha256(fontSample())}.woff2`],
      ['logo', `/ui/assets/${sha256(JPEG_SAMPLE)}.jpg`],
    ])
    expect(second.body.mediaType).toBe('image/jpeg')
    for (const _ of ['once', 'and again']) {
      expect((await fixture.call('DELETE', `${FILES}/logo`, undefined, 'acme')).status).toBe(204)
    }
    expect((await listed()).map(({ kind }: { kind: string }) => kind)).toEqual(['font'])
  })

  it('is stored as it came, and published under the hash of its content', async () => {
    await put('icon', PNG)
    const [stored] = await fixture.directory.rows<{ content: Buffer }>(
      'SELECT content FROM directory_read.branding_file_v1',
    )
    expect(stored?.content.equals(PNG)).toBe(true)
    expect(
      await fixture.directory.rows(
        "SELECT files FROM directory_read.branding_v1 WHERE organization_id = 'acme'",
      ),
    ).toEqual([{ files: { icon: { sha256: sha256(PNG), mediaType: 'image/png' } } }])
  })

  it('of another organization is refused, and so is that of an unknown one', async () => {
    expect((await put('logo', PNG, 'globex')).status).toBe(403)
    expect((await fixture.call('DELETE', `${FILES}/logo`, undefined, 'globex')).status).toBe(403)
    expect((await fixture.call('GET', FILES, undefined, 'globex')).status).toBe(403)
    const unknown = '/organizations/nowhere/policies/label/files'
    expect((await fixture.call('PUT', `${unknown}/logo`, bodyOf(PNG))).status).toBe(404)
    expect(await listed()).toEqual([])
  })

  it('goes with its organization', async () => {
    const stored = () => fixture.directory.rows('SELECT sha256 FROM directory_read.branding_file_v1')
    await fixture.call('PUT', `${FILES.replace('acme', 'gone')}/logo`, bodyOf(PNG))
    expect(await stored()).toHaveLength(1)
    expect((await fixture.call('DELETE', '/organizations/gone')).status).toBe(204)
    expect(await stored()).toEqual([])
  })

  it('is written to the change feed with each change', async () => {
    const [before] = await changes()
    await put('logo', PNG)
    await put('logo', JPEG_SAMPLE)
    await fixture.call('DELETE', `${FILES}/logo`)
    const [after] = await changes()
    expect(Number(after?.count) - Number(before?.count)).toBe(3)
  })

  it('is in the audit log with kind, media type and hash, without its content', async () => {
    await put('logo', PNG)
    await put('logo', Buffer.from('<svg onload="alert(1)"/>'))
    await fixture.call('DELETE', `${FILES}/logo`, undefined, 'acme')
    const events = (await fixture.directory.audited())
      .filter(({ action }) => action.startsWith('label_policy_file.'))
      .slice(0, 3)
    const target = { targetKind: 'organization', targetId: 'acme' }
    expect(pick(events, 'action', 'targetKind', 'targetId', 'organizationId', 'result', 'details')).toEqual([
      {
        ...target,
        action: 'label_policy_file.delete',
        organizationId: 'acme',
        result: 'success',
        details: { request_id: expect.any(String), token_id: 'acme', kind: 'logo' },
      },
      expect.objectContaining({ ...target, action: 'label_policy_file.set', result: 'refused' }),
      {
        ...target,
        action: 'label_policy_file.set',
        organizationId: 'acme',
        result: 'success',
        details: {
          request_id: expect.any(String),
          token_id: 'acme',
          kind: 'logo',
          media_type: 'image/png',
          sha256: sha256(PNG),
        },
      },
    ])
    expect(JSON.stringify(events)).not.toContain(PNG.toString('base64').slice(0, 20))
  })
})

describe('a file that breaks a rule', () => {
  const large = (bytes: number) => ({ content: 'A'.repeat(bytes) })
  it.each([
    ['logo', bodyOf(Buffer.from('<script>')), 'content: must be a PNG, JPEG, WebP or SVG image'],
    ['logo', bodyOf(Buffer.concat([PNG, Buffer.from('<script>')])), 'content: must be a whole PNG image'],
    [
      'logo',
      bodyOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')),
      'content: must not have the attribute onload of <svg>',
    ],
    ['icon', bodyOf(fontSample()), 'content: must be a PNG, JPEG, WebP or SVG image'],
    ['font', bodyOf(PNG), 'content: must be a WOFF2 font'],
    ['logo', { content: '' }, 'content: must not be empty'],
    ['logo', { content: 'no base64!' }, 'content: must be Base64 (RFC 4648 section 4)'],
    ['logo', { content: 'data:image/png;base64,AAAA' }, 'content: must be Base64 (RFC 4648 section 4)'],
    ['logo', large(400_000), 'content: must be at most 262144 bytes'],
    ['font', large(700_000), 'content: must be at most 524288 bytes'],
    ['logo', { ...bodyOf(PNG), mediaType: 'image/svg+xml' }, 'mediaType: unknown field'],
    ['logo', {}, 'content: '],
  ])('is refused for a %s, with field and rule', async (kind, body, message) => {
    const answer = await fixture.call('PUT', `${FILES}/${kind}`, body)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
    expect(await listed()).toEqual([])
  })

  it('is refused under a kind that does not exist', async () => {
    expect((await fixture.call('PUT', `${FILES}/favicon`, bodyOf(PNG))).status).toBe(400)
  })
})
