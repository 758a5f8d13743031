import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { describe, expect, it } from 'vitest'
import {
  allowAccess,
  chrome,
  contexts,
  documents,
  examined,
  exampleMetadata,
  openAs,
  PAGES,
  profile,
  providersOf,
  serveConsole,
  system,
  violationsOf,
} from './console-environment.ts'
import { goTo } from './console-page.ts'

/** Acts with a dialog, by their page and the words of their buttons. */
const DIALOGS: readonly (readonly [path: string, button: string])[] = [
  ['/people', 'Search (Ctrl K)'],
  ['/people', 'New person'],
  ['/people/bob', 'Deactivate'],
  ['/people/bob', 'Delete'],
  ['/people/bob', 'Act as this person'],
  ['/applications/web', 'Edit'],
  // It reaches an authorization server since a test before.
  ['/applications/asserting', 'Edit'],
  ['/client-documents', 'Delete'],
  ['/organizations/acme', 'Delete'],
  ['/identity-providers/hostile-0', 'Edit'],
  ['/identity-providers/hostile-0', 'Deactivate'],
  ['/identity-providers/hostile-0', 'Use no secret'],
  ['/identity-providers/saml-0', 'Import metadata'],
  ['/identity-providers/saml-0', 'Edit'],
  ['/identity-providers/saml-0', 'Add a key'],
  ['/keys', 'Rotate now'],
]

serveConsole()

