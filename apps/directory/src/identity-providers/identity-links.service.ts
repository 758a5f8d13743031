import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requirePerson } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { IdentityLinkStore } from './identity-link.repository.ts'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import { type IdentityLink, MOST_LINKS } from './identity-provider.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly identityLinks: IdentityLinkStore
  readonly identityProviders: IdentityProviderStore
  readonly mail: MailStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
}

type ShownLink = Omit<IdentityLink, 'userId'>

export async function listIdentityLinks(
  _call: ManagementCall<Stores>,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<ShownLink>> {
  await requirePerson(stores.accounts, userId, 'identity link')
  const page = await stores.identityLinks.list(userId, request)
  return { ...page, items: page.items.map(shown) }
}

/** Lets a person sign in with an identity of a provider of the own organization. */
export function createIdentityLink(
  call: ManagementCall<Stores>,
  {
    userId,
    providerId,
    issuer,
    subject,
    displayName = null,
  }: Owner & {
    readonly providerId: string
    readonly issuer?: string | undefined
    readonly subject: string
    readonly displayName?: string | null | undefined
  },
  { now }: Pick<Tools, 'now'>,
): Promise<ShownLink> {
  return call.change(async ({ accounts, identityLinks, identityProviders, mail }) => {
    const { organizationId } = await requirePerson(accounts, userId, 'identity link')
    const provider = await identityProviders.find(providerId)
    // A provider of another organization is none, so that the answer tells nothing about it.
    if (provider?.organizationId !== organizationId)
      throw invalidFields([
        { field: 'providerId', rule: 'must be an identity provider of the organization of the person' },
      ])
    if ((await identityLinks.lockAndCount(userId)) >= MOST_LINKS) throw linksExhausted()
    const at = now()
    const link: IdentityLink = {
      ...{ id: call.targetId, userId, providerId, issuer: issuer ?? provider.issuer, subject },
      ...{ displayName, createdAt: at, lastUsedAt: null },
    }
    await identityLinks.add(link)
    await mail.requestNotice({ kind: 'factor_added', userId, at, byAdministrator: true })
    return { result: shown(link), details: { user_id: userId, provider_id: providerId } }
  })
}

/** When it resolves, the identity signs in no more, and everything that was made for the account has ended. */
export function deleteIdentityLink(
  call: ManagementCall<Stores>,
  { userId, linkId, force }: Owner & { readonly linkId: string; readonly force: boolean },
  { now, rpId }: Pick<Tools, 'now' | 'rpId'>,
): Promise<void> {
  return call.change(async ({ accounts, identityLinks, mail }) => {
    await requirePerson(accounts, userId, 'identity link')
    await identityLinks.lockAndCount(userId)
    const deleted = await identityLinks.delete(userId, linkId)
    if (deleted === undefined)
      throw new ApiError('NOT_FOUND', 'the user has no identity link with this id', {
        reason: 'identity_link_unknown',
      })
    if (!force && !(await identityLinks.hasOtherWay(userId, linkId, rpId))) {
      throw new ApiError(
        'FAILED_PRECONDITION',
        'the person has no other way to sign in; give them one, or call with force=true',
        { reason: 'no_other_way_in' },
      )
    }
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    const epochs = await accounts.raiseEpoch(userId)
    return { result: undefined, epochs, details: { provider_id: deleted.providerId } }
  })
}

const linksExhausted = () =>
  new ApiError('FAILED_PRECONDITION', `the user has ${MOST_LINKS} identity links, which is the most`, {
    reason: 'identity_links_exhausted',
  })

const shown = ({ userId, ...link }: IdentityLink): ShownLink => link
