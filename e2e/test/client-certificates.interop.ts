// Client certificates through nginx of the distribution, as docs/runbooks/client-certificates.md configures it: plainly, and by the
// directives that ingress-nginx makes of its annotations.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
  type OwnCertificate,
} from '@signet/testing/client-certificates'
import { freePort } from '@signet/testing/free-port'
import { createTlsFetch, type TlsFetch } from '@signet/testing/tls-fetch'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const RUNBOOK = readFileSync(new URL('../../docs/runbooks/client-certificates.md', import.meta.url), 'utf8')
const opened = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'signet-nginx-'))
let servers: CertificateAuthority
let client: OwnCertificate
let revoked: OwnCertificate

beforeAll(async () => {
  if (spawnSync('nginx', ['-v']).error) throw new Error('this test needs nginx: apt-get install nginx-light')
  opened.defer(async () => rmSync(folder, { recursive: true }))
  servers = await createCertificateAuthority('CN=Servers')
  const server = await servers.issue({
    subject: 'CN=localhost',
    names: [{ type: 'dns', value: 'localhost' }],
  })
  const clients = await createCertificateAuthority('CN=Clients')
  client = await clients.issue()
  revoked = await clients.issue()
  const files = {
    'mtls.pem': server.cert,
    'mtls.key': server.key,
    'client-authorities.pem': clients.cert,
    'client-authorities.crl': await clients.revoke([revoked]),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}, 30_000)
afterAll(() => opened.disposeAsync())

/** Returns the blocks of a language in a section of the runbook. */
function blocksOf(heading: string, language: string): readonly string[] {
  const [, section = ''] = RUNBOOK.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  )
}

/** The server of the runbook. */
function plainServer(): string {
  const [server = ''] = blocksOf('nginx', 'nginx')
  return server
}

function withRevocationList(server: string): string {
  const [lines = ''] = blocksOf('Revoked certificates', 'nginx')
  return server.replace('  location', `${lines}  location`)
}

/** The directives that the template of ingress-nginx makes of the annotations of the runbook, with more of them for other files of the Secret. */
function ingressServer(more = ''): string {
  const [values = ''] = blocksOf('ingress-nginx', 'yaml')
  const annotation = (name: string) =>
    new RegExp(`nginx\\.ingress\\.kubernetes\\.io/${name}: "?([^"\\n]+)`).exec(values)?.[1]
  expect(annotation('auth-tls-secret')).toBe('identity/client-authorities')
  expect(annotation('auth-tls-pass-certificate-to-upstream')).toBe('true')
  return `server {
  listen 443 ssl;
  server_name mtls.id.example.com;
  ssl_certificate /etc/nginx/mtls.pem;
  ssl_certificate_key /etc/nginx/mtls.key;
  ssl_client_certificate /etc/nginx/client-authorities.pem;
  ssl_verify_client ${annotation('auth-tls-verify-client')};
  ssl_verify_depth ${annotation('auth-tls-verify-depth')};
  ${more}
  location / {
    proxy_set_header Host $host;
    proxy_set_header ssl-client-verify $ssl_client_verify;
    proxy_set_header ssl-client-subject-dn $ssl_client_s_dn;
    proxy_set_header ssl-client-issuer-dn $ssl_client_i_dn;
    proxy_set_header ssl-client-cert $ssl_client_escaped_cert;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_pass http://signet;
  }
}
`
}

/** Starts a service that reads this header, and nginx before it. Returns the address of the thumbprint. */
async function start(server: string, header: string): Promise<string> {
  const [port, upstreamPort] = [await freePort(), await freePort()]
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  const app = createHttpApp({
    logger: silentLogger,
    issuer: 'https://id.example.com',
    trustedProxies,
    clientCertificates: { origin: 'https://localhost', header },
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
  await new Promise<void>((resolve) => upstream.listen(upstreamPort, '127.0.0.1', resolve))
  opened.defer(async () => void upstream.close())
  const configured = server
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('mtls.id.example.com', 'localhost')
    .replaceAll('/etc/nginx/', `${folder}/`)
    .replace('http://signet', `http://127.0.0.1:${upstreamPort}`)
  const file = join(folder, `nginx-${port}.conf`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder};`)
    .join(' ')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/${port}.pid; error_log stderr; events {}\nhttp { access_log off; ${temporary}\n${configured}}\n`,
  )
  const child = spawn('nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  opened.defer(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const url = `https://localhost:${port}/certificate`
  await vi.waitFor(() => createTlsFetch(servers.cert)(url), 5_000)
  return url
}

const thumbprintAt = async (url: string, fetchTls: TlsFetch, headers: Record<string, string> = {}) =>
  ((await (await fetchTls(url, { headers })).json()) as { readonly thumbprint?: string }).thumbprint

describe.each([
  ['nginx', () => plainServer(), 'client-cert', 'takes any'],
  ['nginx with a revocation list', () => withRevocationList(plainServer()), 'client-cert', 'reads a list'],
  ['ingress-nginx', () => ingressServer(), 'ssl-client-cert', 'takes any'],
  [
    'ingress-nginx with ca.crl in its Secret',
    () => ingressServer('ssl_crl /etc/nginx/client-authorities.crl;'),
    'ssl-client-cert',
    'reads a list',
  ],
] as const)('%s', (_name, server, header, kind) => {
  const readsList = kind === 'reads a list'
  let url = ''
  beforeAll(async () => {
    url = await start(server(), header)
  })

  it('passes on the certificate of its connection, and no header of a client', async () => {
    const own = await createSelfSigned()
    const other = await createSelfSigned()
    const written = encodeURIComponent(other.cert)
    const headers = {
      'client-cert': written,
      'client-cert-chain': `:${other.certificate.raw.toString('base64')}:`,
      client_cert: written,
      'CLIENT-CERT': written,
      'ssl-client-cert': written,
      'Ssl-Client-Cert': written,
      ssl_client_cert: written,
      'x-forwarded-client-cert': `Cert="${written}"`,
      'x-forwarded-tls-client-cert': other.certificate.raw.toString('base64'),
    }
    for (const certificate of readsList ? [client] : [own, client]) {
      const withCertificate = createTlsFetch(servers.cert, certificate)
      expect(await thumbprintAt(url, withCertificate)).toBe(certificate.thumbprint)
      expect(await thumbprintAt(url, withCertificate, headers)).toBe(certificate.thumbprint)
    }
    expect(await thumbprintAt(url, createTlsFetch(servers.cert))).toBeUndefined()
    expect(await thumbprintAt(url, createTlsFetch(servers.cert), headers)).toBeUndefined()
  })

  it(`${readsList ? 'refuses' : 'passes on'} a revoked certificate, and one without an authority`, async () => {
    for (const certificate of [revoked, await createSelfSigned()]) {
      const { status } = await createTlsFetch(servers.cert, certificate)(url)
      expect(status).toBe(readsList ? 400 : 200)
    }
  })
})
