import type { UiLocale } from '@signet/protocol/authorization-parameters'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import { DEFAULT_TEXTS } from './default-texts.ts'
import { storedTexts } from './mail-deliveries.ts'
import type { MessageTextStore } from './message-text.repository.ts'
import { isNotice } from './notices.ts'
import { type RenderedMessage, renderMessage } from './render-message.ts'
import { MESSAGE_LISTS, type MessageTexts } from './texts/mail.schema.ts'

interface Stores {
  readonly messageTexts: MessageTextStore
  readonly organizations: OrganizationStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

export type MessageName = keyof typeof MESSAGE_LISTS

interface Target {
  readonly organizationId: string
  readonly message: MessageName
  readonly language: UiLocale
}

interface ShownTexts {
  /** The organization has none of its own. */
  readonly isDefault: boolean
  readonly texts: MessageTexts
  /** The texts that are sent. */
  readonly effective: MessageTexts
}

type Services = Reads

export function readMessageTexts(_call: ManagementCall<Stores>, target: Target, { stores }: Services) {
  return findTexts(stores, target)
}

/** Sets the texts of a message as a whole; an import and an export of the organization hold the same. */
export function setMessageTexts(
  call: ManagementCall<Stores>,
  { organizationId, message, language, ...texts }: Target & MessageTexts,
) {
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, organizationId)
    return replaceTexts(stores, { organizationId, message, language }, { texts, given: texts })
  })
}

/** Changes the named texts of a message; the others stay. */
export function updateMessageTexts(
  call: ManagementCall<Stores>,
  { organizationId, message, language, ...given }: Target & MessageTexts,
) {
  return call.change(async (stores) => {
    const target = { organizationId, message, language }
    const { texts } = await findTexts(stores, target)
    return replaceTexts(stores, target, { texts: { ...texts, ...given }, given })
  })
}

async function replaceTexts(
  stores: Stores,
  { organizationId, message, language }: Target,
  { texts, given }: { readonly texts: MessageTexts; readonly given: MessageTexts },
) {
  await stores.messageTexts.set(organizationId, MESSAGE_LISTS[message].list, language, texts)
  const result = await findTexts(stores, { organizationId, message, language })
  return { result, details: { message, language, ...changedFields(given) } }
}

export function resetMessageTexts(
  call: ManagementCall<Stores>,
  { organizationId, message, language }: Target,
): Promise<void> {
  return call.change(async ({ organizations, messageTexts }) => {
    await requireOrganization(organizations, organizationId)
    await messageTexts.delete(organizationId, MESSAGE_LISTS[message].list, language)
    return { result: undefined, details: { message, language } }
  })
}

/** The message as a person of the organization would get it, with sample values and a link that does nothing. */
export async function previewMessage(
  _call: ManagementCall<Stores>,
  target: Target,
  { stores, issuer }: Services & Pick<Tools, 'issuer'>,
): Promise<RenderedMessage> {
  const { texts } = await findTexts(stores, target)
  const { kind } = MESSAGE_LISTS[target.message]
  return renderMessage({
    kind,
    language: target.language,
    texts,
    values: {
      PreferredLoginName: 'alice@acme.example',
      UserName: 'alice',
      DisplayName: 'Alice Example',
      FirstName: 'Alice',
      LastName: 'Example',
      NickName: 'Al',
      LastEmail: 'alice@acme.example',
      Code: 'ABCD-EFGH-JKMN',
      Time: '2026-01-31 09:30 UTC',
    },
    ...(!isNotice(kind) && { link: `${issuer}/` }),
    ...(!isNotice(kind) && kind !== 'invitation' && { code: 'ABCDEFGHJKMN' }),
  })
}

async function findTexts(
  { organizations, messageTexts }: Pick<Stores, 'organizations' | 'messageTexts'>,
  { organizationId, message, language }: Target,
): Promise<ShownTexts> {
  await requireOrganization(organizations, organizationId)
  const { kind, list } = MESSAGE_LISTS[message]
  const record = await messageTexts.find(organizationId, list, language)
  const { title, preHeader, subject, greeting, text, buttonText, footerText } = storedTexts(record)
  const texts = { title, preHeader, subject, greeting, text, buttonText, footerText }
  const defaults = DEFAULT_TEXTS[language][kind]
  return {
    isDefault: record === undefined,
    texts,
    effective: {
      title: title || defaults.title,
      preHeader: preHeader ?? '',
      subject: subject || defaults.subject,
      greeting: greeting || defaults.greeting,
      text: text || defaults.text,
      buttonText: buttonText || defaults.buttonText,
      footerText: footerText || defaults.footerText,
    },
  }
}
