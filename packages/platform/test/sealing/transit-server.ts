import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A request to the transit engine. */
interface TransitCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, string>>
}

/** Answers a call in place of the engine; false when it leaves it to the engine. */
type Instead = (call: TransitCall, res: ServerResponse) => boolean

/**
 * Serves the protocol of the transit engine of Vault and OpenBao for aes256-gcm96 keys: versions in the ciphertext, associated
 * data, `min_decryption_version`, 400, 403 and 404. Its keys are `transit/signet-keys` and `transit/signet-login`.
 */
export async function startTransitServer() {
  const versions = { 'signet-keys': [randomBytes(32)], 'signet-login': [randomBytes(32)] }
  const state = {
    token: 'a-token',
    leastVersion: 1,
    instead: (() => false) as Instead,
    calls: [] as TransitCall[],
  }
  const server = createServer(async (req, res) => {
    const body = (await json(req)) as Record<string, string>
    const call = { path: req.url ?? '', headers: req.headers, body }
    state.calls.push(call)
    if (state.instead(call, res)) return
    const answer = (status: number, content: object) => res.writeHead(status).end(JSON.stringify(content))
    if (req.headers['x-vault-token'] !== state.token) return answer(403, { errors: ['permission denied'] })
    const [, action, name] = /^\/v1\/transit\/(encrypt|decrypt)\/([a-z-]+)$/.exec(call.path) ?? []
    const keys = name === undefined ? undefined : versions[name as keyof typeof versions]
    if (keys === undefined) return answer(404, { errors: [] })
    const aad = Buffer.from(body.associated_data ?? '', 'base64')
    if (action === 'encrypt') {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keys.at(-1) ?? '', nonce).setAAD(aad)
      const text = [nonce, cipher.update(body.plaintext ?? '', 'base64'), cipher.final(), cipher.getAuthTag()]
      return answer(200, {
        data: { ciphertext: `vault:v${keys.length}:${Buffer.concat(text).toString('base64')}` },
      })
    }
    const [, version = '', text = ''] = /^vault:v(\d+):(.+)$/.exec(body.ciphertext ?? '') ?? []
    const key = Number(version) < state.leastVersion ? undefined : keys[Number(version) - 1]
    const bytes = Buffer.from(text, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', key ?? '', bytes.subarray(0, 12))
      decipher.setAAD(aad).setAuthTag(bytes.subarray(-16))
      const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
      return answer(200, { data: { plaintext: plain.toString('base64') } })
    } catch {
      return answer(400, { errors: ['cipher: message authentication failed'] })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rotate: (name: keyof typeof versions) => void versions[name].push(randomBytes(32)),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
