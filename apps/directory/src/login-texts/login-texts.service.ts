import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { obeyedLoginTexts } from '@signet/protocol/login-texts'
import { changedFields, type ManagementCall } from '../api/management-call.ts'
import type { MessageTextStore } from '../mail/message-text.repository.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import type { LoginTextStore } from './login-text.repository.ts'

/** The stores of the use cases of this file. */
export interface LoginTextStores {
  readonly loginTexts: LoginTextStore
  readonly messageTexts: MessageTextStore
  readonly organizations: OrganizationStore
}

/** The stores for reading; changes get theirs from the call. */
export interface LoginTextReads {
  readonly stores: LoginTextStores
}

type Document = Readonly<Record<string, unknown>>

interface Target {
  readonly organizationId: string
  readonly language: UiLocale
}

interface ShownTexts {
  /** The organization has none of its own in this language. */
  readonly isDefault: boolean
  /** Texts by screen and name. */
  readonly texts: Document
  /** Names of the texts that no page shows, as `loginText.title`. */
  readonly notObeyed: readonly string[]
}

const LIST = 'loginTexts'

export function readLoginTexts(
  _call: ManagementCall<LoginTextStores>,
  target: Target,
  { stores }: LoginTextReads,
) {
  return findTexts(stores, target)
}

/** Sets the texts of a language as a whole, on the pages within a second. An import and an export hold the same. */
export function setLoginTexts(
  call: ManagementCall<LoginTextStores>,
  { texts, ...target }: Target & { readonly texts: Document },
) {
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, target.organizationId)
    return replaceTexts(stores, target, { texts, given: texts })
  })
}

/** Changes the named texts; the others stay. */
export function updateLoginTexts(
  call: ManagementCall<LoginTextStores>,
  { texts: given, ...target }: Target & { readonly texts: Document },
) {
  return call.change(async (stores) => {
    const { texts: before } = await findTexts(stores, target)
    const screens = Object.entries(given).map(([screen, texts]) => [
      screen,
      { ...Object(before[screen]), ...Object(texts) } as Document,
    ])
    return replaceTexts(stores, target, { texts: { ...before, ...Object.fromEntries(screens) }, given })
  })
}

async function replaceTexts(
  stores: LoginTextStores,
  { organizationId, language }: Target,
  { texts, given }: { readonly texts: Document; readonly given: Document },
) {
  await stores.messageTexts.set(organizationId, LIST, language, texts)
  await stores.loginTexts.set({ organizationId, language, texts: obeyedLoginTexts(texts) })
  const result = await findTexts(stores, { organizationId, language })
  return { result, details: { language, ...changedFields(given) } }
}

export function resetLoginTexts(
  call: ManagementCall<LoginTextStores>,
  { organizationId, language }: Target,
): Promise<void> {
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
  }: Pick<LoginTextStores, 'organizations' | 'messageTexts' | 'loginTexts'>,
  { organizationId, language }: Target,
): Promise<ShownTexts> {
  await requireOrganization(organizations, organizationId)
  const record = await messageTexts.find(organizationId, LIST, language)
  const shown: Document = (await loginTexts.find(organizationId, language)) ?? {}
  const { language: _, ...texts } = record ?? {}
  return { isDefault: record === undefined, texts, notObeyed: notShown(texts, shown) }
}

/**
 * Returns the texts that are not shown, also those that an import stored before pages showed any: they act once they
 * are set again.
 */
function notShown(texts: Document, shown: Document): readonly string[] {
  return Object.entries(texts).flatMap(([screen, members]) => {
    if (typeof members !== 'object' || members === null) return [screen]
    return Object.entries(members).flatMap(([name, value]) => {
      const text = `${screen}.${name}`
      return value === '' || value === shown[text] ? [] : [text]
    })
  })
}
