// RFC 9440: the header of a trusted proxy counts, and that of another peer does not.

import { request } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { silentLogger } from '@signet/platform/logger/logger'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { createSelfSigned, type OwnCertificate } from '@signet/testing/client-certificates'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpApp } from '../src/app.ts'
import { clientCertificate } from '../src/client-certificate.ts'
import { type Endpoint, jsonAnswer } from '../src/endpoint.ts'
import { oauthErrorHandler } from '../src/oauth-error-handler.ts'
import { createRefusalRecorder } from '../src/refusals.ts'

const HOST = 'mtls.id.example.com'

let own: OwnCertificate
let issuer: OwnCertificate
const listeners: HttpListener[] = []
let behindProxy: Send
let direct: Send
let traefik: Send
let off: Send
beforeAll(async () => {
  own = await createSelfSigned()
  issuer = await createSelfSigned({ subject: 'CN=issuer' })
  const trusted = new BlockList()
  trusted.addAddress('127.0.0.1')
  behindProxy = await serve(trusted, 'client-cert')
  direct = await serve(new BlockList(), 'client-cert')
  traefik = await serve(trusted, 'x-forwarded-tls-client-cert')
  off = await serve(trusted, undefined)
})
afterAll(() => Promise.all(listeners.map((listener) => listener.close(0))))

type Send = (headers: readonly (readonly [string, string])[]) => Promise<Record<string, unknown>>

async function serve(trustedProxies: BlockList, header: string | undefined): Promise<Send> {
  const endpoint: Endpoint = {
    path: '/certificate',
    methods: {
      GET(req) {
        const found = clientCertificate(req)
        return jsonAnswer({ thumbprint: found?.thumbprint, others: found?.others.length })
      },
    },
  }
  const listener = createHttpApp({
    logger: silentLogger,
    issuer: 'https://id.example.com',
    trustedProxies,
    clientCertificates: header === undefined ? undefined : { origin: `https://${HOST}`, header },
    routes: [],
    endpoints: [endpoint],
    onError: oauthErrorHandler(
      silentLogger,
      createRefusalRecorder(silentLogger, () => undefined),
    ),
  })
  const http = await listenHttp({ listener, host: '127.0.0.1', port: 0 })
  listeners.push(http)
  return (headers) => send(http.port, headers)
}

/** Sends these lines as headers, names as they are, with the host of the origin unless they have one. */
function send(
  port: AddressInfo['port'],
  headers: readonly (readonly [string, string])[],
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const all = headers.some(([name]) => name === 'Host') ? headers : [['Host', HOST] as const, ...headers]
    const sent = request({
      port,
      host: '127.0.0.1',
      path: '/certificate',
      setHost: false,
      headers: all.flat(),
    })
    sent.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, ...(JSON.parse(text) as object) })
    })
    sent.on('error', reject)
    sent.end()
  })
}

const base64 = ({ certificate }: OwnCertificate) => certificate.raw.toString('base64')
const structured = (certificate: OwnCertificate) => `:${base64(certificate)}:`

