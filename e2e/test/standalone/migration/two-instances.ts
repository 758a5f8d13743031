import { afterAll, beforeAll } from 'vitest'
import { type MigrationSuite, startMigrationSuite } from '../migration-suite.ts'
import { PASSWORD, providerDirectory } from '../provider-directory.ts'
import { generatedOrganizations } from './generated/organizations.ts'

/** The instances that all tests of a file share: the data of `source` is moved to `target`. */
export let source: MigrationSuite
export let target: MigrationSuite

const profile = { givenName: 'Given', familyName: 'Family' }

beforeAll(async () => {
  const { organizations = [] } = providerDirectory()
  const [acme, ...others] = organizations
  const states = ['inactive', 'locked'] as const
  const absent = states.map((state) => ({ id: state, userName: state, profile, password: PASSWORD, state }))
  const moved = acme === undefined ? [] : [{ ...acme, users: [...(acme.users ?? []), ...absent] }]
  ;[source, target] = await Promise.all([
    // Generated policies may be as lenient as the format allows.
    startMigrationSuite({
      organizations: [...moved, ...others, ...generatedOrganizations()],
      settings: { passwordMinLength: 1, maxPasswordAttempts: 0, maxOtpAttempts: 0 },
    }),
    startMigrationSuite(),
  ])
}, 300_000)
afterAll(() => Promise.all([source?.close(), target?.close()]))
