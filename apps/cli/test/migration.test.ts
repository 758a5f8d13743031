import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { startS3Server } from '@signet/testing/s3-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
})
afterAll(() => fixture.close())

const user = (userId: string) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: 'Family' } },
})
const document = (orgId: string, users: readonly string[], more: object = {}) =>
  JSON.stringify({ orgs: [{ orgId, org: { name: orgId }, humanUsers: users.map(user), ...more }] })
const importing = (text: string, ...args: string[]) =>
  fixture.signetWith({ ...as(), standardInput: typed(text) }, 'import', '-', ...args)
const as = () => ({ env: { SIGNET_ISSUER: fixture.system.issuer, SIGNET_TOKEN: fixture.token } })

describe('signet import, export and jobs', () => {
  it('a dry run writes nothing; an import and an export restore the same data', async () => {
    const text = document('moved', ['ann', 'ben'])
    const dry = await importing(text, '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^nothing was written; it would be: 3 created, 0 updated, 0 skipped, 0 failed\npassword hashes: 0 verify here, 0 too slow, 0 unusable; 0 passwords in clear text, 2 people without one\nsecond factors: 0 usable, 0 unusable\nsignet import apply (\S+) does it, until \S+; signet jobs report \1 names each record, signet import rehearse \1 tries sign-ins\n$/,
      ),
    })
    expect((await fixture.signet('user', 'read', 'ann')).code).toBe(5)
    const done = await importing(text)
    expect(done).toMatchObject({ code: 0, out: '3 created, 0 updated, 0 skipped, 0 failed\n' })
    expect(done.err).toMatch(/^import \S+: succeeded, .* 3 of 3$/m)

    const out = join(fixture.folder, 'moved.json')
    const exported = await fixture.signet('export', '--organization', 'moved', '--out', out)
    expect(exported).toMatchObject({ code: 0, out: `3 objects in ${out}: 1 orgs, 2 humanUsers\n` })
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(out, 'utf8')).orgs[0]).toMatchObject({ orgId: 'moved' })
    const unnamed = await fixture.signet('import', out)
    expect(unnamed).toMatchObject({
      code: 9,
      out: '0 created, 0 updated, 0 skipped, 1 failed, 2 not imported because others were not\n',
    })
    const failedJob = /jobs report (\S+)/.exec(unnamed.err)?.[1] ?? ''
    expect((await fixture.signet('jobs', 'report', failedJob)).out).toContain('signet import --into moved')
    const named = await fixture.signet('import', out, '--into', 'moved')
    expect(named.out).toMatch(/^0 created, .* 3 skipped, 0 failed\n$/)
  })

  it('applies the plan of a dry run, and takes it back', async () => {
    const dry = await importing(document('planned', ['plan-a', 'plan-b']), '--dry-run')
    const jobId = /signet import apply (\S+)/.exec(dry.out)?.[1] ?? ''
    expect(await fixture.signet('import', 'apply', jobId)).toMatchObject({
      code: 0,
      out: '3 created, 0 updated, 0 skipped, 0 failed\n',
    })
    expect((await fixture.signet('import', 'apply', jobId)).code).toBe(6)
    expect((await fixture.signet('user', 'update', 'plan-a', '--set', 'profile.nickName=D')).code).toBe(0)
    const tried = await fixture.signet('import', 'undo', jobId, '--dry-run')
    expect(tried).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^nothing was written; it deletes \d+ objects/),
    })
    expect(await fixture.signet('import', 'undo', jobId)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Add --yes to do it.'),
    })
    const partial = await fixture.signet('import', 'undo', jobId, '--yes')
    expect(partial).toMatchObject({
      code: 9,
      out: '1 deleted, 0 restored, 2 kept, 0 skipped\n',
      err: expect.stringContaining('2 of 3 objects are kept; see signet jobs report'),
    })
    expect(await fixture.signet('import', 'undo', jobId, '--force', '--yes')).toMatchObject({
      code: 0,
      out: '2 deleted, 0 restored, 0 kept, 1 skipped\n',
    })
    expect((await fixture.signet('organization', 'read', 'planned')).code).toBe(5)
    expect((await fixture.signet('import', 'undo')).code).toBe(2)
    expect((await fixture.signet('import', 'apply', 'no-such-job')).code).toBe(5)
  })

  it('rehearses sample sign-ins of a dry run, and prints no password', async () => {
    const hashedPassword = { value: FOREIGN_PASSWORD_HASHES['bcrypt $2b$'] }
    const people = Array.from({ length: 60 }, (_, at) => ({
      userId: `sample-${at}`,
      user: { userName: `sample-${at}`, profile: { firstName: 'Given', lastName: 'Family' }, hashedPassword },
    }))
    const text = JSON.stringify({
      orgs: [{ orgId: 'sampled', org: { name: 'sampled' }, humanUsers: people }],
    })
    const dry = await importing(text, '--dry-run')
    expect(dry.out).toContain('password hashes: 60 verify here')
    expect(dry.out).toContain('  60 bcrypt cost=5, about ')
    const jobId = /signet import apply (\S+)/.exec(dry.out)?.[1] ?? ''
    const rehearse = (list: string, ...args: string[]) =>
      fixture.signetWith(
        { ...as(), standardInput: typed(list) },
        ...['import', 'rehearse', jobId, '--credentials', '-', ...args],
      )
    const right = people.map(({ userId }) => `${userId},"${FOREIGN_PASSWORD}"`)
    const all = await rehearse(right.join('\n'))
    expect(all).toMatchObject({ code: 0, err: expect.stringContaining('all 60 would sign in') })
    expect(all.out.split('\n')[60]).toMatch(/^60 +sample-59 +would sign in +\d+ +bcrypt cost=5 /)
    expect(all.err).toMatch(/bcrypt cost=5: 60 checked, \d+ ms on average, \d+ ms at most/)
    const some = await rehearse(`${right[0]}\nsample-1,Wrong-one\nnobody,Wrong-one`, '--output', 'json')
    expect(some.code).toBe(11)
    expect(some.err).toContain('2 of 3 would not sign in: 1 wrong password, 1 no such person')
    expect(JSON.parse(some.out).items[1]).toMatchObject({ line: 2, outcome: 'wrongPassword' })
    const broken = await rehearse('sample-1,a,b,Wrong-one')
    expect(broken).toMatchObject({ code: 7, err: '--credentials: line 1: must have two or three columns\n' })
    for (const { out, err } of [all, some, broken]) {
      expect(out + err).not.toContain('Wrong-one')
      expect(out + err).not.toContain(FOREIGN_PASSWORD)
    }
    expect((await fixture.signet('import', 'rehearse', jobId)).code).toBe(2)
    expect((await fixture.signet('import', 'rehearse', 'no-such-job', '--credentials', 'none')).code).toBe(2)
  })

  it('failures have exit codes: 9 for some objects, 7 for a document, 5 for a job', async () => {
    const userGrants = [{ userId: 'nobody', projectId: 'nothing', roleKeys: [] }]
    const partial = await importing(document('partly', ['cleo'], { userGrants }))
    expect(partial).toMatchObject({ code: 9, err: expect.stringMatching(/1 of 3 objects failed/) })
    const jobId = /jobs report (\S+)/.exec(partial.err)?.[1] ?? ''
    expect((await fixture.signet('jobs', 'report', jobId)).out).toContain('"outcome":"failed"')
    expect((await fixture.signet('jobs', 'events', jobId)).code).toBe(9)
    expect((await fixture.signet('jobs', 'show', jobId)).out).toMatch(/^state +partial$/m)
    expect((await fixture.signet('jobs', 'list')).out).toContain(jobId)
    expect((await fixture.signet('jobs', 'cancel', jobId)).code).toBe(7)
    expect((await fixture.signet('jobs', 'resume', jobId)).code).toBe(7)
    expect(await importing(document('broken', ['']))).toMatchObject({
      code: 7,
      err: expect.stringContaining('userId'),
    })
    expect((await fixture.signet('jobs', 'show', 'no-such-job')).code).toBe(5)
    expect((await fixture.signet('export')).code).toBe(2)
  })

  it('shows the notes of an import and of an export', async () => {
    const imported = await importing(
      document('noted', ['hal'], { 'wig\u001b[31m': 1, humanUsers: [user('hal')] }),
    )
    expect(imported).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^note: the document has no meta/m),
    })
    expect(imported.err).not.toContain('\u001b')
    const projects = [{ projectId: 'noted', project: { name: 'Noted' } }]
    const oidcApps = Array.from({ length: 60 }, (_, index) => ({
      appId: `noted-${index}`,
      app: { projectId: 'noted', name: 'App' },
    }))
    const many = await importing(document('noted', [], { projects, oidcApps }), '--into', 'noted')
    expect(many.err.match(/^note: /gm)).toHaveLength(100)
    expect(many.err).toMatch(/^2\d more notes: signet jobs show \S+$/m)
    const jobId = /^import (\S+): succeeded/m.exec(imported.err)?.[1] ?? ''
    expect((await fixture.signet('jobs', 'events', jobId)).err).toMatch(/^note: the document has no meta/m)
    const exported = await fixture.signet('export', '--out', join(fixture.folder, 'noted.json'))
    expect(exported).toMatchObject({ code: 0, err: expect.stringMatching(/^note: not exported: /m) })
  })

  it('an export of an organization that does not exist fails and writes no file', async () => {
    const out = join(fixture.folder, 'typo.json')
    const exported = await fixture.signet('export', '--organization', 'typo', '--out', out)
    expect(exported).toMatchObject({
      code: 10,
      out: '',
      err: expect.stringContaining('there is no organization typo; nothing was exported'),
    })
    await expect(stat(out)).rejects.toThrow('ENOENT')
  })

  it('writes invalid records to a file that can be mended and imported', async () => {
    const text = document('mended', ['fay', ''])
    const refused = await importing(text)
    expect(refused).toMatchObject({ code: 7, out: '' })
    const jobId = /signet jobs rejects (\S+)/.exec(refused.err)?.[1] ?? ''
    expect((await fixture.signet('jobs', 'report', jobId)).out).toContain('"outcome":"invalid"')
    const skipped = await importing(text, '--on-invalid', 'skip')
    expect(skipped).toMatchObject({
      code: 9,
      out: '2 created, 0 updated, 0 skipped, 0 failed, 1 invalid\n',
      err: expect.stringMatching(/; see signet jobs report \S+ and signet jobs rejects \S+$/m),
    })
    const out = join(fixture.folder, 'rejects.json')
    expect((await fixture.signet('jobs', 'rejects', jobId)).code).toBe(2)
    expect((await fixture.signet('jobs', 'rejects', jobId, '--out', out)).code).toBe(0)
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    await writeFile(out, (await readFile(out, 'utf8')).replaceAll('""', '"gus"'))
    expect(await fixture.signet('import', out, '--into', 'mended')).toMatchObject({
      code: 0,
      out: '1 created, 0 updated, 1 skipped, 0 failed\n',
    })
    expect((await importing(text, '--on-invalid', 'maybe')).code).toBe(7)
  })

  it('a connection that breaks while a job is followed, or a document fetched, is taken up again', async () => {
    await importing(document('broken-off', ['dan']))
    const broken = new Set<string>()
    const breaking: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init)
      const [kind] = /events|document/.exec(String(url)) ?? []
      if (kind === undefined || broken.has(kind)) return answer
      broken.add(kind)
      await answer.body?.cancel()
      const lost = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) })
      return new Response(lost, { status: answer.status })
    }
    const out = join(fixture.folder, 'broken-off.json')
    const args = ['export', '--organization', 'broken-off', '--out', out]
    const exported = await fixture.signetWith({ fetch: breaking }, ...args)
    expect(exported).toMatchObject({ code: 0, err: expect.stringContaining('fetching the document again') })
    expect(exported.err).toContain('the connection was lost; the job continues')
    expect(JSON.parse(await readFile(out, 'utf8')).orgs[0]).toMatchObject({ orgId: 'broken-off' })
  })

  it('an object storage is named by its address, its credentials by the environment', async () => {
    await importing(document('stored', ['eve']))
    const storage = await startS3Server()
    const place = [`s3://${storage.bucket}/stored.json`, '--endpoint', storage.url]
    const env = { ...as().env, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' }
    const exported = await fixture.signetWith(
      { env },
      'export',
      '--organization',
      'stored',
      '--out',
      ...place,
    )
    expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('objects in s3://') })
    const imported = await fixture.signetWith({ env }, 'import', ...place, '--into', 'stored')
    expect(imported).toMatchObject({ code: 0, out: '0 created, 0 updated, 2 skipped, 0 failed\n' })
    await storage.stop()
    expect(await fixture.signet('import', ...place)).toMatchObject({
      code: 2,
      err: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    })
    const own = 'storage:2026/stored.json'
    const kept = await fixture.signet('export', '--organization', 'stored', '--out', own)
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining(`objects in ${own}`) })
    const restored = await fixture.signet('import', own, '--into', 'stored')
    expect(restored.out).toBe('0 created, 0 updated, 2 skipped, 0 failed\n')
    expect(await fixture.signet('import', 'storage:')).toMatchObject({
      code: 2,
      err: expect.stringContaining('storage:PATH'),
    })
    expect((await fixture.signet('import', 'a-file', '--region', 'r')).code).toBe(2)
    expect((await fixture.signet('import', join(fixture.folder, 'no-such-file'))).code).toBe(2)
  })

  it('sends a file and standard input of any size while they are read', async () => {
    const file = join(fixture.folder, 'large.json')
    const padding = ' '.repeat(10 * 1_048_576)
    const text = Buffer.from(document('large', ['finn']).replace('{', `{${padding}`))
    await writeFile(file, text)
    let pieces: number[] = []
    const counting = () =>
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          pieces.push(piece.byteLength)
          controller.enqueue(piece)
        },
      })
    const watching: typeof fetch = (url, init) =>
      fetch(
        url,
        init?.body instanceof ReadableStream ? { ...init, body: init.body.pipeThrough(counting()) } : init,
      )
    let sentBeforeTheEnd = 0
    async function* standardInput() {
      for (let at = 0; at < text.length; at += 65_536) {
        sentBeforeTheEnd = pieces.length
        yield text.subarray(at, at + 65_536)
      }
    }
    for (const [created, ...args] of [
      [2, file],
      [0, '-', '--into', 'large'],
    ] as const) {
      pieces = []
      const imported = await fixture.signetWith({ fetch: watching, standardInput }, 'import', ...args)
      expect(imported).toMatchObject({ code: 0, out: expect.stringContaining(`${created} created`) })
      expect(Math.max(...pieces)).toBeLessThanOrEqual(1_048_576)
      expect(pieces.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(padding.length)
    }
    expect(sentBeforeTheEnd).toBeGreaterThan(100)
  })
})