describe('the console as the owner of the instance', () => {
  it('lets an application reach authorization servers by name, and takes one away', async () => {
    const target = (clientId: string) => ({ clientId, scopes: ['chat.read'] })
    const access = async () => (await system.manage('GET', '/applications/asserting')).json.crossAppAccess
    const page = await openAs('owner', '/applications/asserting')
    const dialog = page.getByRole('dialog')
    for (const host of ['chat', 'mail']) {
      await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
      await dialog.getByRole('button', { name: 'Add to crossAppAccess' }).click()
      const entry = dialog.getByRole('group', { name: 'crossAppAccess' }).getByRole('group').last()
      await entry.getByLabel('Name of the entry').fill(`ftp://${host}.example`)
      await entry.getByLabel('clientId').fill(`wiki-at-${host}`)
      await entry.getByLabel('scopes').fill('chat.read')
      await dialog.getByRole('button', { name: 'Edit', exact: true }).click()
      await entry
        .getByText('names must be issuers')
        .or(dialog.getByText('names must be issuers'))
        .first()
        .waitFor()
      await entry.getByLabel('Name of the entry').fill(`https://${host}.example`)
      await dialog.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const mail = { 'https://mail.example': target('wiki-at-mail') }
    expect(await access()).toEqual({ 'https://chat.example': target('wiki-at-chat'), ...mail })
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
    await dialog.getByRole('button', { name: 'Remove https://chat.example' }).click()
    await dialog.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await access()).toEqual(mail)
  })

  it('keeps an act on several people open while it runs, and stops it when the session ends', async () => {
    const page = await openAs('owner', '/people?organizationId=acme')
    const path = '**/management/v1/users/*'
    const sent: string[] = []
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route(path, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      sent.push(route.request().url())
      await isReleased
      await (sent.length === 1 ? route.fallback() : route.fulfill({ status: 401, json: {} }))
    })
    const people = ['hostile-0', 'hostile-2', 'hostile-3']
    for (const name of people) {
      await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').check()
    }
    await page.getByRole('toolbar').getByRole('button', { name: 'Deactivate' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deactivate' })
    await dialog.getByText('The same by the command line').click()
    expect(await dialog.locator('pre').textContent()).toBe(
      people.map((id) => `signet user update ${id} --set state=inactive`).join('\n'),
    )
    const isAsked = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
    expect(await isAsked()).toBe(false)
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await dialog.getByText('0 done, 0 failed, 3 to go').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await isAsked()).toBe(true)
    expect(await dialog.isVisible()).toBe(true)
    release()
    await page.getByText('1 done, 0 failed, 2 not tried').waitFor()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(sent).toHaveLength(2)
    expect(await isAsked()).toBe(false)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('toolbar').getByText('2 chosen').waitFor()
    await system.manage('PATCH', '/users/hostile-0', { state: 'active' })
  })

  it('asks before the page of an act that runs is left, and stops the act on request', async () => {
    const page = await openAs('owner', '/why')
    await page.getByRole('link', { name: 'People', exact: true }).click()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/management/v1/users/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      await isReleased
      await route.fulfill({ json: {} })
    })
    for (const name of ['hostile-2', 'hostile-3']) {
      await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').check()
    }
    await page.getByRole('toolbar').getByRole('button', { name: 'Deactivate' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    const asked = page.waitForEvent('dialog')
    await page.evaluate(() => history.back())
    const question = await asked
    expect(question.message()).toContain('Leave the page and stop it?')
    await question.dismiss()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    release()
    await dialog.getByText('1 done, 0 failed, 1 not tried').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/people')
    await page.keyboard.press('Escape')
    await page.getByRole('toolbar').getByText('1 chosen').waitFor()
  })

  it('counts nothing again while its page stands open, and reads the audit log of a month', async () => {
    const page = await openAs('owner', '/operations')
    const asked: URL[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (/\/audit$|\/usage$/.test(url.pathname)) asked.push(url)
    })
    await page.clock.install()
    await goTo(page, '/')
    await goTo(page, '/applications/asserting')
    await page.getByText('No sign-in has arrived yet.').waitFor()
    const [test] = asked.filter(({ searchParams }) => searchParams.get('action') === 'mail.test')
    const from = Date.parse(test?.searchParams.get('from') ?? '')
    expect((Date.now() - from) / 86_400_000).toBeCloseTo(30, 1)
    await goTo(page, '/')
    await page.clock.runFor(10)
    const before = asked.length
    await page.clock.runFor(60_000)
    await page.waitForLoadState('networkidle')
    expect(asked.slice(before)).toEqual([])
  })

  it('looks for the first sign-in when the person asks for it', async () => {
    const page = await openAs('owner', '/applications/asserting')
    let isIn = false
    await page.route('**/usage', (route) =>
      route.fulfill({ json: { sessions: isIn ? 1 : 0, users: 0, hasMore: false } }),
    )
    await page.getByText('No sign-in has arrived yet.').waitFor()
    isIn = true
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('✓ The first sign-in has arrived.').waitFor()
  })

  it('keeps the secrets of a quick start while its page stands open', async () => {
    const page = await openAs('owner', '/applications/asserting')
    await page.getByLabel('For').selectOption('nextjs')
    const file = page.locator('pre', { hasText: 'NEXTAUTH_SECRET' })
    const before = await file.textContent()
    expect(before).toMatch(/NEXTAUTH_SECRET=[0-9a-f]{64}/)
    await page.getByRole('button', { name: 'Register it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Register it' }).click()
    await page.getByText('This code needs the redirect URI').waitFor({ state: 'detached' })
    expect(await file.textContent()).toBe(before)
  })

  it('shows the first lines of a long report and saves the whole of it', async () => {
    const page = await openAs('owner')
    const job = { id: 'long', kind: 'import', state: 'succeeded', phase: 'done', resumable: false }
    const lines = Array.from(
      { length: 600 },
      (_, at) => `{"type":"user","id":"user-${at}","outcome":"created"}`,
    )
    const body = lines.join('\n')
    await page.route('**/admin/v1/jobs/long', (route) => route.fulfill({ json: job }))
    await page.route('**/admin/v1/jobs/long/*', (route) =>
      route.fulfill({
        contentType: 'application/x-ndjson',
        body: route.request().url().endsWith('report') ? body : '',
      }),
    )
    await goTo(page, '/jobs/long')
    await page.getByText('The first 500 records are shown and counted here.').waitFor()
    await page.getByRole('row', { name: 'user 500' }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the report' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('report.ndjson')
    expect(readFileSync(await saved.path(), 'utf8')).toBe(body)
  })

  it('keeps filters under a name for the person who saved them', async () => {
    const page = await openAs('owner', '/audit?result=refused&action=user.create')
    await page.getByText('Saved filters (0)').click()
    await page.getByLabel('Name of these filters').fill('<b>Refused</b>')
    await page.getByRole('button', { name: 'Save' }).click()
    await goTo(page, '/why')
    await goTo(page, '/audit')
    await page.getByText('Saved filters (1)').click()
    expect(await page.getByLabel('Action').inputValue()).toBe('')
    await page.getByRole('link', { name: '<b>Refused</b>' }).click()
    await page.waitForURL((url) => url.search === '?result=refused&action=user.create')
    expect(await page.getByLabel('Action').inputValue()).toBe('user.create')
    await goTo(page, '/projects?organizationId=acme')
    await page.getByText('Saved filters (0)').waitFor()
    const [place = ''] = await page.evaluate(() => Object.keys(localStorage))
    expect(place).toBe('signet-console.filters.owner./audit')
    await goTo(page, '/audit')
    await page.getByText('Saved filters (1)').click()
    await page.getByRole('button', { name: 'Delete the filters <b>Refused</b>' }).click()
    expect(await page.evaluate((key) => localStorage.getItem(key), place)).toBe('[]')
  })
})

