import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const PASSWORD = 'Correct-horse-9'
export const WEB_SECRET = randomBytes(32).toString('base64url')
export const API_SECRET = randomBytes(32).toString('base64url')

const profile = { givenName: 'Alice', familyName: 'Example' }

/** A bootstrap document with one organization, the users alice, bob and lena (locked), and three applications. */
export function bootstrapDocument(redirectUris: readonly string[], postLogoutRedirectUris: readonly string[]) {
  const application = { redirectUris, postLogoutRedirectUris, responseTypes: ['code'] }
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [
          {
            id: 'alice',
            userName: 'alice',
            profile: { ...profile, displayName: 'Alice Example' },
            email: { address: 'alice@acme.localhost', verified: true },
            password: PASSWORD,
          },
          { id: 'bob', userName: 'bob', profile, email: { address: 'bob@acme.localhost', verified: false }, password: PASSWORD },
          { id: 'lena', userName: 'lena', profile, email: { address: 'lena@acme.localhost', verified: true }, password: PASSWORD, state: 'locked' },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            applications: [
              { ...application, id: 'web', clientId: 'web', name: 'Web', type: 'web', authMethod: 'client_secret_basic', clientSecret: WEB_SECRET },
              { ...application, id: 'spa', clientId: 'spa', name: 'SPA', type: 'userAgent', authMethod: 'none' },
              { id: 'api', clientId: 'api', name: 'API', type: 'api', authMethod: 'client_secret_basic', clientSecret: API_SECRET },
            ],
          },
        ],
      },
    ],
    defaultOrganization: 'acme',
  }
}

/** Writes a bootstrap document where a process can read it. */
export async function writeBootstrapFile(
  document: unknown,
): Promise<{ readonly path: string; write(document: unknown): Promise<void>; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bootstrap-'))
  const path = join(folder, 'bootstrap.json')
  const write = (content: unknown) => writeFile(path, JSON.stringify(content, null, 2))
  await write(document)
  return { path, write, remove: () => rm(folder, { recursive: true, force: true }) }
}