describe('a header of a trusted proxy', () => {
  it.each([
    ['RFC 9440', () => structured(own)],
    ['nginx', () => encodeURIComponent(own.cert)],
    ['Envoy', () => `By=spiffe://a;Hash=00;Cert="${encodeURIComponent(own.cert)}";Subject="CN=a"`],
    ['base64 alone', () => base64(own)],
    ['base64 in percent-encoding', () => encodeURIComponent(base64(own))],
  ])('is read as %s writes it', async (_, value) => {
    const answer = await behindProxy([['Client-Cert', value()]])
    expect(answer).toEqual({ status: 200, thumbprint: own.thumbprint, others: 0 })
  })

  it('comes with a chain', async () => {
    const chain = [structured(issuer), structured(issuer)].join(', ')
    const headers = [
      ['Client-Cert', structured(own)],
      ['Client-Cert-Chain', chain],
    ] as const
    expect(await behindProxy(headers)).toMatchObject({ thumbprint: own.thumbprint, others: 2 })
    const value = [base64(own), base64(issuer)].join(',')
    expect(await traefik([['X-Forwarded-Tls-Client-Cert', value]])).toMatchObject({
      thumbprint: own.thumbprint,
      others: 1,
    })
  })

  it.each([
    [
      'several headers',
      () => [
        ['Client-Cert', structured(own)],
        ['client-cert', structured(issuer)],
      ],
    ],
    [
      'an empty one before another',
      () => [
        ['Client-Cert', ''],
        ['Client-Cert', structured(own)],
      ],
    ],
    [
      'the certificates of two hops of Envoy',
      () => [
        ['Client-Cert', [own, issuer].map(({ cert }) => `Cert="${encodeURIComponent(cert)}"`).join(',')],
      ],
    ],
    ['two certificates', () => [['Client-Cert', `${structured(own)}, ${structured(issuer)}`]]],
    [
      'an empty one before a chain',
      () => [
        ['Client-Cert', 'Hash=a;Cert=""'],
        ['Client-Cert-Chain', structured(own)],
      ],
    ],
    [
      'text of a client before that of a proxy',
      () => [
        [
          'Client-Cert',
          `Hash=a;Cert="${encodeURIComponent(own.cert)},By=b;Cert="${encodeURIComponent(issuer.cert)}"`,
        ],
      ],
    ],
    ['half a byte sequence', () => [['Client-Cert', `:${base64(own)}`]]],
    ['no certificate', () => [['Client-Cert', ':AAAA:']]],
    ['no base64', () => [['Client-Cert', 'none']]],
    ['a broken escape', () => [['Client-Cert', '%E0%A4%A']]],
    ['a chain of ten', () => [['Client-Cert', Array.from({ length: 10 }, () => base64(own)).join(',')]]],
    [
      'a broken chain',
      () => [
        ['Client-Cert', structured(own)],
        ['Client-Cert-Chain', ':AA:'],
      ],
    ],
  ] as const)('is refused with %s', async (_, headers) => {
    expect(await behindProxy(headers() as [string, string][])).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('has no companion where it is another one than that of RFC 9440', async () => {
    const answer = await traefik([
      ['X-Forwarded-Tls-Client-Cert', base64(own)],
      ['Client-Cert-Chain', structured(issuer)],
    ])
    expect(answer).toEqual({ status: 200, thumbprint: own.thumbprint, others: 0 })
  })

  it('is no certificate where it is empty, on another host, and where certificates are off', async () => {
    const none = { status: 200 }
    expect(await behindProxy([['Client-Cert', '']])).toEqual(none)
    expect(
      await behindProxy([
        ['Host', 'id.example.com'],
        ['Client-Cert', structured(own)],
      ]),
    ).toEqual(none)
    expect(await off([['Client-Cert', structured(own)]])).toEqual(none)
  })

  it('ignores bytes behind the DER', async () => {
    const longer = Buffer.concat([own.certificate.raw, Buffer.from('tail')]).toString('base64')
    const answer = await behindProxy([['Client-Cert', `:${longer}:`]])
    expect([own.thumbprint, undefined]).toContain(answer.thumbprint)
  })
})

/** The names under which proxies pass certificates on. */
const NAMES = [
  ...['client-cert', 'client_cert', 'client.cert', 'clientcert', 'client-cert-chain', 'client_cert_chain'],
  ...[
    'ssl-client-cert',
    'ssl_client_cert',
    'x-ssl-client-cert',
    'x-ssl-cert',
    'x-client-cert',
    'x-client-cert-chain',
  ],
  ...['x-forwarded-client-cert', 'x-forwarded-tls-client-cert', 'x-forwarded-tls-client-cert-info'],
  ...['x-amzn-mtls-clientcert', 'x-amzn-mtls-clientcert-leaf', 'x-arr-clientcert', 'x-tls-client-cert'],
  ...['http_client_cert', 'http-client-cert', 'forwarded-client-cert', 'cert', 'x-goog-client-cert'],
  ...['ssl-client-verify', 'x-ssl-client-verify', 'ssl-client-subject-dn', 'x-ssl-client-s-dn'],
]

describe('a header of any other peer', () => {
  const spelling = fc
    .tuple(
      fc.constantFrom(...NAMES),
      fc.array(fc.constantFrom('lower', 'upper', '_', '-', '.'), { maxLength: 40 }),
    )
    .map(([name, changes]) =>
      [...name]
        .map((letter, at) => {
          const change = changes[at]
          if (/[-_.]/.test(letter)) return change !== undefined && /[-_.]/.test(change) ? change : letter
          return change === 'upper' ? letter.toUpperCase() : letter
        })
        .join(''),
    )
  const value = fc.constantFrom<(certificate: OwnCertificate) => string>(
    structured,
    base64,
    ({ cert }) => encodeURIComponent(cert),
    (certificate) => `Hash=${certificate.thumbprint};Cert="${encodeURIComponent(certificate.cert)}"`,
    () => 'SUCCESS',
  )

  it('never counts, in no spelling, form or number [F-43]', async () => {
    const headers = fc.array(fc.tuple(spelling, value), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(headers, async (pairs) => {
        const sent = pairs.map(([name, write]) => [name, write(own)] as const)
        expect(await direct(sent)).toEqual({ status: 200 })
      }),
      { numRuns: 200 },
    )
  })

  it('counts from a trusted proxy in the one configured name alone [F-43]', async () => {
    const others = spelling.filter(
      (name) => !['client-cert', 'client-cert-chain'].includes(name.toLowerCase()),
    )
    await fc.assert(
      fc.asyncProperty(others, value, async (name, write) => {
        expect(await behindProxy([[name, write(own)]])).toEqual({ status: 200 })
        const beside = [
          ['Client-Cert', structured(issuer)],
          [name, write(own)],
        ] as const
        expect(await behindProxy(beside)).toMatchObject({ status: 200, thumbprint: issuer.thumbprint })
      }),
      { numRuns: 100 },
    )
  })
})
