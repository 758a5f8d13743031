// OAuth 2.0 Rich Authorization Requests (RFC 9396): openid-client as an independent client, the consent page in Chromium.
import { openChromium } from '@signet/testing/system/chromium'
import {
  ADMIN_TOKEN,
  application,
  REDIRECT_URI,
  resourceServer,
} from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { decodeJwt, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'
import {
  basic,
  connectProvider,
  type Parameters,
  PROVIDER_SYSTEM,
  type Provider,
  SIGNING_KEY,
} from './provider.ts'
import { withDeviceGrant } from './provider-directory.ts'

const PAYMENTS = 'https://payments.example.com/v1'
const PAYMENT_TYPE = {
  title: 'Payment',
  description: 'One transfer from your account.',
  schema: {
    type: 'object',
    required: ['actions', 'instructedAmount'],
    properties: {
      actions: { type: 'array', title: 'Steps', items: { enum: ['initiate', 'status', 'cancel'] } },
      instructedAmount: {
        type: 'object',
        title: 'Amount',
        required: ['currency', 'amount'],
        additionalProperties: false,
        properties: { currency: { enum: ['EUR'] }, amount: { type: 'string', maxLength: 10 } },
      },
      creditors: { type: 'array', items: { type: 'object', properties: { name: { title: 'Name' } } } },
    },
  },
}
const FILES_TYPE = 'https://files.example.com/types/folder'
const payment = {
  type: 'payment_initiation',
  locations: [PAYMENTS],
  actions: ['initiate', 'status'],
  instructedAmount: { currency: 'EUR', amount: '123.50' },
}
const folder = { type: FILES_TYPE, privileges: ['read', 'write'] }

let provider: Provider

const manage = (method: string, path: string, body: object) =>
  provider.system.fetch(`/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const setTypes = (project: string, authorizationDetailTypes: object) =>
  manage('PATCH', `/projects/${project}`, { authorizationDetailTypes })

beforeAll(async () => {
  const document = withDeviceGrant(PROVIDER_SYSTEM.document, ['other'])
  const [acme] = document.organizations ?? []
  for (const carol of acme?.users?.filter(({ id }) => id === 'carol') ?? [])
    acme?.users?.push({ ...carol, id: 'helper', userName: 'helper', roles: ['IAM_END_USER_IMPERSONATOR'] })
  acme?.projects?.push(
    {
      id: 'payments',
      name: 'Payments',
      resourceUri: PAYMENTS,
      allowedAudiences: ['visitor'],
      authorizationDetailTypes: { payment_initiation: PAYMENT_TYPE },
      applications: [resourceServer('payments-api')],
    },
    {
      id: 'files',
      name: 'Files',
      authorizationDetailTypes: {
        [FILES_TYPE]: {
          title: 'Folder',
          schema: { properties: { privileges: { type: 'array', items: { type: 'string' } } } },
        },
      },
      applications: [resourceServer('files-api')],
    },
  )
  document.organizations?.push({
    id: 'else',
    name: 'Else',
    primaryDomain: 'else.localhost',
    projects: [
      {
        id: 'foreign',
        name: 'Foreign',
        authorizationDetailTypes: { foreign_type: { title: 'Foreign' } },
        applications: [application('visitor', { firstParty: false })],
      },
    ],
  })
  provider = await connectProvider(await startSystem({ ...PROVIDER_SYSTEM, document }))
}, 60_000)
afterAll(() => provider?.stop())

const asked = (...details: readonly unknown[]) => ({ authorization_details: JSON.stringify(details) })
const token = (form: Parameters, client = 'jwt') => provider.post('/oauth/v2/token', form, basic(client))
const claim = (jwt: unknown) => decodeJwt(String(jwt)).authorization_details

/** Signs in, allows what the consent page asks for, and returns the response. */
async function authorize(parameters: Parameters, browser = provider.system.newBrowser(), person = 'alice') {
  let page = await provider.open(browser, { client_id: 'jwt', ...parameters })
  if (page.body.includes('id="login-name"'))
    page = await browser.submit(page, { login_name: `${person}@acme.localhost`, password: PASSWORD })
  expect(page.body).toContain('id="consent-detail-0"')
  return readResponse(await browser.submit(page, { decision: 'allow' }))
}

const SCOPE = 'openid offline_access'

/** Signs in with both details, and redeems the code. */
async function signIn(more: Parameters = {}, parameters: Parameters = {}) {
  const { parameters: received } = await authorize({ scope: SCOPE, ...asked(payment, folder), ...parameters })
  const form = {
    grant_type: 'authorization_code',
    code: received.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
  }
  const { status, json, text } = await token({ ...form, ...more }, parameters.client_id)
  expect(status, text).toBe(200)
  return json
}
const refresh = (json: Awaited<ReturnType<typeof signIn>>, more: Parameters = {}) =>
  token({ grant_type: 'refresh_token', refresh_token: String(json.refresh_token), ...more })

describe('RFC 9396 sections 2 and 7: a request with authorization_details', () => {
  it('shows a person without JavaScript each detail, at each sign-in, and gives a stock client the tokens for it', async () => {
    const chrome = await openChromium()
    try {
      const page = await (await chrome.newContext({ javaScriptEnabled: false })).newPage()
      const config = await provider.client('jwt')
      for (const visit of ['first', 'second']) {
        const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
        const url = oidc.buildAuthorizationUrl(config, {
          ...{ redirect_uri: REDIRECT_URI, scope: SCOPE, code_challenge_method: 'S256' },
          code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
          ...asked({ ...payment, creditors: [{ name: '<b>Åsa</b>' }, { name: 'Bo' }] }, folder),
        })
        await page.goto(url.href)
        if (visit === 'first') {
          await page.fill('#login-name', 'alice')
          await page.fill('#password', PASSWORD)
          await page.click('button[type=submit]')
        }
        const section = page.locator('#consent-detail-0')
        await section.waitFor()
        expect(await section.locator('h2').textContent()).toBe('Payment')
        const rows = await section.locator('dt').allTextContents()
        expect(rows).toEqual([
          ...['locations', 'Steps', 'Amount, currency', 'Amount, amount'],
          ...['creditors 1, Name', 'creditors 2, Name'],
        ])
        const values = await section.locator('dd').allTextContents()
        expect(values).toEqual([PAYMENTS, 'initiate, status', 'EUR', '123.50', '<b>Åsa</b>', 'Bo'])
        expect(await page.locator('#consent-detail-1 h2').textContent()).toBe('Folder')
        const received = page.waitForRequest(`${REDIRECT_URI}*`)
        await page.click('#consent-allow')
        const checks = { pkceCodeVerifier, idTokenExpected: true }
        const tokens = await oidc.authorizationCodeGrant(config, new URL((await received).url()), checks)
        expect(tokens.authorization_details).toEqual(claim(tokens.access_token))
        expect(claim(tokens.access_token)).toMatchObject([payment, folder])
        expect(decodeJwt(tokens.access_token).aud).toEqual(
          expect.arrayContaining(['payments', PAYMENTS, 'files']),
        )
        expect(claim(tokens.id_token)).toBeUndefined()
      }
    } finally {
      await chrome.close()
    }
  }, 60_000)

  it('refuses prompt=none, and leaves the next request without details alone', async () => {
    const browser = provider.system.newBrowser()
    await authorize(asked(folder), browser)
    const silent = { client_id: 'jwt', prompt: 'none' }
    const refused = await provider.authorize({ ...silent, ...asked(folder) }, { browser })
    expect(refused.parameters.get('error')).toBe('consent_required')
    const plain = await provider.authorize(silent, { browser })
    expect(plain.parameters.get('code')).not.toBeNull()
    const { json } = await token({
      ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI },
      code: plain.parameters.get('code') ?? '',
    })
    expect([json.authorization_details, claim(json.access_token)]).toEqual([undefined, undefined])
  })

  it('gives an application of another organization the detail, and no consent to its API', async () => {
    const browser = provider.system.newBrowser()
    const sent = { client_id: 'visitor', scope: 'openid' }
    const { parameters } = await authorize({ ...sent, ...asked(payment) }, browser)
    expect(parameters.get('code')).not.toBeNull()
    const plain = await provider.authorize({ ...sent, prompt: 'none' }, { browser })
    expect(plain.parameters.get('code')).not.toBeNull()
    const toApi = await provider.authorize({ ...sent, prompt: 'none', resource: PAYMENTS }, { browser })
    expect(toApi.parameters.get('error')).toBe('consent_required')
    const events = await provider.system.fetch('/management/v1/audit?action=consent&limit=1', {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    expect(events.json).toMatchObject({
      items: [
        {
          target: { id: 'visitor' },
          details: { scopes: ['openid'], authorization_details_types: ['payment_initiation'] },
        },
      ],
    })
  })

  it('takes as many bytes as the limit says, through the code to the API', async () => {
    const name = (length: number) => 'x'.repeat(length)
    const most = Array.from({ length: 10 }, (_, at) => ({
      type: FILES_TYPE,
      privileges: [name(115), `${at}`],
    }))
    most[0]?.privileges.push(name(1_996 - JSON.stringify(most).length))
    expect(JSON.stringify(most)).toHaveLength(1_999)
    const json = await signIn({}, { client_id: 'web', ...asked(...most) })
    expect(json.authorization_details).toEqual(most)
    const introspected = await provider.introspect(String(json.access_token), 'files-api')
    expect(introspected.authorization_details).toEqual(most)
  })

  it('may be pushed, and may be the array of a request object', async () => {
    const form = { client_id: 'jwt', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
    const push = (more: Parameters) => provider.post('/oauth/v2/par', { ...form, ...more }, basic('jwt'))
    const pushed = await push(asked(payment))
    expect(pushed.status).toBe(201)
    const sent = { client_id: 'jwt', request_uri: String(pushed.json.request_uri) }
    const browser = provider.system.newBrowser()
    const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(sent)}`)
    const consent = await browser.submit(page, { login_name: 'alice@acme.localhost', password: PASSWORD })
    expect(consent.body).toContain('id="consent-detail-0"')
    expect((await push(asked({ type: 'unknown' }))).json.error).toBe('invalid_authorization_details')
    const request = await new SignJWT({
      ...{ ...form, client_id: 'keyed', iss: 'keyed', aud: provider.issuer },
      authorization_details: [payment],
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(SIGNING_KEY)
    const { parameters } = await authorize({ client_id: 'keyed', request })
    expect(parameters.get('code')).not.toBeNull()
  })
})

