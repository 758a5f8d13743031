import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { obeyedLoginTexts } from '@signet/protocol/login-texts'
import {
  changedFields,
  type ManagementCall,
  type ManagementServices,
  type ManagementStores,
} from '../management-api/management-call.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'

type Document = Readonly<Record<string, unknown>>

interface Target {
  readonly organizationId: string
  readonly language: UiLocale
}

interface ShownTexts {
  /** The organization has none of its own in this language. */
  readonly isDefault: boolean
  /** By screen and name. */
  readonly texts: Document
  /** Those that no page shows, as `loginText.title`. */
  readonly notObeyed: readonly string[]
}

const LIST = 'loginTexts'

export function readLoginTexts(
  _call: ManagementCall,
  target: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
) {
  return findTexts(stores, target)
}

/** Sets the texts of a language as a whole, on the pages within a second. An import and an export hold the same. */
export function setLoginTexts(
  call: ManagementCall,
  { organizationId, language, texts }: Target & { readonly texts: Document },
) {
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, organizationId)
    await stores.messageTexts.set(organizationId, LIST, language, texts)
    await stores.loginTexts.set({ organizationId, language, texts: obeyedLoginTexts(texts) })
    const result = await findTexts(stores, { organizationId, language })
    return { result, details: { language, ...changedFields(texts) } }
  })
}

export function resetLoginTexts(call: ManagementCall, { organizationId, language }: Target): Promise<void> {
  return call.change(async ({ organizations, messageTexts, loginTexts }) => {
    await requireOrganization(organizations, organizationId)
    await messageTexts.delete(organizationId, LIST, language)
    await loginTexts.delete(organizationId, language)
    return { result: undefined, details: { language } }
  })
}

async function findTexts(
  {
    organizations,
    messageTexts,
    loginTexts,
  }: Pick<ManagementStores, 'organizations' | 'messageTexts' | 'loginTexts'>,
  { organizationId, language }: Target,
): Promise<ShownTexts> {
  await requireOrganization(organizations, organizationId)
  const record = await messageTexts.find(organizationId, LIST, language)
  const shown: Document = (await loginTexts.find(organizationId, language)) ?? {}
  const { language: _, ...texts } = record ?? {}
  return { isDefault: record === undefined, texts, notObeyed: notShown(texts, shown) }
}

/** Also texts that an import stored before pages showed any: they act once they are set again. */
function notShown(texts: Document, shown: Document): readonly string[] {
  return Object.entries(texts).flatMap(([screen, members]) => {
    if (typeof members !== 'object' || members === null) return [screen]
    return Object.entries(members).flatMap(([name, value]) => {
      const text = `${screen}.${name}`
      return value === '' || value === shown[text] ? [] : [text]
    })
  })
}
