import { useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { ChoiceFilter } from '../ui/filters.tsx'
import { Card } from '../ui/page.tsx'

type Application = Pick<
  components['schemas']['Application'],
  'clientId' | 'type' | 'redirectUris' | 'grantTypes'
>

/** Settings and a request with the application's own id, to paste. */
export function QuickStart({ application }: { readonly application: Application }) {
  const pieces = piecesFor(application)
  const [chosen, setChosen] = useState(pieces[0]?.name)
  const piece = pieces.find(({ name }) => name === chosen) ?? pieces[0]
  if (piece === undefined) return null
  return (
    <Card title={text('quick_start')}>
      <ChoiceFilter
        label={text('quick_start.for')}
        value={piece.name}
        all=""
        options={pieces.map(({ name }) => [name, name])}
        onChange={setChosen}
      />
      <Copyable value={piece.code} label={piece.name} />
    </Card>
  )
}

const SCOPE = 'openid profile email offline_access'

function piecesFor({ clientId, type, redirectUris, grantTypes }: Application) {
  const issuer = window.location.origin
  const callback = redirectUris[0] ?? 'http://localhost:3000/callback'
  const environment = {
    name: '.env',
    code: `SIGNET_ISSUER=${issuer}\nSIGNET_CLIENT_ID=${clientId}\nSIGNET_REDIRECT_URI=${callback}\n`,
  }
  const token = {
    name: 'curl',
    code: `curl ${issuer}/oauth/v2/token --user '${clientId}:SECRET' \\\n  -d grant_type=client_credentials`,
  }
  const introspection = {
    name: 'curl',
    code: `curl ${issuer}/oauth/v2/introspect --user '${clientId}:SECRET' -d token=TOKEN`,
  }
  if (type === 'api') return [introspection]
  if (!grantTypes.includes('authorization_code')) return [token]
  if (type === 'userAgent') {
    const code = `import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${callback}',
  scope: '${SCOPE}',
})
await manager.signinRedirect()
`
    return [{ name: 'oidc-client-ts', code }, environment]
  }
  const express = `import express from 'express'
import { auth } from 'express-openid-connect'

const app = express()
app.use(auth({
  issuerBaseURL: '${issuer}',
  baseURL: '${new URL(callback).origin}',
  clientID: '${clientId}',
  clientSecret: process.env.SIGNET_CLIENT_SECRET,
  secret: process.env.SESSION_SECRET,
  authorizationParams: { response_type: 'code', scope: '${SCOPE}' },
}))
app.listen(${new URL(callback).port || 3000})
`
  return [{ name: 'Express', code: express }, environment]
}