describe('RFC 9396 section 7: later requests', () => {
  it('narrow the access token, and not the grant', async () => {
    const less = { ...payment, actions: ['status'] }
    const first = await signIn(asked(less))
    expect(first.authorization_details).toEqual([less])
    expect(claim(first.access_token)).toEqual([less])
    const all = await refresh(first)
    expect(all.json.authorization_details).toEqual([payment, folder])
    const read = { ...folder, privileges: ['read'] }
    const narrowed = await refresh(all.json, { ...asked(read), scope: SCOPE })
    expect([narrowed.json.authorization_details, claim(narrowed.json.access_token)]).toEqual([[read], [read]])
    const ofApi = await refresh(narrowed.json, { resource: PAYMENTS })
    expect(ofApi.json.authorization_details).toEqual([payment])
    expect((await refresh(ofApi.json, { scope: 'openid' })).json.authorization_details).toBeUndefined()
  })

  it('get no token for an API whose details they leave out', async () => {
    const first = await signIn(asked(folder))
    const audience = (json: Awaited<ReturnType<typeof signIn>>) => decodeJwt(String(json.access_token)).aud
    expect([audience(first), claim(first.access_token)]).toEqual([
      expect.not.arrayContaining(['payments']),
      [folder],
    ])
    expect(audience(first)).toContain('files')
    for (const more of [
      {},
      { scope: SCOPE },
      { scope: `${SCOPE} urn:service:iam:org:project:id:payments:aud` },
    ]) {
      const { json } = await refresh(first, { ...asked(folder), ...more })
      expect(audience(json)).toContain('files')
      expect(audience(json)).not.toContain('payments')
      expect(audience(json)).not.toContain(PAYMENTS)
    }
    const other = await refresh(first, { ...asked(folder), resource: PAYMENTS })
    expect([other.status, other.json.error]).toEqual([400, 'invalid_authorization_details'])
  })

  it('are refused beyond the grant, and spend neither the code nor the refresh token', async () => {
    const { parameters } = await authorize({ scope: SCOPE, ...asked(payment) })
    const form = {
      ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI },
      code: parameters.get('code') ?? '',
    }
    const { instructedAmount, ...withoutAmount } = payment
    const beyond = [
      [folder],
      [{ ...payment, actions: ['initiate', 'cancel'] }],
      [{ ...payment, actions: [] }],
      [{ ...payment, instructedAmount: { ...instructedAmount, amount: '999.00' } }],
      [payment, payment],
      [withoutAmount],
    ]
    for (const details of beyond) {
      const { status, json } = await token({ ...form, ...asked(...details) })
      expect([status, json.error]).toEqual([400, 'invalid_authorization_details'])
    }
    const first = await token(form)
    expect(first.status).toBe(200)
    for (const details of beyond) {
      const { json } = await refresh(first.json, asked(...details))
      expect(json.error).toBe('invalid_authorization_details')
    }
    expect((await refresh(first.json)).status).toBe(200)
  })

  it('exchange a token for one with the same details, or with less', async () => {
    const first = await signIn()
    const exchange = (more: Parameters) =>
      token(
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: String(first.access_token),
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          requested_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          ...more,
        },
        'exchanger',
      )
    const whole = await exchange({})
    expect(claim(whole.json.access_token), whole.text).toEqual([payment, folder])
    const ofApi = await exchange({ resource: PAYMENTS })
    expect([ofApi.json.authorization_details, claim(ofApi.json.access_token)]).toEqual([[payment], [payment]])
    const less = { ...payment, actions: ['status'] }
    expect((await exchange(asked(less))).json.authorization_details).toEqual([less])
    for (const more of [asked({ ...payment, actions: ['cancel'] }), { resource: PAYMENTS, ...asked(folder) }])
      expect((await exchange(more)).json.error).toBe('invalid_authorization_details')
  })
})

