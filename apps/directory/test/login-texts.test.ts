import { randomBytes } from 'node:crypto'
import { createBrandingReader } from '@signet/directory-reader/branding'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeCarried } from '../src/carried/carried.repository.ts'
import { postgresAppliedBatches, storeUndoOutcomes } from '../src/transfer/applied-batches.repository.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import { postgresExportSource } from '../src/transfer/export.repository.ts'
import { loginTextWriter } from '../src/transfer/login-texts.repository.ts'
import type { BatchContext } from '../src/transfer/record-writer.ts'
import { createUndoBatches } from '../src/transfer/undo-batches.ts'
import { objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { actor, batchFixture } from './batch-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  management = await managementFixture()
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('one', { roles: ['ORG_OWNER one'] })
  ;({ apply, batchOf } = batchFixture(management.directory))
  await management.directory.apply({
    organizations: ['one', 'two'].map((id) => ({ id, name: id, primaryDomain: `${id}.localhost` })),
  })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  await management.directory.rows('DELETE FROM directory.login_text')
  await management.directory.rows('DELETE FROM directory.carried_record')
})

const path = (language: string, organization = 'one') =>
  `/organizations/${organization}/login-texts/${language}`
const put = (texts: object, language = 'en', token = 'owner') =>
  management.call('PUT', path(language), texts, token)
const read = async (language = 'en') => (await management.call('GET', path(language))).body
const shown = (organization = 'one') =>
  management.directory.rows(
    'SELECT language, texts FROM directory_read.login_text_v1 WHERE organization_id = $1 ORDER BY language',
    [organization],
  )
const importing = (jobId: string, records: readonly object[], more = {}) =>
  apply([batchOf(jobId, 0, 'one', records, { list: 'loginTexts', ...more })])

function undo(importJobId: string, recordCount: number, force = false) {
  return createUndoBatches({
    database: management.directory.owner,
    batches: postgresAppliedBatches,
    storeOutcomes: storeUndoOutcomes,
    readAuthorityFacts,
    undoBatches: createUndoBatchRepository({
      masterKeys: management.directory.masterKeys,
      random: randomBytes,
    }),
    rows: objectRows,
    publishEndings: async () => undefined,
  })({ jobId: `undo-${importJobId}`, importJobId, force, actor, batches: [{ batch: 0, recordCount }] })
}

/** The login texts of the organization in an export. */
async function exported(): Promise<readonly unknown[]> {
  const source = postgresExportSource(management.directory.owner, management.directory.masterKeys)
  const choices = { withPasswords: false, withOtp: false, withSecrets: false, withPasskeys: false }
  const order = { organizationIds: ['one'], excludedIds: [], ...choices, actor }
  return source.snapshot(async (tx) => {
    const found: unknown[] = []
    for await (const content of source.contents(tx, ['one'], order)) {
      if ('part' in content && content.part.list === 'loginTexts')
        found.push(...JSON.parse(`[${content.part.records}]`))
    }
    return found
  })
}