describe('why a person does not get in', () => {
  it('offers to register the redirect URI of a refused request', async () => {
    const query = new URLSearchParams({ client_id: 'post', redirect_uri: 'https://new.example/callback' })
    expect((await system.fetch(`/oauth/v2/authorize?${query}&response_type=code&scope=openid`)).status).toBe(
      400,
    )
    const kept = async () => {
      const { json } = await system.manage('GET', '/refusals?application=post')
      return JSON.stringify(json).includes('https://new.example/callback')
    }
    await expect.poll(kept).toBe(true)
    const page = await openAs('organizer', '/applications/post')
    await page.getByRole('button', { name: 'Register this URI' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Register this URI' }).click()
    await page.getByText('registered', { exact: true }).waitFor()
    expect((await system.manage('GET', '/applications/post')).json.redirectUris).toContain(
      'https://new.example/callback',
    )
  })
})

it('the saved roles of people are all roles of the project, also those without a column', async () => {
  const project = { id: 'wide', organizationId: 'acme', name: 'Wide' }
  expect((await system.manage('POST', '/projects', project)).status).toBe(201)
  const keys = Array.from({ length: 101 }, (_, number) => `role-${1_000 + number}`)
  for (const key of keys) await system.manage('POST', '/projects/wide/roles', { key, displayName: key })
  const given = { userId: 'bob', roles: ['role-1100'] }
  expect((await system.manage('POST', '/projects/wide/user-grants/add', given)).status).toBe(200)
  const page = await openAs('organizer', '/projects/wide/people')
  await page.getByText('The first 100 of 101 roles are columns').waitFor()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  const [head = '', row = ''] = readFileSync(await saved.path(), 'utf8').split('\r\n')
  expect(head.split(',').slice(3, -1)).toEqual(keys)
  expect(row.split(',').slice(0, -1).at(-1)).toBe('yes')
})

describe('clients with a URL', () => {
  it('show an owner of the organization no feature of the instance, and a stranger nothing', async () => {
    await allowAccess(documents.publish('/listed.json'))
    const page = await openAs('organizer', '/client-documents')
    await page.getByRole('table', { name: 'Clients with a URL' }).waitFor()
    expect(await page.textContent('main')).not.toContain('switched on')
    const strange = await openAs('stranger', '/client-documents')
    await strange.getByRole('alert').waitFor()
    expect(await strange.getByRole('table').count()).toBe(0)
  })
})

describe('identity providers', () => {
  const newKey = () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ format: 'pem', type: 'pkcs8' })
      .toString()

  it('of GitHub and Apple ask for what each needs, and have to keep their secret', async () => {
    const page = await openAs('organizer', '/identity-providers/new?organizationId=acme')
    const main = page.getByRole('main')
    const create = async (name: string) => {
      await main.getByLabel('name', { exact: false }).first().fill(name)
      await main.getByLabel('clientId').fill('signet')
      await main.getByRole('button', { name: 'New identity provider' }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.getByText(/callback$/).waitFor()
      expect(await page.getByRole('button', { name: 'Use no secret' }).count()).toBe(0)
    }
    await page.getByRole('button', { name: /^GitHub/ }).click()
    await main.getByLabel('clientSecret').fill('of-github')
    await page.getByText('More settings', { exact: true }).click()
    for (const absent of ['subjectClaim', 'groupsClaim', 'trustsMethods', 'teamId', 'ssoUrl'])
      expect(await main.getByLabel(absent, { exact: true }).count()).toBe(0)
    await create('Octocats')
    expect(await providersOf('Octocats')).toMatchObject([{ type: 'github', issuer: 'https://github.com' }])

    await page.goto(`${system.issuer}/console/identity-providers/new?organizationId=acme`)
    await page.getByRole('button', { name: /^Apple/ }).click()
    await main.getByLabel('teamId').fill('DEF123GHIJ')
    await main.getByLabel('keyId').fill('ABC123DEFG')
    // The field joins the lines of the file.
    await main.getByLabel('clientSecret').fill(newKey().replaceAll('\n', ''))
    await create('Apples')
    expect(await providersOf('Apples')).toMatchObject([
      { preset: 'apple', clientAuthentication: 'apple_client_secret', keyId: 'ABC123DEFG', hasSecret: true },
    ])
  })

  it('with a key show its public half, and never the private one', async () => {
    const clientSecret = newKey()
    const { json } = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', name: 'Keyed', issuer: 'https://keyed.example', clientId: 'c' },
      ...{ clientAuthentication: 'private_key_jwt', clientSecret },
    })
    const page = await openAs('organizer', `/identity-providers/${json.id}`)
    const { kid } = json.clientPublicJwk as { kid: string }
    await page
      .locator('pre')
      .filter({ hasText: `"kid": "${kid}"` })
      .waitFor()
    expect(await page.textContent('main')).not.toContain('PRIVATE KEY')
    expect(await page.textContent('main')).not.toContain('"d"')
  })

  it('are tested, and a server that is away is not taken for a result that is gone', async () => {
    const { json } = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', name: 'Tested', preset: 'google', clientId: 'c', clientSecret: 's' },
    })
    const page = await openAs('organizer', `/identity-providers/${json.id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Test sign-in' }).click()
    await dialog.getByRole('button', { name: 'Test sign-in' }).click()
    const show = () => dialog.getByRole('button', { name: 'Show the result' }).click()
    await show()
    await dialog.getByText('has not ended yet').waitFor()
    const answerOnce = (status: number, message: string) =>
      page.route('**/take', (route) => route.fulfill({ status, json: { message } }), { times: 1 })
    await answerOnce(503, 'The directory is away')
    await show()
    await dialog.getByRole('alert').getByText('The directory is away').waitFor()
    await show()
    await dialog.getByText('has not ended yet').waitFor()
    await answerOnce(404, 'there is no such test of the caller')
    await show()
    await dialog.getByText('There is no result any more').waitFor()
  })

  it('keep members of a map that a change does not name, and lose those that are emptied', async () => {
    const made = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', name: 'Workspace', preset: 'google', clientId: 'c', clientSecret: 's' },
      requiredClaims: { hd: 'acme.example' },
    })
    expect(made.status).toBe(201)
    const page = await openAs('organizer', `/identity-providers/${made.json.id}`)
    const dialog = page.getByRole('dialog')
    const edit = async (change: () => Promise<void>) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await change()
      await dialog.getByRole('button', { name: 'Edit' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await edit(async () => {
      await dialog.getByLabel('requiredClaims').fill('hd=acme.example\nacr=high')
      await dialog.getByLabel('userName').fill('login')
      await dialog.getByLabel('phone').fill('tel')
      await dialog.getByLabel('groupsClaim', { exact: true }).fill('groups')
    })
    await edit(async () => {
      await dialog.getByLabel('requiredClaims').fill('hd=acme.example\nacr=higher')
      await dialog.getByLabel('phone').fill('')
      await dialog.getByLabel('groupsClaim', { exact: true }).fill('')
    })
    expect(await providersOf('Workspace')).toMatchObject([
      {
        ...{ requiredClaims: { hd: 'acme.example', acr: 'higher' }, groupsClaim: null },
        ...{ mappedClaims: { userName: 'login' }, hasSecret: true },
      },
    ])
    expect((await providersOf('Workspace'))[0]?.mappedClaims).toEqual({ userName: 'login' })
  })

  it('give roles by rows, whose other members and rows stay, also at 390 pixels', async () => {
    const roles = ['buyer', 'seller'].map((key) => ({ key, displayName: `The ${key}` }))
    const project = { id: 'mapped', organizationId: 'acme', name: 'Mapped project' }
    expect((await system.manage('POST', '/projects', project)).status).toBe(201)
    for (const role of roles) await system.manage('POST', '/projects/mapped/roles', role)
    const staff = { group: 'staff', projectId: 'mapped', roles: ['buyer'] }
    const { json } = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', name: 'Mapping', preset: 'keycloak', issuer: 'https://mapping.example' },
      ...{ clientId: 'c', clientSecret: 's', groupsClaim: 'groups', roleMappings: [staff] },
    })
    const mappings = async () =>
      (await system.manage('GET', `/identity-providers/${json.id}`)).json.roleMappings
    const page = await openAs('organizer', `/identity-providers/${json.id}`, { width: 390 })
    const dialog = page.getByRole('dialog')
    const row = (place: number) => dialog.getByRole('group', { name: `roleMappings ${place}`, exact: true })
    const save = () => dialog.getByRole('button', { name: 'Edit', exact: true }).click()
    const open = () => page.getByRole('button', { name: 'Edit', exact: true }).click()
    await open()
    await row(1).getByText('Mapped project').last().waitFor()
    // Nothing is written in the second row, so that the third is the second of the request.
    for (let added = 0; added < 2; added++)
      await dialog.getByRole('button', { name: 'Add to roleMappings' }).click()
    await row(3).getByLabel('projectId').fill('mapped')
    await row(3).getByLabel('Add a role of the project').selectOption('seller')
    await save()
    await row(3).getByText('is required', { exact: true }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await row(3).getByLabel('group').fill('traders')
    await row(3).getByLabel('Add a role of the project').selectOption('buyer')
    await save()
    await dialog.waitFor({ state: 'detached' })
    const traders = { group: 'traders', projectId: 'mapped', roles: ['seller', 'buyer'] }
    expect(await mappings()).toEqual([staff, traders])

    await open()
    await dialog.getByRole('button', { name: 'Remove roleMappings 1' }).click()
    await dialog.getByRole('button', { name: 'Show roleMappings as JSON' }).click()
    expect(JSON.parse(await dialog.getByLabel('roleMappings', { exact: true }).last().inputValue())).toEqual([
      traders,
    ])
    await dialog.getByRole('button', { name: 'Show roleMappings by fields' }).click()
    await row(1).getByLabel('group').fill('merchants')
    await save()
    await dialog.waitFor({ state: 'detached' })
    expect(await mappings()).toEqual([{ ...traders, group: 'merchants' }])
    await open()
    await dialog.getByRole('button', { name: 'Remove roleMappings 1' }).click()
    await save()
    await dialog.waitFor({ state: 'detached' })
    expect(await mappings()).toEqual([])
  })

  it('say whether people can sign in by them, and which setting says otherwise', async () => {
    const policy = '/organizations/acme/policies/login'
    const other = { idpId: 'saml-0', ownerType: 'IDP_OWNER_TYPE_ORG' }
    const before = (await system.manage('GET', policy)).json
    const page = await openAs('organizer', '/organizations/acme')
    const row = page.getByRole('table', { name: 'Identity providers' }).getByRole('row')
    await row.getByText('SAML 2.0').first().waitFor()
    for (const [member, value, shown] of [
      ['allowExternalIdp', false, 'allowExternalIdp of the login policy is false'],
      ['idps', [other], 'lists other providers'],
      ['idps', [], 'People can sign in by it.'],
    ] as const) {
      const changed = { allowExternalIdp: true, idps: [], [member]: value }
      expect((await system.manage('PATCH', policy, changed)).status).toBe(200)
      await page.goto(`${system.issuer}/console/identity-providers/hostile-0`)
      await page.getByText(shown).waitFor()
      await page.goto(`${system.issuer}/console/organizations/acme`)
      const listed = row.filter({ has: page.locator('a[href$="/identity-providers/hostile-0"]') })
      const answer = shown === 'People can sign in by it.' ? 'yes' : 'no'
      await listed.getByRole('cell', { name: answer, exact: true }).waitFor()
    }
    if (before.isDefault === true) await system.manage('DELETE', policy)
    else await system.manage('PATCH', policy, { allowExternalIdp: true, idps: [] })
  })

  it('link a person, and keep the last way in unless it is forced', async () => {
    const user = { id: 'linked', organizationId: 'acme', userName: 'linked', profile: profile('linked') }
    expect((await system.manage('POST', '/users', user)).status).toBe(201)
    const page = await openAs('organizer', '/people/linked')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Link an identity' }).click()
    await dialog.getByLabel('providerId').fill('hostile-0')
    await dialog.getByLabel('subject').fill('248289761001')
    await dialog.getByRole('button', { name: 'Link an identity' }).click()
    const row = page.getByRole('row').filter({ hasText: '248289761001' })
    await row.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/no other way to sign in/)
      .waitFor()
    await dialog.getByLabel('force').selectOption('true')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await system.manage('GET', '/users/linked/identity-links')).json.items).toEqual([])
  })
})

describe('providers of SAML', () => {
  it('get another key of Signet, whose certificate is copied and saved, and lose the oldest', async () => {
    const made = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', type: 'saml', name: 'Rolling', clientId: 'urn:rolling' },
      ...{ metadata: exampleMetadata(), signAuthnRequests: true },
    })
    expect(made.status).toBe(201)
    const keys = async () =>
      (await system.manage('GET', `/identity-providers/${made.json.id}`)).json.ownCertificates as string[]
    const [first] = await keys()
    const page = await openAs('organizer', `/identity-providers/${made.json.id}`)
    const card = page.getByRole('region', { name: 'Keys of Signet' })
    await card.getByText('Signet has one key at this provider.').waitFor()
    // The API refuses to delete the only key while a setting needs it.
    expect(await card.getByRole('button', { name: 'Retire the oldest key' }).count()).toBe(0)
    await card.getByRole('button', { name: 'Add a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The oldest goes on signing requests until it is retired.').waitFor()
    await dialog.getByRole('button', { name: 'Add a key' }).click()
    await card.getByText(/^The key is made/).waitFor()
    const [, second = ''] = await keys()
    const newest = card.locator('details').filter({ hasText: 'Certificate of the newest key' })
    const pem = await newest.locator('pre').textContent()
    expect(new X509Certificate(pem ?? '').raw.toString('base64')).toBe(second)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      newest.getByRole('button', { name: 'Save as a file' }).click(),
    ])
    expect([saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')]).toEqual(['signet.pem', pem])

    expect(await card.getByRole('button', { name: 'Add a key' }).count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])
    await card.getByRole('button', { name: 'Retire the oldest key' }).click()
    await dialog.getByText(/Signet refuses assertions that it encrypts for the old key/).waitFor()
    await dialog.getByLabel('Type Rolling to confirm').fill('Rolling')
    await dialog.getByRole('button', { name: 'Retire the oldest key' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([await keys(), first === second]).toEqual([[second], false])
  })
})

describe('acting as a person', () => {
  const reason = 'Ticket 4711: the report stays empty'

  it('asks for another sign-in where that of the administrator is too old for the call', async () => {
    const page = await openAs('owner', '/people/bob')
    await page.route('**/impersonations', (route) =>
      route.fulfill({
        ...{ status: 401, json: { code: 16, message: 'sign in again', details: [] } },
        headers: {
          'WWW-Authenticate': 'Bearer error="insufficient_user_authentication", max_age="600"',
        },
      }),
    )
    await page.getByRole('button', { name: 'Act as this person' }).click()
    await page.getByRole('dialog').getByLabel('reason').fill(reason)
    await page.getByRole('dialog').getByRole('button', { name: 'Act as this person' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByText('at most 10 minutes ago').waitFor()
    const pushed = page.waitForRequest((request) => request.url().endsWith('/oauth/v2/par'))
    await again.getByRole('button', { name: 'Sign in' }).click()
    expect(new URLSearchParams((await pushed).postData() ?? '').get('max_age')).toBe('600')
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Act as this person' }).waitFor()
  })
})

describe('every page', () => {
  it('has dialogs without violations that axe finds, and rows that it finds none in at 390 pixels', async () => {
    const page = await openAs('owner', '/why')
    const violations: string[] = []
    for (const [path, button] of examined(DIALOGS)) {
      await goTo(page, path)
      await page.getByRole('button', { name: button, exact: true }).first().click()
      await page.getByRole('dialog').locator('form, [cmdk-root]').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const found = await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)
        violations.push(...found.map((violation) => `${path}, ${button}, ${colorScheme}: ${violation}`))
      }
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.setViewportSize({ width: 390, height: 800 })
    for (const path of ['/keys', '/people', '/audit']) {
      await goTo(page, path)
      violations.push(...(await violationsOf(page)).map((violation) => `${path}, narrow: ${violation}`))
    }
    expect(violations).toEqual([])
  }, 120_000)

  it('needs no sideways scrolling at 390 pixels, in German', async () => {
    const page = await openAs('owner', '/', { width: 390, locale: 'de' })
    expect(await page.textContent('h1')).toBe('Start')
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    const wide: string[] = []
    for (const path of PAGES) {
      await goTo(page, path)
      const beyond = await page.evaluate(() =>
        document.documentElement.scrollWidth <= 390
          ? []
          : [document.documentElement, ...document.querySelectorAll('body *')]
              .filter(({ scrollWidth }) => scrollWidth > 390)
              .map((element) => element.outerHTML.slice(0, 100)),
      )
      wide.push(...beyond.map((element) => `${path}: ${element}`))
      // Each cell has the width of the page: columns beside each other have room for a letter.
      const narrow = await page.evaluate(() =>
        [
          ...[...document.querySelectorAll('.scroll')].filter((list) => list.scrollWidth > list.clientWidth),
          ...[...document.querySelectorAll('td')].filter(
            (cell) => cell.clientWidth < 200 && cell.textContent,
          ),
        ].map((element) => element.outerHTML.slice(0, 100)),
      )
      wide.push(...narrow.slice(0, 3).map((element) => `${path}: ${element}`))
    }
    expect(wide).toEqual([])
  }, 120_000)
})

describe('the session of the console', () => {
  it('loads itself again when an update took the file of a page away, and only once', async () => {
    const page = await openAs('owner')
    let refused = 0
    await page.route(/\/console\/assets\/audit-(?!rows)/, async (route) => {
      refused += 1
      await (refused === 1 ? route.fulfill({ status: 404 }) : route.fallback())
    })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(refused).toBe(2)
  })
})

describe('the files of the console', () => {
  const bytesOf = async (path: string) =>
    Number(
      (await fetch(`${system.issuer}${path}`, { headers: { 'accept-encoding': 'gzip' } })).headers.get(
        'content-length',
      ),
    )

  it('weigh at most 250 kB at the first load and 60 kB for each further page', async () => {
    const context = await chrome.newContext()
    contexts.push(context)
    const page = await context.newPage()
    const loaded: string[] = []
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.startsWith('/console/assets/')) loaded.push(pathname)
    })
    await page.goto(`${system.issuer}/console/`)
    await page.fill('#login-name', 'owner')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    await page.waitForSelector('main h1')
    const first = new Set(loaded.splice(0))
    const weigh = async (paths: Iterable<string>) =>
      (await Promise.all([...paths].map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0)
    expect(await weigh(first)).toBeLessThan(250_000)
    const seen = new Set(first)
    for (const path of PAGES) {
      await goTo(page, path)
      const more = loaded.splice(0).filter((asset) => !seen.has(asset))
      for (const asset of more) seen.add(asset)
      expect(await weigh(more), path).toBeLessThan(60_000)
    }
  }, 120_000)
})
