// An MCP server on http://localhost:4100/mcp whose tool acts for the person who signed in through Signet. Signet issues the tokens,
// this server only asks whether one counts for it.

import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'

const {
  SIGNET_ISSUER = 'http://localhost:8080',
  API_CLIENT_ID,
  API_CLIENT_SECRET,
  PORT = '4100',
} = process.env
/** The URI of this API; the resourceUri of its project in Signet. */
const resource = new URL(`http://localhost:${PORT}/mcp`)

const discovered = await fetch(`${SIGNET_ISSUER}/.well-known/oauth-authorization-server`)
if (!discovered.ok) throw new Error('start Signet with SIGNET_OAUTH_METADATA=on')
const oauthMetadata = await discovered.json()

/** RFC 7662: whether a token is alive, was issued for this API, and whose it is. */
async function verifyAccessToken(token) {
  const credentials = Buffer.from(`${API_CLIENT_ID}:${API_CLIENT_SECRET}`).toString('base64')
  const response = await fetch(oauthMetadata.introspection_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ token }),
  })
  if (!response.ok) throw new Error(`introspection answered ${response.status}`)
  const { active, sub, username, client_id: clientId, scope = '', exp, aud = [], cnf } = await response.json()
  if (!active || ![aud].flat().includes(resource.href))
    throw new InvalidTokenError('The token is not for this API')
  // A token that is bound to a key needs a proof of it, which this server does not read.
  if (cnf !== undefined) throw new InvalidTokenError('The token is bound to a key')
  return { token, clientId, scopes: scope.split(' '), expiresAt: exp, resource, extra: { sub, username } }
}

function createServer() {
  const server = new McpServer({ name: 'orders', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Says for whom this client acts.' }, ({ authInfo }) => ({
    content: [{ type: 'text', text: `${authInfo.clientId} acts for ${authInfo.extra.username}` }],
  }))
  return server
}

const app = express()
// RFC 9728: where clients get their tokens. A refused call names this document.
app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: resource }))
const authenticate = requireBearerAuth({
  verifier: { verifyAccessToken },
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
  expectedResource: resource,
})
app.post('/mcp', authenticate, express.json(), async (req, res) => {
  const server = createServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  res.on('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
})
app.get('/mcp', (_req, res) => void res.status(405).end())

app.listen(PORT, 'localhost', () => console.log(`open ${resource.origin}`))
