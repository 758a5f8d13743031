import { request } from 'node:http'
import { startHttpServer } from '@signet/testing/http-server'
import type { Browser } from 'playwright-core'

export interface Gateway {
  readonly origin: string
  forwardTo(ports: readonly number[]): void
  stop(): Promise<void>
}

/** The origin of the issuer. It sends requests to the replicas in turn. */
export async function startGateway(): Promise<Gateway> {
  let ports: readonly number[] = []
  let next = 0
  const { port: ownPort, stop } = await startHttpServer((req, res) => {
    next += 1
    const { method, headers, url: path } = req
    const port = ports[next % ports.length]
    const upstream = request({ port, host: '127.0.0.1', method, headers, path }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    upstream.on('error', () => res.writeHead(502).end())
    req.pipe(upstream)
  })
  return {
    origin: `http://localhost:${ownPort}`,
    forwardTo(started) {
      ports = started
    },
    stop,
  }
}

/**
 * A browser with an authenticator of its own; `complaints` are the errors that it logged. Its virtual authenticator answers a
 * suggestion at once, without a choice of the user, so suggestions are off unless a test is about them.
 */
export async function openAuthenticatorBrowser(chrome: Browser, { isAutofill = false } = {}) {
  const context = await chrome.newContext()
  if (!isAutofill) {
    await context.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
  }
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(error.message))
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { context, page, complaints, cdp, authenticatorId }
}
