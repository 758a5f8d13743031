import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installation } from './installation.ts'
import { type SampleSecrets, sampleSecrets } from './sample.ts'

interface WelcomeOptions {
  readonly issuer: string
  readonly dataDirectory: string
  /** Then there is no sample. */
  readonly bootstrapFile?: string
}

/**
 * The output of `npm start` before its ready line: at the first start the sample's users, clients and commands, later
 * where to find them. `first-run.txt`, readable by its owner only, is written at every start: the sample may have
 * grown since.
 */
export async function welcome(options: WelcomeOptions, installation: Installation): Promise<string> {
  if (options.bootstrapFile !== undefined) return ''
  const file = join(options.dataDirectory, 'first-run.txt')
  const text = firstRunText(options.issuer, sampleSecrets(installation))
  await writeFile(file, text, { mode: 0o600 })
  if (!installation.isNew) return `The sample users and clients are in ${file}\n`
  return `${text}\nThis is shown once and kept in ${file}\n`
}

function firstRunText(issuer: string, secrets: SampleSecrets): string {
  const {
    alicePassword,
    bobPassword,
    webSecret,
    passportSecret,
    authjsSecret,
    apiSecret,
    administratorToken,
  } = secrets
  const authorize = new URL('/oauth/v2/authorize', issuer)
  authorize.search = new URLSearchParams({
    client_id: 'web',
    redirect_uri: 'http://localhost:3000/callback',
    response_type: 'code',
    scope: 'openid profile email offline_access',
  }).toString()
  return `
Signet sample

  users      alice      ${alicePassword}
             bob        ${bobPassword}
  clients    web        ${webSecret}   (redirects to http://localhost:3000/callback)
             passport   ${passportSecret}   (redirects to http://localhost:3001/callback)
             authjs     ${authjsSecret}   (redirects to http://localhost:3002/auth/callback/signet)
             api        ${apiSecret}   (introspects)
             spa        no secret, PKCE   (redirects to http://localhost:5173/callback)
  token      administrator ${administratorToken}   (a service user with IAM_OWNER)

Try it

  ${issuer}/console
      the console of administrators, as alice
  SIGNET_ISSUER=${issuer} WEB_SECRET='${webSecret}' npm run example
      an application on http://localhost:3000 that signs you in
  SIGNET_ISSUER=${issuer} npm run example:spa
      the same in the browser alone, on http://localhost:5173
  SIGNET_ISSUER=${issuer} PASSPORT_SECRET='${passportSecret}' npm run example:passport
      the same with Express and Passport, on http://localhost:3001
  SIGNET_ISSUER=${issuer} AUTHJS_SECRET='${authjsSecret}' npm run example:authjs
      the same with Auth.js, on http://localhost:3002

  npm run signet -- login --issuer ${issuer}
      the command line as alice, who administers her organization; then npm run signet -- user list --organization acme
  SIGNET_ISSUER=${issuer} SIGNET_TOKEN=${administratorToken} npm run signet -- organization list
      the same as administrator of the instance

  curl ${issuer}/.well-known/openid-configuration
  curl -H 'Authorization: Bearer ${administratorToken}' ${issuer}/management/v1/organizations

  Or open this address, sign in, and copy the code from the address that the browser ends at:
  ${authorize.href}

  curl -u 'web:${webSecret}' -d grant_type=authorization_code \\
       -d redirect_uri=http://localhost:3000/callback -d code=THE_CODE ${issuer}/oauth/v2/token
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${issuer}/oidc/v1/userinfo
  curl -u 'api:${apiSecret}' -d token=ACCESS_TOKEN ${issuer}/oauth/v2/introspect
`
}
