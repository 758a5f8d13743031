// pysaml2 as a SAML provider: a second implementation beside our own messages. `npm run test:interop` runs it where Python 3,
// OpenSSL and xmlsec1 are installed.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EMAIL_ADDRESS, PERSISTENT } from '@signet/protocol/saml-provider'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['python3', 'openssl', 'xmlsec1'].every((program) => programs.includes(program))
const run = promisify(execFile)
const SOURCE = fileURLToPath(new URL('independent-clients/saml_partner.py', import.meta.url))
const CALLBACK = '/ui/identity-providers/saml/callback'

describe.skipIf(!canRun)('pysaml2', () => {
  const opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'signet-saml-'))
  let system: TestSystem
  let ask: (call: object) => Promise<Readonly<Record<string, string>>>

  beforeAll(async () => {
    opened.defer(async () => rmSync(folder, { recursive: true, force: true }))
    const python = join(folder, 'venv', 'bin', 'python')
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
    await run(python, ['-m', 'pip', 'install', '--quiet', 'pysaml2==7.5.5'])
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=idp', '-days', '30']
    const files = ['-keyout', join(folder, 'idp.key'), '-out', join(folder, 'idp.crt')]
    await run('openssl', [...request, ...files])
    const env = { ...process.env, FOLDER: folder }
    const { stdout: metadata } = await run(python, [SOURCE, 'metadata'], { env })
    system = await startSystem({ mode: 'in-process' })
    opened.defer(async () => void (await system.stop()))
    const created = await system.manage('POST', '/identity-providers', {
      ...{ id: 'saml', organizationId: 'acme', type: 'saml', name: 'SAML', clientId: 'urn:signet:sp' },
      ...{ metadata: `<!-- of pysaml2 -->${metadata}`, creationAllowed: true },
      ...{ rpInitiatedLogout: true, backchannelLogout: true },
    })
    expect([created.status, created.json]).toMatchObject([201, { issuer: 'urn:pysaml2:idp' }])
    const own = await system.newBrowser().open('/ui/identity-providers/saml/metadata')
    writeFileSync(join(folder, 'signet.xml'), own.body)
    const partner = spawn(python, [SOURCE, 'serve'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    opened.defer(async () => void partner.kill())
    const lines = createInterface({ input: partner.stdout })[Symbol.asyncIterator]()
    ask = async (call) => {
      partner.stdin.write(`${JSON.stringify(call)}\n`)
      return JSON.parse((await lines.next()).value ?? '{}')
    }
  }, 300_000)
  afterAll(() => opened.disposeAsync())

  /** Begins a sign-in in a new browser, and asks the provider for its response. */
  async function begin(subject: string, mode = 'plain') {
    const browser = system.newBrowser()
    const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
    const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
    const away = await browser.press(page, 'provider-1')
    return { browser, answer: await ask({ location: away.headers.get('location'), subject, mode }) }
  }

  async function post({ browser, answer }: Awaited<ReturnType<typeof begin>>) {
    const kept = await browser.send(CALLBACK, answer, { withCookies: false })
    expect(kept.status).toBe(303)
    const page = await browser.open(kept.headers.get('location') ?? '')
    return page.headers.get('location') ?? ''
  }

  async function lastRule(): Promise<unknown> {
    const { json } = await system.manage('GET', '/refusals?provider=saml&limit=1')
    const [last] = json.items as readonly Readonly<Record<string, unknown>>[]
    return JSON.stringify(last)
  }

  it('reads the metadata of Signet, and signs a person in with one signature and with two', async () => {
    expect(await post(await begin('ann'))).toContain('code=')
    expect(await post(await begin('ann', 'assertion'))).toContain('code=')
    expect(await post(await begin('ann', 'near'))).toContain('code=')
  })

  it.each([
    ['encrypted', 'assertion_encrypted'],
    ['audience', 'audience_differs'],
    ['slow', 'assertion_expired'],
    ['early', 'assertion_not_yet_valid'],
  ])('is refused with an answer that is %s', async (mode, rule) => {
    expect(await post(await begin('ann', mode))).not.toContain('code=')
    await expect.poll(lastRule, { timeout: 10_000 }).toContain(rule)
  })

  it('is asked for the format of the NameID, and refused with another', async () => {
    const change = (nameIdFormat: string | null) =>
      system.manage('PATCH', '/identity-providers/saml', { nameIdFormat })
    expect((await change(PERSISTENT)).status).toBe(200)
    expect(await post(await begin('ann'))).toContain('code=')
    expect((await change(EMAIL_ADDRESS)).status).toBe(200)
    expect(await post(await begin('ann'))).not.toContain('code=')
    await expect.poll(lastRule, { timeout: 10_000 }).toContain('subject_format_refused')
    expect((await change(null)).status).toBe(200)
  })

  it('is refused with a response that was used, or belongs to another sign-in', async () => {
    const first = await begin('ann')
    expect(await post(first)).toContain('code=')
    const second = await begin('ann')
    const { SAMLResponse = '' } = first.answer
    expect(await post({ ...second, answer: { ...second.answer, SAMLResponse } })).not.toContain('code=')
    await expect.poll(lastRule, { timeout: 10_000 }).toContain('request_differs')
    expect(await post(first)).not.toContain('code=')
  })

  // The last one: a request of the provider also ends sign-ins of its second.
  it('signs a person out on both sides, whichever begins', async () => {
    const isSignedIn = async ({ browser }: Awaited<ReturnType<typeof begin>>) => {
      const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
      const page = await browser.open(
        `/oauth/v2/authorize?${new URLSearchParams({ ...query, prompt: 'none' })}`,
      )
      return page.headers.get('location')?.includes('code=') === true
    }
    const pathOf = (location = '') => location.replace(system.issuer, '')
    const here = await begin('ann')
    expect(await post(here)).toContain('code=')
    const away = await here.browser.submit(await here.browser.open('/ui/logout'), {})
    const asked = away.headers.get('location') ?? ''
    const changed = asked.replace('&RelayState=', '&RelayState=x')
    expect(await ask({ read: changed })).toEqual({ error: 'signature' })
    const read = await ask({ read: asked })
    expect([read.subject, await isSignedIn(here)]).toEqual(['ann', false])
    const back = await here.browser.open(pathOf(read.location))
    expect([back.status, back.body.includes('id="account-open"')]).toEqual([200, true])

    const there = await begin('ann')
    expect(await post(there)).toContain('code=')
    const destination = `${system.issuer}/ui/identity-providers/saml/single-logout`
    const { location } = await ask({ logout: destination, subject: 'ann' })
    const ended = await there.browser.open(pathOf(location))
    expect([ended.status, await isSignedIn(there)]).toEqual([303, false])
    const { status } = await ask({ read: ended.headers.get('location') })
    expect(status).toBe('urn:oasis:names:tc:SAML:2.0:status:Success')
  })
})
