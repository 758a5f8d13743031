// The MCP server and client of examples/mcp, with the official SDK: discovery, Client ID Metadata Document, resource indicator.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { openChromium } from '@signet/testing/system/chromium'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let system: InProcessSystem
let browser: Browser
let secret: string
let ports: readonly [server: number, client: number]

async function create(path: string, body: object) {
  const { status, text, json } = await system.fetch(`/management/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(status, text).toBe(201)
  return json
}

beforeAll(async () => {
  ports = [await freePort(), await freePort()]
  const clientMetadata = { projectId: 'agents', hosts: { allowed: ['localhost'], refused: [] } }
  system = await startSystem({ mode: 'in-process', clientMetadata, oauthMetadata: true })
  const resourceUri = `http://localhost:${ports[0]}/mcp`
  await create('/organizations', { id: 'agents', name: 'Agents', primaryDomain: 'agents.localhost' })
  await create('/projects', { id: 'agents', name: 'Agents', organizationId: 'agents' })
  await create('/projects', { id: 'tools', name: 'Tools', organizationId: 'acme', resourceUri })
  await create('/projects/tools/project-grants', { organizationId: 'agents' })
  const api = { name: 'Tools', projectId: 'tools', type: 'api', clientId: 'tools' }
  secret = (await create('/applications', api)).clientSecret as string
  browser = await openChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await system?.stop()
})

/** Starts a program of the example; `printed` resolves with the first match of what it prints. */
function start(file: string, env: Readonly<Record<string, string>>) {
  const path = fileURLToPath(new URL(`../../examples/mcp/${file}`, import.meta.url))
  const child = spawn(process.execPath, [path], { env: { ...childEnvironment(), ...env } })
  const closed = once(child, 'close')
  let output = ''
  const read = (text: string) => {
    output += text
  }
  child.stdout.setEncoding('utf8').on('data', read)
  child.stderr.setEncoding('utf8').on('data', read)
  return {
    async printed(pattern: RegExp): Promise<string> {
      await expect.poll(() => output, { timeout: 20_000 }).toMatch(pattern)
      return pattern.exec(output)?.[1] ?? ''
    },
    async stop() {
      child.kill()
      await closed
    },
  }
}

it('a client that no organization registered calls a tool for a person', { timeout: 60_000 }, async () => {
  const [serverPort, clientPort] = ports
  const server = start('server.mjs', {
    ...{ SIGNET_ISSUER: system.issuer, PORT: `${serverPort}` },
    ...{ API_CLIENT_ID: 'tools', API_CLIENT_SECRET: secret },
  })
  await server.printed(/^open (\S+)$/m)
  const client = start('client.mjs', { MCP_URL: `http://localhost:${serverPort}/mcp`, PORT: `${clientPort}` })
  try {
    const url = new URL(await client.printed(/^open (\S+)$/m))
    const clientId = `http://localhost:${clientPort}/client.json`
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{
        client_id: clientId,
        resource: `http://localhost:${serverPort}/mcp`,
        code_challenge_method: 'S256',
      },
      scope: 'openid offline_access',
    })
    const page = await (await browser.newContext()).newPage()
    await page.goto(url.href)
    await page.fill('#login-name', 'alice')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    expect(await page.textContent('#consent-asks')).toContain(`localhost:${clientPort} (Example Agent)`)
    expect(await page.textContent('.scopes')).toContain('Tools')
    await page.click('#consent-allow')
    await page.getByText('You can close this page.').waitFor()
    expect(await client.printed(/^(.* acts for .*)$/m)).toBe(`${clientId} acts for alice@acme.localhost`)
  } finally {
    await client.stop()
    await server.stop()
  }
})

it('a client takes no answer of another issuer (RFC 9207)', { timeout: 60_000 }, async () => {
  const [serverPort, clientPort] = ports
  const server = start('server.mjs', {
    ...{ SIGNET_ISSUER: system.issuer, PORT: `${serverPort}` },
    ...{ API_CLIENT_ID: 'tools', API_CLIENT_SECRET: secret },
  })
  await server.printed(/^open (\S+)$/m)
  const client = start('client.mjs', { MCP_URL: `http://localhost:${serverPort}/mcp`, PORT: `${clientPort}` })
  try {
    const state = new URL(await client.printed(/^open (\S+)$/m)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: 'of-another', iss: 'https://other.example' })
    await fetch(`http://localhost:${clientPort}/callback?${query}`)
    await client.printed(/the answer is of another issuer: (https:\/\/other\.example)/)
  } finally {
    await client.stop()
    await server.stop()
  }
})

it("a challenge of Signet's own APIs names their metadata (RFC 9728 section 5.1)", async () => {
  for (const [path, authorization] of [
    ['/management/v1/users', undefined],
    ['/management/v1/users', 'Bearer unknown'],
    ['/management/v1/users', 'DPoP unknown'],
    ['/management/v1/keys', undefined],
    ['/admin/v1/jobs', 'Bearer unknown'],
  ] as const) {
    const response = await system.fetch(
      path,
      authorization === undefined ? {} : { headers: { authorization } },
    )
    expect(response.status).toBe(401)
    const named =
      /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    const metadata = await system.fetch(named.slice(system.issuer.length))
    expect(metadata.json).toMatchObject({
      resource: `${system.issuer}${path.split('/').slice(0, 3).join('/')}`,
    })
  }
})