describe('RFC 8693: an actor whose token has details', () => {
  it('gets no exchanged token for their API without them', async () => {
    const { parameters } = await authorize(
      { client_id: 'exchanger', scope: 'openid', ...asked(folder) },
      provider.system.newBrowser(),
      'helper',
    )
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI }
    const actor = await token({ ...form, code: parameters.get('code') ?? '' }, 'exchanger')
    const plain = await provider.authorize({ client_id: 'exchanger', scope: 'openid' })
    const subject = await token({ ...form, code: plain.parameters.get('code') ?? '' }, 'exchanger')
    for (const presented of [
      { subject_token: 'alice', subject_token_type: 'urn:service:params:oauth:token-type:user_id' },
      {
        subject_token: String(subject.json.access_token),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      },
    ]) {
      const exchanged = await token(
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          requested_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          ...presented,
          actor_token: String(actor.json.access_token),
          actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          audience: 'files',
        },
        'exchanger',
      )
      expect(exchanged.status, exchanged.text).toBe(200)
      expect(decodeJwt(String(exchanged.json.access_token)).aud).toEqual(['files'])
      expect(claim(exchanged.json.access_token)).toEqual([folder])
    }
  })
})

describe('RFC 9396 section 9.2: introspection', () => {
  it.each(['web', 'jwt'])('shows each API the details of its own types in a token of %s', async (client) => {
    const { access_token } = await signIn({}, { client_id: client })
    const details = async (caller: string) => {
      const { active, authorization_details } = await provider.introspect(String(access_token), caller)
      expect(active).toBe(true)
      return authorization_details
    }
    for (const _ of ['read', 'cached']) {
      expect(await details('payments-api')).toEqual([payment])
      expect(await details('files-api')).toEqual([folder])
      expect(await details('api')).toBeUndefined()
      expect(await details(client)).toEqual([payment, folder])
    }
  })
})

