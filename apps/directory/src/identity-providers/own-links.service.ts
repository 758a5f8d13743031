// The identities by which a person signs in, as the person sees and changes them in a session.
import type { Clock } from '@signet/platform/runtime/clock'
import { ownEvent } from '../audit/own-event.ts'
import type { OwnSession } from '../own-account/own-account.repository.ts'
import type { OwnLink } from './identity-link.repository.ts'
import { MOST_LINKS } from './identity-provider.ts'
import type { UpstreamAssertion } from './upstream-person.ts'
import { shownName } from './upstream-sign-in.ts'
import type { UpstreamStores, UpstreamTransact } from './upstream-stores.ts'

interface Owner extends OwnSession {
  readonly clientAddress?: string | undefined
}

export type LinkRefusal =
  | 'assertion_incomplete'
  | 'provider_not_usable'
  | 'other_organization'
  | 'linking_not_allowed'
  | 'linked_to_another_account'
  | 'links_exhausted'

interface Dependencies {
  readonly listLinks: OwnLinks['list']
  readonly transact: UpstreamTransact
  readonly rpId: string | undefined
  readonly newId: () => string
  readonly now: Clock
}

/** Outcomes of a change: `ended` when the session has ended. */
type Outcome<Refusal> = 'done' | 'ended' | { readonly refusedRule: Refusal }

export interface OwnLinks {
  list(userId: string): Promise<readonly OwnLink[]>
  /** Links the account. Of concurrent calls for one identity one account gets it. */
  link(owner: Owner, assertion: UpstreamAssertion): Promise<Outcome<LinkRefusal>>
  /** Deletes a link, unless the account would have no way in. */
  delete(owner: Owner, linkId: string): Promise<Outcome<'no_other_way_in'>>
}

export function createOwnLinks(dependencies: Dependencies): OwnLinks {
  const { listLinks, transact } = dependencies
  return {
    list: listLinks,
    link: (owner, assertion) => transact((stores) => link(stores, owner, assertion, dependencies)),
    delete: (owner, linkId) => transact((stores) => remove(stores, owner, linkId, dependencies)),
  }
}

async function link(
  stores: UpstreamStores,
  owner: Owner,
  assertion: UpstreamAssertion,
  { newId, now }: Dependencies,
): Promise<Outcome<LinkRefusal>> {
  const { links, upstream } = stores
  const provider = await upstream.lockUsable(assertion.providerId)
  const organizationId = await upstream.lockLive(owner)
  if (organizationId === undefined) return 'ended'
  const details = { provider_id: assertion.providerId }
  const refuse = async (refusedRule: LinkRefusal): Promise<Outcome<LinkRefusal>> => {
    const refused = { result: 'refused', details: { ...details, reason: refusedRule } } as const
    await stores.record(ownEvent('identity_link.create', owner, { organizationId, ...refused }))
    return { refusedRule }
  }
  if (assertion.issuer === '' || assertion.subject === '') return refuse('assertion_incomplete')
  if (provider === undefined) return refuse('provider_not_usable')
  if (provider.organizationId !== organizationId) return refuse('other_organization')
  if (!provider.linkingAllowed) return refuse('linking_not_allowed')
  const known = await links.findIdentity(assertion)
  if (known?.userId === owner.userId) return 'done'
  if (known !== undefined) return refuse('linked_to_another_account')
  if ((await links.lockAndCount(owner.userId)) >= MOST_LINKS) return refuse('links_exhausted')
  const linkId = newId()
  const at = now()
  const isAdded = await links.addUnlessLinked({
    ...{ id: linkId, userId: owner.userId, providerId: provider.id, createdAt: at, lastUsedAt: null },
    ...{ issuer: assertion.issuer, subject: assertion.subject, displayName: shownName(assertion) },
  })
  // Another account got it since the look above.
  if (!isAdded) return refuse('linked_to_another_account')
  await stores.requestNotice({ kind: 'factor_added', userId: owner.userId, at })
  const target = { kind: 'identity_link', id: linkId }
  await stores.record(ownEvent('identity_link.create', owner, { organizationId, target, details }))
  return 'done'
}

async function remove(
  stores: UpstreamStores,
  owner: Owner,
  linkId: string,
  { rpId, now }: Dependencies,
): Promise<Outcome<'no_other_way_in'>> {
  const { links, upstream } = stores
  const organizationId = await upstream.lockLive(owner)
  if (organizationId === undefined) return 'ended'
  const { userId } = owner
  const target = { kind: 'identity_link', id: linkId }
  if (!(await links.hasOtherWay(userId, linkId, rpId))) {
    const refused = { result: 'refused', details: { reason: 'no_other_way_in' } } as const
    await stores.record(ownEvent('identity_link.delete', owner, { organizationId, target, ...refused }))
    return { refusedRule: 'no_other_way_in' }
  }
  const deleted = await links.delete(userId, linkId)
  if (deleted === undefined) return 'done'
  await stores.requestNotice({ kind: 'factor_removed', userId, at: now() })
  const details = { provider_id: deleted.providerId }
  await stores.record(ownEvent('identity_link.delete', owner, { organizationId, target, details }))
  return 'done'
}
