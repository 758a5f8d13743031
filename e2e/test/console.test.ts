import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  allowAccess,
  CONSOLE,
  chrome,
  contexts,
  documents,
  examined,
  exampleMetadata,
  HOSTILE,
  OPENAPI,
  openAs,
  PAGES,
  providersOf,
  serveConsole,
  system,
  violationsOf,
} from './console-environment.ts'
import { goTo } from './console-page.ts'

interface Review {
  readonly rules: number
  readonly kept: number
  readonly findings: readonly { readonly rule: string; readonly text: string; readonly fix?: string }[]
}

/** The values of the login policy that are in force. */
async function loginPolicy() {
  const { effective } = (await system.manage('GET', '/organizations/acme/policies/login')).json as {
    effective: Readonly<Record<string, { value: unknown }>>
  }
  return Object.fromEntries(Object.entries(effective).map(([name, { value }]) => [name, value]))
}

serveConsole()

describe('the console as the owner of the instance', () => {
  it('creates an application, shows its secret once, and code with its id', async () => {
    const page = await openAs('owner', '/applications/new')
    await page.getByRole('button', { name: /Web application/ }).click()
    await page.getByLabel('name').fill('Shop')
    await page.getByLabel('projectId').fill('portal')
    await page.getByLabel('redirectUris', { exact: true }).fill('https://shop.example/callback')
    await page.getByRole('button', { name: 'New application' }).click()
    await page.getByRole('heading', { name: 'Shop is created' }).waitFor()
    const [made] = (
      (await system.manage('GET', '/applications?projectId=portal&limit=500')).json.items as {
        name: string
        clientId: string
      }[]
    ).filter(({ name }) => name === 'Shop')
    await expect(page.locator('pre').allTextContents()).resolves.toEqual(
      expect.arrayContaining([expect.stringContaining(made?.clientId ?? 'no application')]),
    )
    const files = page.getByRole('region', { name: 'Quick start' }).locator('summary')
    await expect.poll(() => files.allTextContents()).toEqual(['.env', 'server.mjs'])
    await page.getByLabel('For').selectOption('django')
    await expect.poll(() => files.allTextContents()).toEqual(['.env', 'app.py'])
    await page.getByText('No sign-in has arrived yet.').waitFor()
    await page.getByText('Open the application').click()
    await page.getByRole('heading', { name: 'Shop', exact: true }).waitFor()
    expect(await page.textContent('main')).not.toContain('sgcs_')
  })

  it('shows the command and the declaration that do the same as a form', async () => {
    const page = await openAs('owner', '/operations/project.create')
    await page.getByLabel('organizationId').fill('acme')
    await page.getByLabel('name', { exact: false }).first().fill('New shop')
    await page.getByText('The same by the command line').click()
    const [command, declaration] = await page.locator('details pre').allTextContents()
    expect(command).toBe("signet project create --set organizationId=acme --set 'name=New shop'")
    expect(declaration).toBe('organizations:\n  - id: acme\n    projects:\n      - name: New shop\n')
  })

  it('sends tokens that count with its key alone, also where the server asks for its nonces', async () => {
    const setNonce = (requireDpopNonce: boolean) =>
      system.administer('PATCH', '/v2/policies/security', { requireDpopNonce })
    expect((await setNonce(true)).status).toBe(200)
    const page = await openAs('owner', '/')
    const sent = page.waitForRequest((request) => request.url().includes('/management/v1/users?'))
    await page.goto(`${system.issuer}/console/people`)
    const { authorization, dpop } = await (await sent).allHeaders()
    await page.getByRole('row').filter({ hasText: 'alice' }).first().waitFor()
    expect([authorization?.split(' ')[0], typeof dpop]).toEqual(['DPoP', 'string'])
    const stolen = authorization?.split(' ')[1] ?? ''
    for (const scheme of ['Bearer', 'DPoP']) {
      const answer = await system.fetch('/management/v1/users', {
        headers: { authorization: `${scheme} ${stolen}`, ...(scheme === 'DPoP' && { dpop: dpop ?? '' }) },
      })
      expect(answer.status, scheme).toBe(401)
    }
    expect((await setNonce(false)).status).toBe(200)
  })

  it('trusts an issuer with the rules of a form, for an application with a key', async () => {
    const keyed = { id: 'workload', clientId: 'workload', projectId: 'portal', name: 'Keyed', type: 'api' }
    const application = { ...keyed, authMethod: 'private_key_jwt' }
    expect((await system.manage('POST', '/applications', application)).status).toBe(201)
    const page = await openAs('owner', '/applications/workload')
    await page.getByRole('button', { name: 'Trust an issuer' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('issuer').fill('https://kubernetes.example.com')
    await dialog.getByLabel('subject').fill('system:serviceaccount:shop:orders')
    await dialog.getByRole('button', { name: 'Trust an issuer' }).click()
    await page.getByRole('cell', { name: 'system:serviceaccount:shop:orders' }).waitFor()
    expect((await system.manage('GET', '/applications/workload/trusted-issuers')).json.items).toMatchObject([
      { issuer: 'https://kubernetes.example.com', claims: {}, keySet: null },
    ])

    // A cluster without a public issuer: its key set comes as `kubectl get --raw /openid/v1/jwks` prints it.
    const jwk = { kid: 'cluster', ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }
    await page.getByRole('row').getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('claims').fill('tenant=shop')
    await dialog.getByLabel('keys').fill(JSON.stringify({ keys: [jwk] }))
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('cell', { name: 'uploaded' }).waitFor()
    expect((await system.manage('GET', '/applications/workload/trusted-issuers')).json.items).toMatchObject([
      { issuer: 'https://kubernetes.example.com', claims: { tenant: 'shop' }, keySet: { keys: [jwk] } },
    ])
  })

  it('deactivates a person, and says what that ends', async () => {
    const tokens = await system.tokens({ loginName: 'carol' })
    const page = await openAs('owner', '/people/carol')
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('All sessions and tokens of the person end at once.').waitFor()
    await page.getByText(/This ends \d sessions?, 1 application, [01] refresh tokens?\./).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('Cannot sign in: the account is deactivated.').waitFor()
    expect(await system.isActive(tokens.access_token)).toBe(false)
  })

  it('deactivates several people at once, and names those for whom it failed', async () => {
    const page = await openAs('owner', '/people?organizationId=acme')
    for (const name of ['hostile-0', 'hostile-1']) {
      const row = page.getByRole('row').filter({ hasText: name })
      await row.getByRole('checkbox').check()
    }
    const bulk = page.getByRole('toolbar')
    await bulk.getByRole('button', { name: 'Deactivate' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Concerns 2 people').waitFor()
    // Another administrator deletes one of them meanwhile.
    expect((await system.manage('DELETE', '/users/hostile-1')).status).toBe(204)
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await dialog.getByText('1 done, 1 failed, 0 not tried').waitFor()
    await page.keyboard.press('Escape')
    await bulk.getByText('1 chosen').waitFor()
    expect((await system.manage('GET', '/users/hostile-0')).json.state).toBe('inactive')
    await system.manage('PATCH', '/users/hostile-0', { state: 'active' })
  })

  it('invites people of a list, and names the lines and addresses that it leaves out', async () => {
    const page = await openAs('organizer', '/people/invite')
    const awaited = page.getByRole('region', { name: 'Invited, without a password or passkey so far' })
    await awaited.waitFor()
    await page.getByLabel('Organization id').fill('ac')
    await awaited.waitFor({ state: 'detached' })
    await page.getByLabel('Organization id').fill('acme')
    await awaited.waitFor()
    await page.getByLabel('E-mail addresses').fill('alice@acme.localhost\nnobody')
    await page.getByText('No address in line 2').waitFor()
    expect(await page.getByRole('button', { name: 'Invite 1 person' }).isDisabled()).toBe(true)
    await page.getByLabel('E-mail addresses').fill('alice@acme.localhost\nErin Example <erin@acme.localhost>')
    await page.getByText('The same by the command line').click()
    expect(await page.locator('details pre').first().textContent()).toBe(
      'signet invite --from addresses.txt --organization acme',
    )
    await page.getByRole('button', { name: 'Invite 2 people' }).click()
    await page.getByText('0 done, 2 failed, 0 not tried').waitFor()
    await page.getByText('alice@acme.localhost: is there already').waitFor()
    // Neither is a person without the message.
    await page.getByText('erin@acme.localhost: there is no SMTP server').waitFor()
    expect((await system.manage('GET', '/users?userName=erin')).json.items).toEqual([])
    expect(await violationsOf(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  it('exports a document and saves it', async () => {
    const page = await openAs('owner', '/jobs')
    await page.getByRole('button', { name: 'New export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New export' }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the document' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('document.json')
    expect(JSON.parse(readFileSync(await saved.path(), 'utf8'))).toHaveProperty('orgs')
  })

  it('sends no file that would add members to the call, and quotes its name', async () => {
    const page = await openAs('owner', '/jobs/import')
    let sent = 0
    await page.route('**/admin/v1/import', async (route) => {
      sent += 1
      await route.fulfill({ status: 401, json: {} })
    })
    const choose = (text: string) =>
      page.getByLabel('File').setInputFiles({
        name: '-a $(b).json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      })
    await choose('{"orgs":[]},"ignoreChecksum":true')
    await page.getByText('The same by the command line').click()
    expect(await page.locator('pre').first().textContent()).toBe(
      "signet import './-a $(b).json' --dry-run --on-conflict skip --on-invalid fail",
    )
    await page.getByRole('button', { name: 'Upload and try' }).click()
    await page.getByText('The file is not a JSON object, or has text behind it.').waitFor()
    expect(sent).toBe(0)
    await choose('{"orgs":[]}')
    await page.getByRole('button', { name: 'Upload and try' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(sent).toBe(1)
  })

  it('shows sign-ins over time, and marks the first steps that are done', async () => {
    await system.tokens({ loginName: 'bob' })
    const page = await openAs('owner')
    const home = page.getByRole('region', { name: 'Sign-ins over time' })
    await expect.poll(() => home.getByRole('img').getAttribute('aria-label')).toMatch(/^[1-9]\d* sign-ins/)
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await expect.poll(() => steps.first().textContent()).toContain('(done)')
  })

  it('tries a document, shows its plan by type, applies it and takes it back', async () => {
    const page = await openAs('owner', '/jobs/import')
    const orgs = [
      {
        orgId: 'moved',
        org: { name: 'Moved' },
        humanUsers: [
          {
            userId: 'mona',
            user: {
              userName: 'mona',
              profile: { firstName: 'Mona', lastName: 'M' },
              email: { email: 'mona@moved.example' },
            },
          },
        ],
      },
    ]
    const buffer = Buffer.from(JSON.stringify({ orgs }))
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'document.json', mimeType: 'application/json', buffer })
    await page.getByRole('button', { name: 'Upload and try' }).click()
    await page.getByRole('table', { name: 'By type' }).waitFor()
    expect((await system.manage('GET', '/users/mona')).status).toBe(404)
    await page.getByRole('button', { name: 'Apply the plan' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply the plan' }).click()
    await expect
      .poll(async () => (await system.manage('GET', '/users/mona')).status, { timeout: 20_000 })
      .toBe(200)
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Objects that the import created are deleted').waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await expect
      .poll(async () => (await system.manage('GET', '/users/mona')).status, { timeout: 20_000 })
      .toBe(404)
  }, 60_000)

  it('deletes nothing before the name is typed', async () => {
    const page = await openAs('owner', '/people/dora')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Delete' })
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel(/Type dora/).fill('dora')
    await button.click()
    await page.getByRole('heading', { name: 'People' }).waitFor()
    expect((await system.manage('GET', '/users/dora')).status).toBe(404)
  })

  it('changes one value of a policy and leaves the others', async () => {
    const before = await loginPolicy()
    const page = await openAs('owner', '/organizations/acme')
    const card = page.getByRole('region', { name: 'Login policy' })
    await card.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('hidePasswordReset').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await loginPolicy()).toEqual({ ...before, hidePasswordReset: true })
  })

  it('shows a broken rule beside its field', async () => {
    const page = await openAs('owner', '/operations/organization.create')
    await page.getByLabel('name', { exact: false }).first().fill('x'.repeat(300))
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.problem').first().waitFor()
    expect(await page.textContent('.alert')).toContain('Request id')
  })

  it('finds a page and an act by Ctrl K', async () => {
    const page = await openAs('owner')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('doctor')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await page.getByRole('dialog').getByRole('combobox').fill('Audit')
    await page.getByRole('option', { name: 'Audit log', exact: true }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  })
})

describe('the branding of an organization', () => {
  const PREVIEW = '/organizations/acme/policies/label/preview'

  it('is seen on the sign-in page before it is saved, and warns of colours that are hard to read', async () => {
    const page = await openAs('organizer', '/organizations/acme/branding')
    const element = page.locator('iframe[title="Sign-in page"]')
    expect(await element.getAttribute('sandbox')).toBe('')
    const frame = page.frameLocator('iframe[title="Sign-in page"]')
    await frame.locator('#login-submit').waitFor()
    const colour = () =>
      frame.locator('#login-submit').evaluate((button) => getComputedStyle(button).backgroundColor)
    await page.getByLabel('primaryColor', { exact: true }).fill('#0b6e4f')
    await expect.poll(colour).toBe('rgb(11, 110, 79)')
    await page.getByLabel('loginText.title').fill(String(HOSTILE[0]))
    await frame.getByRole('heading', { name: String(HOSTILE[0]) }).waitFor()
    await page.getByLabel('Logo: PNG').setInputFiles({
      ...{ name: 'logo.svg', mimeType: 'image/svg+xml' },
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>',
      ),
    })
    await frame.locator('.logo img[src^="data:image/svg+xml;base64,"]').waitFor()
    const shown = await frame
      .locator('.logo img')
      .evaluate((image) => (image as HTMLImageElement).naturalWidth)
    expect(shown).toBeGreaterThan(0)
    await page.getByLabel('fontColor', { exact: true }).fill('#eeeeee')
    await page.getByText('People could not read this.').waitFor()
    await page.getByLabel('fontColor', { exact: true }).fill('#111111')
    await page.getByText('People could not read this.').waitFor({ state: 'detached' })
    const background = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    const light = await background()
    await page.getByLabel('Scheme').selectOption('dark')
    await frame.locator('meta[name="color-scheme"][content="dark"]').waitFor({ state: 'attached' })
    await expect.poll(background).not.toBe(light)
    // Another language leaves what is edited as it is.
    await page.getByLabel('Language of the page').selectOption('de')
    await frame.locator('html[lang="de"]').waitFor()
    await page.getByLabel('Language of the page').selectOption('en')
    await frame.getByRole('heading', { name: String(HOSTILE[0]) }).waitFor()
    await page.getByLabel('Width').selectOption('narrow')
    expect(await element.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(380)
    expect(await violationsOf(page)).toEqual([])

    expect((await system.manage('GET', '/organizations/acme/policies/label')).json.isDefault).toBe(true)
    await page.getByRole('button', { name: 'Save colours' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save colours' }).click()
    await expect
      .poll(async () => (await system.manage('GET', '/organizations/acme/policies/label')).json.policy)
      .toMatchObject({ primaryColor: '#0b6e4f', fontColor: '#111111' })
    expect((await system.manage('DELETE', '/organizations/acme/policies/label')).status).toBe(204)
  })

  it('is shown in a frame without cookies, script, forms and links, in the language that is chosen', async () => {
    const page = await openAs('organizer', '/organizations/acme/branding')
    await page.getByLabel('Language of the page').selectOption('ar')
    const frame = page.frameLocator('iframe[title="Sign-in page"]')
    await frame.locator('html[lang="ar"][dir="rtl"]').waitFor()
    const reach = () => {
      const read = (work: () => unknown) => {
        try {
          return work()
        } catch (error) {
          return (error as Error).name
        }
      }
      return [origin, read(() => document.cookie), read(() => localStorage.length), document.scripts.length]
    }
    // A preview that arrives meanwhile takes the place of this one.
    await expect
      .poll(() => frame.locator('html').evaluate(reach))
      .toEqual(['null', 'SecurityError', 'SecurityError', 0])
    const before = page.url()
    await frame
      .locator('form')
      .first()
      .evaluate((form) => (form as HTMLFormElement).submit())
    await frame.locator('#login-forgot').click({ force: true })
    expect(page.frames().map((each) => each.url())).toEqual([before, 'about:srcdoc'])
    expect(await frame.locator('#login-name').count()).toBe(1)
  })

  it('renders nothing for a reader, takes no markup, and leaves the sign-in page without frames', async () => {
    const { json } = await system.manage('POST', PREVIEW, {
      loginTexts: { loginText: { title: HOSTILE[1] } },
      labelPolicy: { primaryColor: '#0b6e4f' },
    })
    expect(String(json.html)).not.toMatch(/<script|autofocus/)
    expect(String(json.html)).toContain('<body inert>')
    expect((await system.manage('POST', PREVIEW, { labelPolicy: { primaryColor: 'red;}' } })).status).toBe(
      400,
    )
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>').toString('base64')
    expect((await system.manage('POST', PREVIEW, { logo: svg })).status).toBe(400)
    for (const path of ['/ui/login', '/ui/account']) {
      const policy = (await system.fetch(path)).headers.get('content-security-policy')
      expect(policy).toContain("frame-ancestors 'none'")
    }
    const page = await openAs('reader', '/organizations/acme/branding')
    await page.getByText('needs role').first().waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })
})

describe('why a person does not get in', () => {
  it('shows the rules of a sign-in, and the claims that the tokens would have', async () => {
    const page = await openAs('organizer', '/why?user=bob&application=web')
    await page.getByText('The person gets in.').waitFor()
  })

  it('tries a sign-in: the request to copy, the claims, and the acts that cure what is refused', async () => {
    const api = {
      id: 'orders',
      name: 'Orders',
      organizationId: 'acme',
      resourceUri: 'https://orders.example',
    }
    expect((await system.manage('POST', '/projects', api)).status).toBe(201)
    const grantTypes = (await system.manage('GET', '/applications/no-refresh')).json.grantTypes as string[]
    const page = await openAs('owner', '/applications/no-refresh')
    const tester = page.getByRole('region', { name: 'Try a sign-in' })
    const url = async () =>
      new URL(String(await tester.locator('pre', { hasText: '/authorize?' }).textContent()))
    await tester.getByLabel('APIs').fill('https://orders.example')
    await expect.poll(async () => (await url()).searchParams.get('resource')).toBe('https://orders.example')
    const request = Object.fromEntries((await url()).searchParams)
    expect(request).toMatchObject({ client_id: 'no-refresh', code_challenge_method: 'S256' })
    expect((await system.fetch(`/oauth/v2/authorize?${(await url()).searchParams}`)).status).toBe(303)

    // By the keyboard alone.
    await tester.getByLabel('Scopes').fill('profile profil offline_access')
    await tester.getByLabel('Person').fill('bob')
    await page.keyboard.press('Enter')
    await tester.getByText('The person does not get in.').waitFor()
    await tester.getByText('Signet has no scope of this name').waitFor()
    await tester.getByRole('button', { name: 'Add openid' }).click()
    await tester.getByText('The person gets in.').waitFor()
    await tester.getByRole('button', { name: 'Leave it out' }).click()
    await tester.getByRole('button', { name: 'Allow refresh_token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Allow refresh_token' }).click()
    await tester
      .getByText('Granted scopes:')
      .getByText(/^openid profile offline_access \S+:orders:aud$/)
      .waitFor()
    expect((await system.manage('GET', '/applications/no-refresh')).json.grantTypes).toEqual([
      ...grantTypes,
      'refresh_token',
    ])
    await tester.getByText('ID token').click()
    expect(await tester.locator('details pre', { hasText: '"sub"' }).first().textContent()).toContain(
      '"sub": "bob"',
    )
    expect(await tester.locator('details pre', { hasText: '"aud"' }).nth(1).textContent()).toContain(
      'https://orders.example',
    )
    expect(await violationsOf(page)).toEqual([])
    // The application's own tokens need no person.
    await tester.getByLabel('Grant').selectOption('client_credentials')
    await tester.getByRole('button', { name: 'Allow client_credentials' }).waitFor()
    expect(await tester.getByLabel('Person').count()).toBe(0)
    expect(await tester.locator('pre').allTextContents()).toEqual([
      expect.stringContaining('--data-urlencode grant_type=client_credentials'),
    ])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(page.url()).toBe(`${system.issuer}/console/applications/no-refresh`)
    expect((await system.manage('PATCH', '/applications/no-refresh', { grantTypes })).status).toBe(200)
    expect((await system.manage('DELETE', '/projects/orders')).status).toBe(204)
  })

  it('reviews an application by its settings and the requests of the week, with a command for each finding', async () => {
    const [redirectUri] = (await system.manage('GET', '/applications/post')).json.redirectUris as string[]
    const request = { client_id: 'post', redirect_uri: String(redirectUri), scope: 'openid' }
    const review = async () =>
      (await system.manage('GET', '/applications/post/review')).json as unknown as Review
    const about = async () => (await review()).findings.find(({ rule }) => rule === 'pkce_not_required')
    expect((await about())?.text).toContain('No request of the last seven days')
    const query = new URLSearchParams({ ...request, response_type: 'code' })
    expect((await system.fetch(`/oauth/v2/authorize?${query}`)).status).toBe(303)
    await expect.poll(about, { timeout: 10_000 }).toMatchObject({
      text: expect.stringMatching(/A request of [0-9-]{10} came without code_challenge/),
      fix: 'signet application update post --set requirePkce=true',
    })
    const page = await openAs('organizer', '/applications/post')
    const section = page.getByRole('region', { name: 'Review by RFC 9700' })
    await section.getByText('signet application update post --set requirePkce=true').waitFor()
    const { kept, rules } = await review()
    await section.getByText(`${kept} of ${rules} rules are kept.`).waitFor()
    expect((await system.manage('PATCH', '/applications/post', { requirePkce: true })).status).toBe(200)
    expect(await about()).toBeUndefined()
    expect((await system.manage('PATCH', '/applications/post', { requirePkce: false })).status).toBe(200)
  })
})

it('the roles of people are given and taken by checks, and saved for a spreadsheet', async () => {
  for (const [key, displayName] of [
    ['cook', 'Cook'],
    ['=1+1', 'Formula'],
  ])
    expect((await system.manage('POST', '/projects/portal/roles', { key, displayName })).status).toBe(201)
  const given = { userId: 'bob', roles: ['cook'] }
  expect((await system.manage('POST', '/projects/portal/user-grants/add', given)).status).toBe(200)
  const page = await openAs('organizer', '/projects/portal')
  await page.getByRole('link', { name: 'Roles of people' }).click()
  const rolesOf = async () => {
    const { json } = await system.manage('GET', '/projects/portal/user-grants?userId=bob')
    const [grant] = json.items as readonly { roles: readonly string[] }[]
    return grant?.roles
  }
  await page.getByRole('checkbox', { name: '=1+1: bob' }).click()
  await expect.poll(rolesOf).toEqual(expect.arrayContaining(['=1+1', 'cook']))
  await page.getByRole('checkbox', { name: 'cook: bob' }).click()
  await expect.poll(rolesOf).toEqual(['=1+1'])
  await page.getByRole('checkbox', { name: 'cook: bob', checked: false }).waitFor()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  const [head = '', ...rows] = readFileSync(await saved.path(), 'utf8').split('\r\n')
  expect(head).toContain('"\'=1+1"')
  expect(rows.find((row) => row.startsWith('bob,'))).toContain('yes')
})

it('the page of a project makes a token for registration, shows it once and deletes it', async () => {
  const page = await openAs('organizer', '/projects/portal')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New token for registration' }).click()
  await dialog.getByLabel('redirectHosts').fill('agents.example')
  await dialog.getByLabel('mostClients').fill('5')
  await dialog.getByRole('button', { name: 'New token for registration' }).click()
  await dialog.getByText('This is shown once. Keep it now.').waitFor()
  expect(await dialog.locator('pre').textContent()).not.toBe('')
  await page.keyboard.press('Escape')
  const row = page.getByRole('row').filter({ hasText: 'agents.example' })
  await row.getByText('0 of 5').waitFor()
  await row.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await system.manage('GET', '/projects/portal/registration-tokens')).json.items).toEqual([])
})

describe('clients with a URL', () => {
  const stored = async () => {
    const { items } = (await system.manage('GET', '/client-documents')).json
    return (items as { clientId: string; state: string }[]).map(({ clientId, state }) => [clientId, state])
  }

  it('are listed with their state, blocked and forgotten, each after its consequence', async () => {
    const [blocked, forgotten] = [documents.publish('/blocked.json'), documents.publish('/forgotten.json')]
    for (const clientId of [blocked, forgotten]) await allowAccess(clientId)
    const page = await openAs('owner', '/applications')
    await page.getByRole('navigation').getByRole('link', { name: 'Clients with a URL' }).click()
    await page.getByText('These clients are switched on.').waitFor()
    await page.getByRole('searchbox', { name: 'Host' }).fill(`127.0.0.1:${documents.port}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(/host=127/)
    const rowOf = (clientId: string) => page.getByRole('row').filter({ hasText: clientId })
    const dialog = page.getByRole('dialog')
    await rowOf(blocked).getByRole('button', { name: 'Deactivate' }).click()
    await dialog.getByText(/its next sign-in is refused, whatever its document says/).waitFor()
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await rowOf(blocked).getByRole('button', { name: 'Activate' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await rowOf(forgotten).getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText(/It comes back when a person allows it access again/).waitFor()
    await dialog.getByLabel(`Type ${forgotten} to confirm`).fill(forgotten)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await rowOf(forgotten).waitFor({ state: 'detached' })
    expect(await stored()).toEqual([[blocked, 'inactive']])
    await rowOf(blocked).getByRole('link', { name: 'Last refusals' }).click()
    await page.getByRole('heading', { name: 'Why refused' }).waitFor()
  })
})

describe('identity providers', () => {
  it('are set up with the fields of their kind, and show the redirect URI', async () => {
    const page = await openAs('organizer', '/organizations/acme')
    await page.getByRole('link', { name: 'New identity provider' }).click()
    await page.getByRole('button', { name: /^Google/ }).click()
    const main = page.getByRole('main')
    await main.getByLabel('clientId').waitFor()
    expect(await main.getByLabel('issuer').isVisible()).toBe(false)
    await main.getByLabel('name', { exact: false }).first().fill('Workspace')
    await main.getByLabel('clientId').fill('signet')
    await main.getByLabel('clientSecret').fill('GOCSPX-shop')
    await main.getByLabel('requiredClaims').fill('hd=acme.example')
    await main.getByLabel('creationAllowed').check()
    await main.getByRole('button', { name: 'New identity provider' }).click()
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor()
    const [made] = await providersOf('Workspace')
    expect(made).toMatchObject({
      ...{ preset: 'google', issuer: 'https://accounts.google.com', requiredClaims: { hd: 'acme.example' } },
      ...{ hasSecret: true, creationAllowed: true, linkingAllowed: false },
    })
    const uri = `${system.issuer}/ui/identity-providers/${made?.id}/callback`
    await page.getByText(uri, { exact: true }).waitFor()
    expect(await page.textContent('main')).not.toContain('GOCSPX-shop')
  })

  /** The members that no form of a kind of provider has, and why. */
  const WITHOUT_FIELD = {
    'is the choice of the kind': { all: ['type'], known: ['preset'] },
    'is given by the organization that the page is opened from': { all: ['organizationId'] },
    'is refused by the API for the type': {
      oidc: [
        ...[
          'ssoUrl',
          'sloUrl',
          'certificates',
          'nameIdFormat',
          'assertionConsumerPath',
          'wantAssertionsSigned',
        ],
        ...['assertionEncryption', 'signAuthnRequests', 'metadata', 'metadataUrl'],
        ...['providerInitiated', 'providerInitiatedClientId'],
        ...['servers', 'baseDn', 'objectClass', 'nameAttributes'],
      ],
      saml: [
        ...['preset', 'clientSecret', 'clientAuthentication', 'scopes', 'trustedEmailDomains'],
        ...['crossAppAccess', 'teamId', 'keyId'],
        ...['servers', 'baseDn', 'objectClass', 'nameAttributes'],
      ],
      ldap: [
        ...['preset', 'clientAuthentication', 'scopes', 'trustedEmailDomains', 'trustsMethods'],
        ...[
          'crossAppAccess',
          'backchannelLogout',
          'rpInitiatedLogout',
          'teamId',
          'keyId',
          'ssoUrl',
          'sloUrl',
        ],
        ...['nameIdFormat', 'assertionConsumerPath', 'wantAssertionsSigned', 'assertionEncryption'],
        ...['signAuthnRequests', 'metadata', 'metadataUrl', 'providerInitiated', 'providerInitiatedClientId'],
      ],
      github: [
        ...['preset', 'clientAuthentication', 'subjectClaim', 'mappedClaims', 'groupsClaim'],
        ...['roleMappings', 'trustsMethods', 'crossAppAccess', 'backchannelLogout', 'rpInitiatedLogout'],
        ...['teamId', 'keyId', 'ssoUrl', 'sloUrl', 'certificates', 'nameIdFormat', 'assertionConsumerPath'],
        ...['wantAssertionsSigned', 'assertionEncryption', 'signAuthnRequests', 'metadata', 'metadataUrl'],
        ...['providerInitiated', 'providerInitiatedClientId'],
        ...['servers', 'baseDn', 'objectClass', 'nameAttributes'],
      ],
    },
  } satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

  it.each([
    ['oidc', 'keycloak', { issuer: 'https://form.example', clientSecret: 's' }],
    ['saml', 'saml', { metadata: exampleMetadata() }],
    ['ldap', 'ldap', { servers: ['ldaps://form.example'], baseDn: 'dc=form', clientSecret: 's' }],
    ['github', 'github', { clientSecret: 's' }],
  ])('of type %s have a field for each member that the API takes', async (type, kind, more) => {
    const document = JSON.parse(readFileSync(OPENAPI, 'utf8'))
    const membersOf = (path: string, method: string): readonly string[] => {
      const { schema } = document.paths[path][method].requestBody.content['application/json']
      const { $ref = '' } = schema as { $ref?: string }
      const { properties } = $ref === '' ? schema : document.components.schemas[$ref.split('/').at(-1) ?? '']
      return Object.keys(properties)
    }
    const fieldsOf = (part: Locator) =>
      part.evaluate((root) =>
        [...root.querySelectorAll('label, legend')].map((label) => label.firstChild?.textContent ?? ''),
      )
    const missing = async (part: Locator, members: readonly string[], of: readonly string[]) => {
      const fields = await fieldsOf(part)
      const excepted = Object.values(WITHOUT_FIELD).flatMap((reason) =>
        Object.entries(reason).flatMap(([name, names]) => (of.includes(name) ? names : [])),
      )
      return members.filter((member) => fields.includes(member) === excepted.includes(member))
    }
    const page = await openAs('organizer', `/identity-providers/new?organizationId=acme&preset=${kind}`)
    const form = page.locator('main form')
    await form.getByText('More settings', { exact: true }).click()
    const created = membersOf('/management/v1/identity-providers', 'post')
    expect(await missing(form, created, ['all', 'known', type])).toEqual([])
    const path = '/management/v1/identity-providers/{providerId}'
    const provider = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', type, name: `Form of ${type}`, clientId: 'cn=c', ...more },
    })
    expect(provider.status, JSON.stringify(provider.json)).toBe(201)
    await page.goto(`${system.issuer}/console/identity-providers/${provider.json.id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('form').waitFor()
    expect(await missing(dialog, membersOf(path, 'patch'), ['all', type])).toEqual([])
  })

  it('get a picture, which their page and the list show, and lose it', async () => {
    const { json } = await system.manage('POST', '/identity-providers', {
      ...{ organizationId: 'acme', name: 'Drawn', preset: 'google', clientId: 'c', clientSecret: 's' },
    })
    const page = await openAs('organizer', `/identity-providers/${json.id}`)
    const dialog = page.getByRole('dialog')
    const picture = page.locator('img.provider-logo')
    await page.getByText('None: the button has its text alone.').waitFor()
    await page.getByLabel('Logo: PNG').setInputFiles({
      ...{ name: 'logo.svg', mimeType: 'image/svg+xml' },
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>',
      ),
    })
    await page.getByRole('button', { name: 'Save the picture' }).click()
    await dialog.getByRole('button', { name: 'Save the picture' }).click()
    await picture.waitFor()
    await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0)
    expect(await violationsOf(page)).toEqual([])
    const list = await openAs('organizer', '/organizations/acme')
    await list.locator('tr', { hasText: 'Drawn' }).locator('img.provider-logo').waitFor()
    await page.getByRole('button', { name: 'Take the picture away' }).click()
    await dialog.getByRole('button', { name: 'Take the picture away' }).click()
    await page.getByText('None: the button has its text alone.').waitFor()
    expect((await system.manage('GET', `/identity-providers/${json.id}`)).json.logo).toBeNull()
  })

  it('are deactivated with the question for sessions, lose their secret, and are deleted by their name', async () => {
    const [{ id } = {}] = await providersOf('Workspace')
    const page = await openAs('owner', `/identity-providers/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await dialog.getByLabel('endSessions').check()
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('Sign-ins by it are refused: it is deactivated.').waitFor()
    await page.getByRole('button', { name: 'Use no secret' }).click()
    await dialog.getByRole('button', { name: 'Use no secret' }).click()
    await page.getByText('Signet has no secret for this provider.').waitFor()
    expect(await providersOf('Workspace')).toMatchObject([
      { state: 'inactive', hasSecret: false, clientAuthentication: 'none' },
    ])
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByLabel('Type Workspace to confirm').fill('Workspace')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/organizations\/acme$/)
    expect(await providersOf('Workspace')).toEqual([])
  })
})

describe('providers of SAML', () => {
  it('are set up by their metadata, and import it again after a look at the plan', async () => {
    const page = await openAs('organizer', '/identity-providers/new?organizationId=acme')
    const main = page.getByRole('main')
    await page.getByRole('button', { name: /^SAML/ }).click()
    await main.getByLabel('name', { exact: false }).first().fill('Corporate SAML')
    const document = exampleMetadata()
    await main.getByLabel('From a file').setInputFiles({
      ...{ name: 'metadata.xml', mimeType: 'text/xml', buffer: Buffer.from(document) },
    })
    await expect.poll(() => main.getByLabel('metadata', { exact: true }).inputValue()).toBe(document)
    expect(await main.getByLabel(/^clientId/).inputValue()).toBe(`${system.issuer}/saml/acme`)
    await page.getByText('More settings', { exact: true }).click()
    for (const absent of ['scopes', 'clientSecret', 'trustedEmailDomains']) {
      expect(await main.getByLabel(absent, { exact: true }).count()).toBe(0)
    }
    await main.getByRole('button', { name: 'New identity provider' }).click()
    await page.getByRole('heading', { level: 1, name: 'Corporate SAML' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    for (const part of ['metadata', 'callback']) {
      await page.getByText(`${system.issuer}/ui/identity-providers/${id}/${part}`, { exact: true }).waitFor()
    }
    expect(await page.getByText('Client secret').count()).toBe(0)

    await page.getByRole('button', { name: 'Import metadata' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('metadata', { exact: true })
      .fill(document.replace('acme.example/sso', 'other.example/sso'))
    await dialog.getByRole('button', { name: 'Import metadata' }).click()
    await dialog.getByText('This needs otherHost.').waitFor()
    await dialog.getByText(/^Nothing is changed yet/).waitFor()
    await dialog.getByLabel('dryRun').uncheck()
    await dialog.getByRole('button', { name: 'Import metadata' }).click()
    await dialog
      .getByText(/leads people to another host/)
      .first()
      .waitFor()
    await dialog.getByLabel('otherHost').check()
    await dialog.getByRole('button', { name: 'Import metadata' }).click()
    await dialog.getByText('The provider is changed.').waitFor()
    const { json } = await system.manage('GET', `/identity-providers/${id}`)
    expect(json).toMatchObject({
      type: 'saml',
      ssoUrl: 'https://idp.other.example/sso',
      issuer: 'https://idp.acme.example',
    })
  })
})

describe('roles', () => {
  it('let the owner of an organization edit its people', async () => {
    const page = await openAs('organizer', '/people/bob')
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
    await page.getByRole('dialog').getByLabel('nickName').fill('Bobby')
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await system.manage('GET', '/users/bob')).json.profile).toMatchObject({ nickName: 'Bobby' })
  })

  it('refuse a change to a reader, with the role that it needs', async () => {
    const page = await openAs('reader', '/people/bob')
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
    await page.getByRole('dialog').getByLabel('nickName').fill('Nobody')
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
    expect(await page.getByRole('dialog').getByRole('alert').textContent()).toContain('ORG_OWNER')
    expect(JSON.stringify((await system.manage('GET', '/users/bob')).json)).not.toContain('Nobody')
  })

  it('show a stranger nothing', async () => {
    const page = await openAs('stranger', '/people/bob')
    await page.getByRole('alert').first().waitFor()
    expect(await page.textContent('main')).not.toContain('bob@acme.localhost')
  })
})

describe('acting as a person', () => {
  const reason = 'Ticket 4711: the report stays empty'

  it('is offered to impersonators alone, says what is missing, and leads to the banner without script', async () => {
    const other = await openAs('organizer')
    const roles = other.waitForResponse((response) => response.url().endsWith('/management/v1/me'))
    await goTo(other, '/people/bob')
    await roles
    await other.getByRole('region', { name: 'What happened' }).getByRole('row').first().waitFor()
    expect(await other.getByRole('button', { name: 'Act as this person' }).count()).toBe(0)

    const page = await openAs('owner', '/people/bob')
    await page.getByRole('button', { name: 'Act as this person' }).click()
    const dialog = page.getByRole('dialog')
    const send = async (typed: string) => {
      await dialog.getByLabel('reason').fill(typed)
      await dialog.getByRole('button', { name: 'Act as this person' }).click()
    }
    await dialog.getByText('for an hour at most').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await violationsOf(page)).toEqual([])
    await send('short')
    await dialog
      .getByText(/10 characters/)
      .first()
      .waitFor()
    await send(reason)
    await dialog.getByText('signet security-policy update --set enableImpersonation=true').waitFor()
    const feature = await system.administer('PUT', '/v2/features/instance', { oidcTokenExchange: true })
    const setting = await system.administer('PATCH', '/v2/policies/security', { enableImpersonation: true })
    await send(reason)
    await dialog.getByText('signet login-policy update acme --set allowImpersonation=true').waitFor()
    const policy = { allowImpersonation: true }
    const allowed = await system.manage('PATCH', '/organizations/acme/policies/login', policy)
    expect([feature.status, setting.status, allowed.status]).toEqual([200, 200, 200])
    await send(reason)
    const open = dialog.getByRole('button', { name: 'Open the sign-in page' })
    await open.waitFor()
    expect(await violationsOf(page)).toEqual([])
    const [opened] = await Promise.all([page.context().waitForEvent('page'), open.click()])
    await opened.waitForSelector('#impersonation-start')
    expect(await opened.evaluate(() => [document.referrer, window.opener])).toEqual(['', null])
    const link = opened.url()
    const token = new URL(link).searchParams.get('token') ?? ''
    expect(token.length).toBeGreaterThan(30)
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.body.outerHTML]),
    )
    expect(kept).not.toContain(token)

    const storageState = await page.context().storageState()
    const withoutScript = await chrome.newContext({ storageState, javaScriptEnabled: false, locale: 'en' })
    contexts.push(withoutScript)
    const login = await withoutScript.newPage()
    await login.goto(link)
    expect(await login.textContent('#impersonation-reason')).toContain(reason)
    await login.click('#impersonation-start')
    await login.waitForSelector('#impersonation-banner')
    expect(await login.textContent('#impersonation-banner')).toContain('bob@acme.localhost')
    await other.reload()
    const marked = other
      .getByRole('region', { name: 'Sessions' })
      .getByRole('row')
      .filter({ hasText: reason })
    await marked.getByText('Administrator The owner').waitFor()
    await login.locator('#impersonation-banner').getByRole('button').click()
    await login.waitForSelector('#impersonation-banner', { state: 'detached' })
  })
})

describe('every page', () => {
  it('shows hostile names as text, breaks no rule of the policy, and has no violation that axe finds', async () => {
    const page = await openAs('owner')
    const violations: string[] = []
    for (const path of PAGES) {
      await goTo(page, path)
      expect(await page.evaluate(() => 'hacked' in globalThis), path).toBe(false)
      if (!examined(PAGES).has(path)) continue
      await page.emulateMedia({ colorScheme: 'light' })
      violations.push(...(await violationsOf(page)).map((violation) => `${path}: ${violation}`))
      await page.emulateMedia({ colorScheme: 'dark' })
      const inDark = await violationsOf(page, ['color-contrast'])
      violations.push(...inDark.map((violation) => `${path}, dark: ${violation}`))
    }
    expect(violations).toEqual([])
    await goTo(page, '/people/hostile-0')
    expect(await page.textContent('h1')).toBe(HOSTILE[0])
  }, 180_000)

  it('is among those that these tests open', () => {
    const source = readFileSync(`${CONSOLE}src/router.tsx`, 'utf8')
    const routes = [...source.matchAll(/ page\('([^']*)'/g)].map(([, route = '']) => route)
    expect(routes.length).toBeGreaterThan(15)
    const opened = (route: string) => {
      const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/?]+')}(\\?.*)?$`)
      return PAGES.some((path) => pattern.test(path))
    }
    expect(routes.filter((route) => !opened(route))).toEqual([])
  })
})

describe('the session of the console', () => {
  it('comes back to a page by its address without another sign-in, and stores no token', async () => {
    const page = await openAs('owner', '/organizations/acme')
    await page.goto(`${system.issuer}/console/people/bob`)
    await page.getByRole('heading', { level: 1, name: 'The reader' }).or(page.locator('main h1')).waitFor()
    expect(page.url()).toBe(`${system.issuer}/console/people/bob`)
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(stored).not.toMatch(/token|eyJ/)
  })

  it('says that it ended when it ends elsewhere', async () => {
    const page = await openAs('organizer', '/people/bob')
    await system.manage('POST', '/users/organizer/sign-out')
    await goTo(page, '/projects')
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
    await page.waitForSelector('#login-name')
  })

  it('is one session in two tabs: a sign-out in one ends the other at its next request', async () => {
    const page = await openAs('reader', '/people/bob')
    const other = await page.context().newPage()
    await other.goto(`${system.issuer}/console/projects`)
    await other.waitForSelector('main h1')
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.waitForURL((url) => !url.pathname.startsWith('/console/projects'))
    await goTo(page, '/organizations')
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(0)
  })

  it('follows no address of another place that a stranger put into the state', async () => {
    const page = await openAs('owner')
    await page.goto(`${system.issuer}/console/callback?code=x&state=y`)
    await page.getByRole('heading', { name: 'The sign-in was refused' }).waitFor()
    expect(page.url()).toContain('/console/')
  })
})

it('the console has the colours of the sign-in pages, light and dark', () => {
  const coloursOf = (...names: string[]) =>
    names.map((name) =>
      [...readFileSync(`${CONSOLE}../${name}`, 'utf8').matchAll(/(--[a-z-]+): (#[0-9a-f]{6});/g)].map(
        ([, colour, value]) => `${colour} ${value}`,
      ),
    )
  const [light = [], dark = []] = coloursOf('login/public/signet.css', 'login/public/dark.css')
  const [own = []] = coloursOf('console/src/ui/tokens.css')
  expect(light.length).toBeGreaterThan(8)
  expect(own).toEqual(expect.arrayContaining([...light, ...dark]))
})

describe('the files of the console', () => {
  it('stay in caches for a year, but the page does not', async () => {
    const page = await system.fetch('/console/people')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const asset = /\/console\/assets\/[^"]+\.js/.exec(page.text)?.[0] ?? ''
    const served = await system.fetch(asset)
    expect(served.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await system.fetch('/console/assets/unknown.js')).status).toBe(404)
  })
})