/** A statement in this database waits for a lock. */
const waitsForLock = async () => {
  const { rows } = await management.directory.owner.query({
    name: 'test.waits_for_lock',
    text: `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  })
  return rows.length > 0
}

const GERMAN = {
  language: 'de',
  loginText: { title: 'Willkommen', description: '', loginNamePlaceholder: 'name@acme.example' },
  logoutText: { title: 'Tschüss' },
}

describe('by the management API', () => {
  it('sets, shows, exports and resets the texts of a language', async () => {
    expect(await read()).toEqual({ isDefault: true, texts: {}, notObeyed: [] })
    const texts = { loginText: { title: 'Welcome', nextButtonText: '' } }
    const answer = await put(texts)
    expect([answer.status, answer.body]).toEqual([200, { isDefault: false, texts, notObeyed: [] }])
    expect(await read()).toEqual(answer.body)
    expect(await shown()).toEqual([{ language: 'en', texts: { 'loginText.title': 'Welcome' } }])
    expect(await shown('two')).toEqual([])
    expect(await exported()).toEqual([{ language: 'en', ...texts }])
    await put({ passwordText: { title: 'Password' } })
    expect(await shown()).toEqual([{ language: 'en', texts: { 'passwordText.title': 'Password' } }])
    expect((await management.call('DELETE', path('en'))).status).toBe(204)
    expect([await shown(), await exported(), (await read()).isDefault]).toEqual([[], [], true])
  })

  it('changes the texts that are named, and gives an empty one its default', async () => {
    await put({ loginText: { title: 'Welcome', description: 'Use your badge.' } })
    const patched = await management.call('PATCH', path('en'), {
      loginText: { title: 'Hello', description: '' },
      passwordText: { title: 'Password' },
    })
    const texts = { loginText: { title: 'Hello', description: '' }, passwordText: { title: 'Password' } }
    expect([patched.status, patched.body]).toEqual([200, { isDefault: false, texts, notObeyed: [] }])
    expect(await shown()).toEqual([
      { language: 'en', texts: { 'loginText.title': 'Hello', 'passwordText.title': 'Password' } },
    ])
    expect((await management.call('PATCH', path('en'), { passwordText: { title: 'P' } })).body.texts).toEqual(
      {
        ...texts,
        passwordText: { title: 'P' },
      },
    )
    for (const refused of [{}, { logoutText: { title: 'Bye' } }])
      expect((await management.call('PATCH', path('en'), refused)).status).toBe(400)
    expect((await management.call('DELETE', path('en'))).status).toBe(204)
  })

  it('writes an audit event with the names of the screens, without texts', async () => {
    await put({ loginText: { title: 'Very own title' } })
    const [event] = await management.directory.audited({ action: 'login_text.set' })
    expect(event).toMatchObject({ targetKind: 'organization', targetId: 'one' })
    expect(event?.details).toMatchObject({ language: 'en', fields: ['loginText'] })
    expect(JSON.stringify(event)).not.toContain('Very own')
    await management.call('DELETE', path('de'))
    const [reset] = await management.directory.audited({ action: 'login_text.reset' })
    expect(reset).toMatchObject({ details: { language: 'de' } })
  })

  it.each([
    [{ logoutText: { title: 'Bye' } }, /^logoutText\.title: is not supported: the page belongs to no org/],
    [{ usernameChangeText: { title: 'x' } }, /^usernameChangeText\.title: .*there is no such page/],
    [{ loginText: { loginNamePlaceholder: 'x' } }, /^loginText\.loginNamePlaceholder: .*no such text/],
    [{ loginText: { title: 'a\u202eb' } }, /^loginText\.title: must have no control characters/],
    [{ loginText: { title: 'x'.repeat(201) } }, /^loginText\.title: must have at most 200 characters/],
    [{ loginText: { description: 'x'.repeat(501) } }, /^loginText\.description: must have at most 500/],
    [{ loginText: { title: 5 } }, /^loginText\.title: /],
    [{ rejected: { title: 'x' } }, /^rejected: is no screen/],
    [{ organizationId: 'two' }, /^organizationId: is no screen/],
    [{ loginText: 'x' }, /^loginText: /],
  ])('refuses %j with the text and the rule', async (texts, message) => {
    const { status, body } = await put(texts)
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)])
    expect(await shown()).toEqual([])
  })

  it('lets the owner of an organization set its own texts only, in the languages of the pages', async () => {
    expect((await put({ loginText: { title: 'Own' } }, 'de', 'one')).status).toBe(200)
    const foreign = await management.call('PUT', path('de', 'two'), {}, 'one')
    expect(foreign.status).toBeGreaterThanOrEqual(403)
    expect((await put({}, 'it')).status).toBe(400)
    expect(await shown('two')).toEqual([])
  })
})

describe('by an import', () => {
  it('shows what acts, reports the rest and exports all of it', async () => {
    const long = { language: 'fr', loginText: { title: 'x'.repeat(201) } }
    const italian = { language: 'it', loginText: { title: 'Benvenuti' } }
    const [outcome] = await importing('import', [GERMAN, long, italian])
    expect(outcome).toMatchObject({ outcomes: 'ccc', failures: [] })
    expect(outcome?.notes).toEqual([
      'organization one: loginTexts in de not obeyed here: loginText.loginNamePlaceholder (is not supported: the page has no such text; leave it out or set it to ""), logoutText.title (is not supported: the page belongs to no organization; leave it out or set it to "")',
      'organization one: loginTexts in fr not obeyed here: loginText.title (must have at most 200 characters)',
      'organization one: loginTexts in it are not obeyed here: no page has this language',
    ])
    expect(await shown()).toEqual([
      { language: 'de', texts: { 'loginText.title': 'Willkommen' } },
      { language: 'fr', texts: {} },
    ])
    expect(await exported()).toEqual([GERMAN, long, italian])
    expect(await read('de')).toEqual({
      isDefault: false,
      texts: { loginText: GERMAN.loginText, logoutText: GERMAN.logoutText },
      notObeyed: ['loginText.loginNamePlaceholder', 'logoutText.title'],
    })
  })

  it('names at most twenty texts that do not act', async () => {
    const names = Array.from({ length: 30 }, (_, at) => [`x${at}`, 'y'])
    const [outcome] = await importing('bounded', [{ language: 'en', loginText: Object.fromEntries(names) }])
    expect(outcome?.notes?.[0]).toMatch(/loginText\.x19 \(is no text of the format\), and 10 more$/)
  })

  it('keeps what PostgreSQL cannot store as JSON, and shows no half of a surrogate pair', async () => {
    const odd = {
      language: 'en',
      loginText: { title: 'a\ud800', nextButtonText: 'Next' },
      other: { x: [1.5] },
    }
    await importing('odd', [odd])
    expect(await shown()).toEqual([{ language: 'en', texts: { 'loginText.nextButtonText': 'Next' } }])
    expect(await exported()).toEqual([odd])
  })

  it('replaces texts, and an undo gives them back', async () => {
    await put({ loginText: { title: 'Before' } }, 'de')
    const [outcome] = await importing('replaced', [GERMAN, { language: 'en', loginText: { title: 'New' } }])
    expect(outcome?.outcomes).toBe('uc')
    expect(await shown()).toHaveLength(2)
    expect((await undo('replaced', 2)).map(({ outcomes }) => outcomes)).toEqual(['rd'])
    expect(await shown()).toEqual([{ language: 'de', texts: { 'loginText.title': 'Before' } }])
    expect(await exported()).toEqual([{ language: 'de', loginText: { title: 'Before' } }])
  })

  it('loses on the pages and in the export to a change that comes while it repeats the record', async () => {
    const record = { language: 'en', loginText: { title: 'Imported' } }
    await importing('repeated', [record])
    const { owner, masterKeys } = management.directory
    let change: ReturnType<typeof put> | undefined
    let isChanged = false
    await owner.transaction(async (tx) => {
      const query: typeof tx.query = async (statement) => {
        if (statement.name === 'login_text.write') {
          change = put({ loginText: { title: 'Changed' } })
          void change.then(() => {
            isChanged = true
          })
          await expect.poll(async () => isChanged || (await waitsForLock()), { timeout: 20_000 }).toBe(true)
        }
        return tx.query(statement)
      }
      const writer = loginTextWriter({ masterKeys, random: randomBytes })
      await writer.update({ query }, [record], { organizationIds: ['one'] } as unknown as BatchContext)
    })
    expect((await change)?.status).toBe(200)
    expect(await shown()).toEqual([{ language: 'en', texts: { 'loginText.title': 'Changed' } }])
    expect(await exported()).toEqual([{ language: 'en', loginText: { title: 'Changed' } }])
  })

  it('is not undone where the texts were changed since', async () => {
    await importing('changed', [GERMAN])
    await put({ loginText: { title: 'Since' } }, 'de')
    expect((await undo('changed', 1)).map(({ outcomes }) => outcomes)).toEqual(['k'])
    expect(await shown()).toEqual([{ language: 'de', texts: { 'loginText.title': 'Since' } }])
  })

  it('names the fields that a plan would change', async () => {
    await importing('planned', [GERMAN])
    const other = { language: 'de', loginText: { title: 'Anders' } }
    const [outcome] = await importing('plan', [other], { dryRun: true })
    expect(outcome).toMatchObject({
      outcomes: 'u',
      plan: { changes: [{ index: 0, fields: ['loginText'] }] },
    })
    expect(await shown()).toEqual([{ language: 'de', texts: { 'loginText.title': 'Willkommen' } }])
  })
})

it('exports texts of an import before pages showed any, which act once they are set again', async () => {
  const { owner, masterKeys } = management.directory
  await owner.transaction((tx) =>
    writeCarried(tx, { masterKeys, random: randomBytes }, [
      { organizationId: 'one', list: 'loginTexts', key: 'de', content: GERMAN },
    ]),
  )
  expect([await shown(), await exported()]).toEqual([[], [GERMAN]])
  const { notObeyed } = await read('de')
  expect(notObeyed).toEqual(['loginText.title', 'loginText.loginNamePlaceholder', 'logoutText.title'])
  const texts = { loginText: { title: 'Willkommen' } }
  expect((await put(texts, 'de')).body).toEqual({ isDefault: false, texts, notObeyed: [] })
  expect(await exported()).toEqual([{ language: 'de', ...texts }])
})

it('reaches readers by the change feed', async () => {
  const database = management.directory.as('signet_login')
  const reader = createDirectoryReader({ database, logger: silentLogger })
  const branding = createBrandingReader({ database, directory: reader })
  try {
    expect((await branding.ofOrganization('one'))?.texts).toEqual({})
    await put({ loginText: { title: 'First' } })
    await reader.poll()
    expect((await branding.ofOrganization('one'))?.texts).toEqual({ en: { 'loginText.title': 'First' } })
    await management.call('DELETE', path('en'))
    await reader.poll()
    expect((await branding.ofOrganization('one'))?.texts).toEqual({})
  } finally {
    await reader.stop()
  }
})
