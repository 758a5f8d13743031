import { describe, expect, it } from 'vitest'
import { type ColourDirectory, createFindColours, type SignInContext } from './find-colours.ts'

const COLOURS: Readonly<Record<string, string>> = { acme: '#aa0000', globex: '#00aa00', host: '#0000aa' }
const SETTINGS = {
  enforced: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  allowed: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  unspecified: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  never: null,
} as const

const directory: ColourDirectory = {
  async colours(organizationId) {
    const primaryColor = COLOURS[organizationId]
    return primaryColor === undefined ? {} : { primaryColor }
  },
  async project(projectId) {
    const setting = Object.entries(SETTINGS).find(([name]) => name === projectId)
    return setting && { organizationId: 'acme', privateLabelingSetting: setting[1] }
  },
  defaultOrganizationId: async () => 'host',
}
const NOTHING: SignInContext = { organizationId: undefined, projectId: null, userOrganizationId: undefined }
const primaryOf = async (context: Partial<SignInContext>, from = directory) =>
  (await createFindColours(from).ofSignIn({ ...NOTHING, ...context })).primaryColor

describe('the colours of a sign-in', () => {
  it('are those of the organization that the request names, before all others', async () => {
    for (const projectId of [...Object.keys(SETTINGS), null]) {
      expect(await primaryOf({ organizationId: 'globex', projectId, userOrganizationId: 'acme' })).toBe(
        '#00aa00',
      )
    }
  })

  it('are none where the organization that the request names has none', async () => {
    expect(await primaryOf({ organizationId: 'plain', projectId: 'enforced' })).toBeUndefined()
  })

  it.each([
    ['enforced', undefined, '#aa0000'],
    ['enforced', 'globex', '#aa0000'],
    ['allowed', undefined, '#aa0000'],
    ['allowed', 'globex', '#00aa00'],
    ['unspecified', 'globex', '#0000aa'],
    ['never', 'globex', '#0000aa'],
    ['unknown', 'globex', '#0000aa'],
    [null, 'globex', '#0000aa'],
  ])('of the project "%s" and a user of %s are %s', async (projectId, userOrganizationId, colour) => {
    expect(await primaryOf({ projectId, userOrganizationId })).toBe(colour)
  })

  it('are none without a default organization', async () => {
    expect(
      await primaryOf({}, { ...directory, defaultOrganizationId: async () => undefined }),
    ).toBeUndefined()
  })

  it('are none while the directory cannot be read', async () => {
    const broken = async () => Promise.reject(new Error('no database'))
    const colours = createFindColours({ ...directory, colours: broken })
    expect([await colours.ofSignIn(NOTHING), await colours.ofOrganization('acme')]).toEqual([{}, {}])
  })
})
