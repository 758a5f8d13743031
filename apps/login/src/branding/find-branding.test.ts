import type { Branding } from '@signet/directory-reader/branding'
import { silentLogger } from '@signet/platform/logger/logger'
import { describe, expect, it } from 'vitest'
import { type BrandingDirectory, createFindBranding, type SignInContext } from './find-branding.ts'

const brandingOf = (name: string): Branding => ({
  ...{ name, colours: {}, theme: 'auto', hidesProduct: false, files: {}, texts: {}, links: {} },
})
const SETTINGS = {
  enforced: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  allowed: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  unspecified: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  never: null,
} as const

const directory: BrandingDirectory = {
  branding: async (organizationId) => (organizationId === 'unknown' ? undefined : brandingOf(organizationId)),
  async project(projectId) {
    const setting = Object.entries(SETTINGS).find(([name]) => name === projectId)
    return setting && { organizationId: 'acme', privateLabelingSetting: setting[1] }
  },
  defaultOrganizationId: async () => 'host',
}
const NOTHING: SignInContext = { organizationId: undefined, projectId: null, userOrganizationId: undefined }
const nameOf = async (context: Partial<SignInContext>, from = directory) =>
  (await createFindBranding(from, silentLogger).ofSignIn({ ...NOTHING, ...context }))?.name

describe('the branding of a sign-in', () => {
  it('is that of the organization that the request names, before all others', async () => {
    for (const projectId of [...Object.keys(SETTINGS), null]) {
      expect(await nameOf({ organizationId: 'globex', projectId, userOrganizationId: 'acme' })).toBe('globex')
    }
  })

  it('is that of Signet where the organization that the request names is unknown', async () => {
    expect(await nameOf({ organizationId: 'unknown', projectId: 'enforced' })).toBeUndefined()
  })

  it.each([
    ['enforced', undefined, 'acme'],
    ['enforced', 'globex', 'acme'],
    ['allowed', undefined, 'acme'],
    ['allowed', 'globex', 'globex'],
    ['unspecified', 'globex', 'host'],
    ['never', 'globex', 'host'],
    ['unknown', 'globex', 'host'],
    [null, 'globex', 'host'],
  ])('of the project "%s" and a user of %s is that of %s', async (projectId, userOrganizationId, name) => {
    expect(await nameOf({ projectId, userOrganizationId })).toBe(name)
  })

  it('is that of Signet without a default organization', async () => {
    expect(await nameOf({}, { ...directory, defaultOrganizationId: async () => undefined })).toBeUndefined()
  })

  it('is that of Signet while the directory cannot be read, with a line in the log', async () => {
    const error = new Error('no database')
    const logged: unknown[] = []
    const logger = { ...silentLogger, warn: (...line: readonly unknown[]) => logged.push(line) }
    const broken = async () => Promise.reject(error)
    const branding = createFindBranding({ ...directory, branding: broken }, logger)
    expect([await branding.ofSignIn(NOTHING), await branding.ofOrganization('acme')]).toEqual([
      undefined,
      undefined,
    ])
    expect(logged).toEqual([
      ['branding_unavailable', { error }],
      ['branding_unavailable', { error }],
    ])
  })
})
