// Client certificates through nginx of the distribution, as docs/runbooks/client-certificates.md configures it.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpApp } from '@signet/http/app'
import { clientCertificate } from '@signet/http/client-certificate'
import { jsonAnswer } from '@signet/http/endpoint'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { silentLogger } from '@signet/platform/logger/logger'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSelfSigned,
} from '@signet/testing/client-certificates'
import { freePort } from '@signet/testing/free-port'
import { createTlsFetch } from '@signet/testing/tls-fetch'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const RUNBOOK = new URL('../../docs/runbooks/client-certificates.md', import.meta.url)
const opened = new AsyncDisposableStack()
let authority: CertificateAuthority
let url = ''

beforeAll(async () => {
  if (spawnSync('nginx', ['-v']).error) throw new Error('this test needs nginx: apt-get install nginx-light')
  authority = await createCertificateAuthority('CN=Servers')
  const server = await authority.issue({
    subject: 'CN=localhost',
    names: [{ type: 'dns', value: 'localhost' }],
  })
  const port = await freePort()
  url = `https://localhost:${port}/certificate`
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  const app = createHttpApp({
    logger: silentLogger,
    issuer: 'https://id.example.com',
    trustedProxies,
    clientCertificates: { origin: 'https://localhost', header: 'client-cert' },
    routes: [],
    endpoints: [
      {
        path: '/certificate',
        methods: { GET: (req) => jsonAnswer({ thumbprint: clientCertificate(req)?.thumbprint }) },
      },
    ],
    onError: oauthErrorHandler(silentLogger),
  })
  const upstream = createServer(app)
  const upstreamPort = await freePort()
  await new Promise<void>((resolve) => upstream.listen(upstreamPort, '127.0.0.1', resolve))
  opened.defer(async () => void upstream.close())
  await startNginx(port, upstreamPort, server)
}, 30_000)
afterAll(() => opened.disposeAsync())

/** Runs the server of the runbook with other names, ports and files. */
async function startNginx(
  port: number,
  upstreamPort: number,
  { cert, key }: CertificateAuthority | { cert: string; key: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'signet-nginx-'))
  opened.defer(async () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'mtls.pem'), cert)
  writeFileSync(join(folder, 'mtls.key'), key)
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(readFileSync(RUNBOOK, 'utf8')) ?? []
  const configured = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('mtls.id.example.com', 'localhost')
    .replaceAll('/etc/nginx/', `${folder}/`)
    .replace('http://signet', `http://127.0.0.1:${upstreamPort}`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};\n${configured}}\n`,
  )
  const child = spawn('nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  opened.defer(async () => void child.kill())
  await vi.waitFor(() => createTlsFetch(authority.cert)(url), 5_000)
}

const answerOf = async (fetchTls: ReturnType<typeof createTlsFetch>, headers: Record<string, string> = {}) =>
  (await fetchTls(url, { headers })).json()

it('nginx passes on the certificate of its connection, and no header of a client', async () => {
  const own = await createSelfSigned()
  const other = await createSelfSigned()
  const headers = {
    'client-cert': encodeURIComponent(other.cert),
    'client-cert-chain': `:${other.certificate.raw.toString('base64')}:`,
    client_cert: encodeURIComponent(other.cert),
    'ssl-client-cert': encodeURIComponent(other.cert),
  }
  const withCertificate = createTlsFetch(authority.cert, own)
  expect(await answerOf(withCertificate)).toEqual({ thumbprint: own.thumbprint })
  expect(await answerOf(withCertificate, headers)).toEqual({ thumbprint: own.thumbprint })
  expect(await answerOf(createTlsFetch(authority.cert))).toEqual({})
  expect(await answerOf(createTlsFetch(authority.cert), headers)).toEqual({})
})