describe('RFC 9396 section 4: a request without an authorization', () => {
  const form = { grant_type: 'client_credentials' }

  it('gets details whose type the client may ask for', async () => {
    const { status, json, text } = await token({ ...form, ...asked(payment) }, 'machine')
    expect(status, text).toBe(200)
    expect(json.authorization_details).toEqual([payment])
    const introspected = await provider.introspect(String(json.access_token), 'payments-api')
    expect(introspected).toMatchObject({ active: true, authorization_details: [payment] })
    const robot = await token({ ...form, ...asked(folder) }, 'robot')
    expect(
      (await provider.introspect(String(robot.json.access_token), 'files-api')).authorization_details,
    ).toEqual([folder])
  })

  it('is refused in the same words for an unknown type and for one of an API that does not allow the client', async () => {
    const get = (type: string) => token({ ...form, ...asked({ type }) }, 'machine')
    const [unknown, foreign] = [await get('unknown'), await get('foreign_type')]
    expect(unknown.json).toEqual(foreign.json)
    expect(unknown.json).toMatchObject({
      error: 'invalid_authorization_details',
      error_description: 'authorization_details[0].type is not a type that this client may ask for',
    })
    await manage('PATCH', '/projects/foreign', { allowedAudiences: ['machine'] })
    await expect.poll(async () => (await get('foreign_type')).status).toBe(200)
  })

  it.each<[rule: string, parameter: string]>([
    ['must be JSON', '[{'],
    ['must be an array', '{}'],
    ['must be an array', '[]'],
    ['must be an array', JSON.stringify(Array.from({ length: 11 }, () => folder))],
    ['[0] must be an object', '[1]'],
    ['[1].type must be a string', JSON.stringify([folder, {}])],
    ['at most 2000 bytes', JSON.stringify([{ ...folder, privileges: ['x'.repeat(2_000)] }])],
    ['at most 2000 bytes', `[${'['.repeat(5_000)}`],
    ['at most 200 members', JSON.stringify([{ ...folder, privileges: Array(200).fill('x') }])],
    ['nested deeper', `[{"type":"payment_initiation","x":${'['.repeat(400)}${']'.repeat(400)}}]`],
    ['name is not allowed', '[{"type":"payment_initiation","__proto__":{"actions":["cancel"]}}]'],
    ['name is not allowed', '[{"type":"payment_initiation","constructor":1}]'],
    ['double represents', '[{"type":"payment_initiation","x":1e400}]'],
    ['control characters', JSON.stringify([{ ...folder, privileges: ['a\u202eb'] }])],
    ['[0].type is not a type', '[{"type":"__proto__"}]'],
    ['[0].type is not a type', '[{"type":"toString"}]'],
    ['keyword required', '[{"type":"payment_initiation"}]'],
    ['[0].actions.0 must follow', JSON.stringify([{ ...payment, actions: ['steal'] }])],
    ['[0].debtor is not a member', JSON.stringify([{ ...payment, debtor: 'x' }])],
    ['.locations may only name', JSON.stringify([{ ...payment, locations: ['https://evil.example'] }])],
    ['.locations may only name', JSON.stringify([{ ...folder, locations: [PAYMENTS] }])],
  ])('is refused with "%s"', async (rule, authorization_details) => {
    const { status, json } = await token({ ...form, authorization_details }, 'machine')
    expect([status, json.error]).toEqual([400, 'invalid_authorization_details'])
    expect(json.error_description).toContain(rule)
    const { parameters } = await provider.authorize({ client_id: 'jwt', authorization_details })
    expect(parameters.get('error_description')).toBe(json.error_description)
  })

  it('is refused where no grant has details', async () => {
    const device = await provider.post('/oauth/v2/device_authorization', asked(folder), basic('other'))
    expect(device.json.error).toBe('invalid_authorization_details')
    const implicit = { client_id: 'implicit', response_type: 'id_token token', nonce: 'n', ...asked(folder) }
    expect((await provider.authorize(implicit)).parameters.get('error')).toBe('invalid_authorization_details')
    const bearer = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'x',
      ...asked(folder),
    }
    expect((await token(bearer)).json.error).toBe('invalid_authorization_details')
    const code = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'x',
      ...asked(folder),
    }
    expect((await token(code, 'other')).json.error).toBe('invalid_authorization_details')
  })
})

