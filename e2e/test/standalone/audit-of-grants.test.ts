import { randomUUID } from 'node:crypto'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
  await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
  await oauth.manage('PUT', '/v2/policies/security', { enableImpersonation: true })
}, 60_000)
afterAll(() => oauth?.stop())
beforeEach(async () => {
  await sql('DELETE FROM grants_audit.audit_event')
})

const sql = async (text: string, values: readonly unknown[] = []) =>
  (await oauth.database.query({ name: '', text, values })).rows
/** The rows that the management API reads, in order. */
const auditRows = () => sql('SELECT * FROM grants_read.audit_event_v1 ORDER BY at')

const OFFLINE = { scope: 'openid offline_access' }
const byWeb = { actor_kind: 'client', actor_id: 'web', organization_id: 'acme', client_address: '127.0.0.1' }

describe('records grants that begin and end without a password [F-47]', () => {
  it('a sign-out, once for each session, with the address of the person', async () => {
    const sid = randomUUID()
    await oauth.tokens({ sid })
    await oauth.logout(sid, 'alice', '203.0.113.9')
    await oauth.logout(sid, 'alice', '203.0.113.9')
    expect(await auditRows()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: expect.any(Date),
        actor_kind: 'human',
        actor_id: 'alice',
        action: 'sign_out',
        target_kind: 'session',
        target_id: sid,
        organization_id: 'acme',
        client_address: '203.0.113.9',
        result: 'success',
        details: {},
      },
    ])
  })

  it('a new refresh family, and no other grant', async () => {
    await oauth.tokens()
    await oauth.tokens(OFFLINE)
    expect(await auditRows()).toMatchObject([
      {
        ...byWeb,
        action: 'refresh_family.begin',
        target_kind: 'grant',
        result: 'success',
        details: { user_id: 'alice', scopes: ['openid', 'offline_access'] },
      },
    ])
  })

  it('the revocation of a refresh token and of an access token', async () => {
    const { json } = await oauth.tokens(OFFLINE)
    const [begun] = await auditRows()
    await oauth.revoke(json.access_token)
    await oauth.revoke(json.refresh_token)
    const revoked = { ...byWeb, action: 'token.revoke', result: 'success', details: { subject: 'alice' } }
    expect((await auditRows()).slice(1)).toMatchObject([
      { ...revoked, target_kind: 'token' },
      { ...revoked, target_kind: 'grant', target_id: begun?.target_id },
    ])
  })

  it('the revocation of a token that an application has of its own', async () => {
    const form = { grant_type: 'client_credentials', scope: '' }
    const { json } = await oauth.token(form, { basic: 'robot-client' })
    await oauth.revoke(json.access_token, { basic: 'robot-client' })
    expect(await auditRows()).toMatchObject([
      { actor_id: 'robot-client', organization_id: 'acme', details: { subject: 'robot' } },
    ])
  })

  it('a refresh token presented after its successor was used [F-18]', async () => {
    const { json } = await oauth.tokens(OFFLINE)
    const second = await oauth.refresh(json.refresh_token)
    await oauth.refresh(second.json.refresh_token)
    await oauth.refresh(json.refresh_token)
    expect((await auditRows()).at(-1)).toMatchObject({
      ...byWeb,
      action: 'refresh_token.reuse',
      target_kind: 'grant',
      result: 'refused',
      details: { user_id: 'alice' },
    })
  })

  it('a code presented twice [F-05]', async () => {
    const form = {
      grant_type: 'authorization_code',
      code: await oauth.code(),
      redirect_uri: 'https://app.example.com/callback',
    }
    await oauth.token(form)
    await oauth.token(form)
    expect(await auditRows()).toMatchObject([
      { ...byWeb, action: 'authorization_code.reuse', target_kind: 'grant', result: 'refused' },
    ])
  })
})

describe('records the actor of an impersonation [F-30]', () => {
  const exchange = async (actor: string, scope: string) => {
    const { json } = await oauth.tokens({ clientId: 'exchanger', userId: actor, scope })
    await sql('DELETE FROM grants_audit.audit_event')
    return oauth.token(
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'alice',
        subject_token_type: 'urn:service:params:oauth:token-type:user_id',
        actor_token: String(json.access_token),
        actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        scope,
      },
      { basic: 'exchanger' },
    )
  }
  const impersonation = (actor: string) => ({
    actor_kind: 'human',
    actor_id: actor,
    action: 'impersonation',
    target_kind: 'user',
    target_id: 'alice',
    organization_id: 'acme',
    client_address: '127.0.0.1',
  })

  it('allowed', async () => {
    await expect.poll(async () => (await exchange('helper', 'openid')).status).toBe(200)
    expect(await auditRows()).toMatchObject([
      { ...impersonation('helper'), result: 'success', details: { client_id: 'exchanger' } },
    ])
  })

  it('allowed, with its refresh family', async () => {
    expect((await exchange('helper', 'openid offline_access')).status).toBe(200)
    expect((await auditRows()).map(({ action }) => action).sort()).toEqual([
      'impersonation',
      'refresh_family.begin',
    ])
  })

  it('refused', async () => {
    expect((await exchange('bob', 'openid')).status).toBe(400)
    expect(await auditRows()).toMatchObject([
      {
        ...impersonation('bob'),
        result: 'refused',
        details: { client_id: 'exchanger', reason: 'impersonator_role_missing' },
      },
    ])
  })
})

describe('a change and its event are one', () => {
  it('refuses an operation that cannot be recorded', async () => {
    const { json } = await oauth.tokens(OFFLINE)
    await sql('ALTER TABLE grants_audit.audit_event ADD CONSTRAINT broken CHECK (action IS NULL) NOT VALID')
    try {
      expect((await oauth.revoke(json.access_token)).status).toBe(500)
      expect((await oauth.revoke(json.refresh_token)).status).toBe(500)
      expect((await oauth.tokens(OFFLINE)).status).toBe(500)
    } finally {
      await sql('ALTER TABLE grants_audit.audit_event DROP CONSTRAINT broken')
    }
    expect((await oauth.introspect(json.access_token)).json.active).toBe(true)
    expect((await oauth.refresh(json.refresh_token)).status).toBe(200)
  })
})
