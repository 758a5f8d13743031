// An MCP client that signs a person in through the server that the API names, and calls a tool for the person. No one registered it:
// its client_id is the URL of its document.

import { createServer } from 'node:http'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { MCP_URL = 'http://localhost:4100/mcp', PORT = '4101', CLIENT_ID } = process.env
const origin = `http://localhost:${PORT}`
/** A published client sets the https URL of its document. For a try on one machine this program serves it. */
const clientId = CLIENT_ID ?? `${origin}/client.json`
const redirectUrl = `${origin}/callback`
const clientMetadata = {
  client_name: 'Example Agent',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'openid offline_access',
}

/** The values that the SDK keeps of the sign-in, for as long as this program runs. */
const state = crypto.randomUUID()
const kept = {}
const provider = {
  redirectUrl,
  clientMetadata,
  // The SDK takes https documents by itself, and no others.
  ...(clientId.startsWith('https:') ? { clientMetadataUrl: clientId } : {}),
  state: () => state,
  clientInformation: () =>
    kept.client ?? (clientId.startsWith('https:') ? undefined : { client_id: clientId }),
  saveClientInformation: (client) => void Object.assign(kept, { client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void Object.assign(kept, { tokens }),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
  // The metadata that the API names; its issuer is the one whose answer counts.
  discoveryState: () => kept.discovered,
  saveDiscoveryState: (discovered) => void Object.assign(kept, { discovered }),
  redirectToAuthorization: (url) => console.log(`open ${url}`),
}

const connect = async () => {
  const client = new Client({ name: 'example-agent', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider })
  return { transport, connected: client.connect(transport).then(() => client) }
}

let finish
const answered = new Promise((resolve) => {
  finish = resolve
})
const server = createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, origin)
  if (pathname === '/client.json') {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ client_id: clientId, ...clientMetadata }))
  } else if (pathname === '/callback' && searchParams.get('state') === state) {
    res.end('You can close this page.')
    finish(searchParams)
  } else res.writeHead(404).end()
})
await new Promise((resolve) => server.listen(PORT, 'localhost', resolve))

const first = await connect()
try {
  await first.connected
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error
  const parameters = await answered
  // RFC 9207: without this check another server could make this client send it the code of the first one.
  if (parameters.get('iss') !== kept.discovered.authorizationServerMetadata.issuer)
    throw new Error(`the answer is of another issuer: ${parameters.get('iss')}`)
  const code = parameters.get('code')
  if (code === null) throw new Error(`the sign-in ended with ${parameters.get('error')}`)
  await first.transport.finishAuth(code)
}
const second = await connect()
const client = await second.connected
const { content } = await client.callTool({ name: 'whoami' })
console.log(content[0].text)
await client.close()
server.close()
server.closeAllConnections()