describe('the types of an API', () => {
  it('belong to one project of the instance, also while several take one', async () => {
    const taken = await setTypes('foreign', { payment_initiation: { title: 'Mine' } })
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('authorizationDetailTypes')])
    const race = await Promise.all(
      ['foreign', 'files', 'payments'].map((project) => setTypes(project, { contested: { title: project } })),
    )
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  it('are read again after a change, and end with it', async () => {
    await expect(setTypes('portal', { short_lived: { title: 'Short' } })).resolves.toMatchObject({
      status: 200,
    })
    const get = () =>
      token({ grant_type: 'client_credentials', ...asked({ type: 'short_lived' }) }, 'machine')
    await expect.poll(async () => (await get()).status).toBe(200)
    expect((await setTypes('portal', {})).status).toBe(200)
    await expect.poll(async () => (await get()).json.error).toBe('invalid_authorization_details')
    // Another API takes the name.
    expect((await setTypes('files', { short_lived: { title: 'Short' } })).status).toBe(200)
    await expect.poll(async () => (await get()).json.scope).toContain('files')
  })

  const nested = (levels: number): object => (levels === 0 ? {} : { properties: { a: nested(levels - 1) } })
  const wide = (levels: number): object =>
    levels === 0 ? {} : { anyOf: Array.from({ length: 10 }, () => wide(levels - 1)) }
  it.each<[rule: string, types: object]>([
    ['pattern', { t: { title: 'T', schema: { properties: { a: { pattern: '(a+)+$' } } } } }],
    ['$ref', { t: { title: 'T', schema: { $ref: 'https://evil.example/schema' } } }],
    ['patternProperties', { t: { title: 'T', schema: { patternProperties: { '(a+)+$': {} } } } }],
    ['format', { t: { title: 'T', schema: { format: 'uri' } } }],
    ['allOf', { t: { title: 'T', schema: { allOf: [{}] } } }],
    ['nested', { t: { title: 'T', schema: nested(9) } }],
    ['bytes', { t: { title: 'T', schema: { enum: ['x'.repeat(4_000)] } } }],
    ['number of schemas', { t: { title: 'T', schema: wide(2) } }],
    ['inherited name', { t: { title: 'T', schema: { properties: { constructor: {} } } } }],
    ['inherited name', { t: { title: 'T', schema: { required: ['toString'] } } }],
    ['type name', { 'a b': { title: 'T' } }],
    ['type name', { constructor: { title: 'T' } }],
    ['title', { t: { title: 'a\u202eb' } }],
    ['title', { t: {} }],
    ['member', { t: { title: 'T', other: 1 } }],
    ['number', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`t${at}`, { title: 'T' }]))],
  ])('are refused for %s', async (_, types) => {
    const { status, json } = await setTypes('portal', types)
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('authorizationDetailTypes')])
  })
})
