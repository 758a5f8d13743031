import type { Caller } from '@signet/admin-api/caller'
import type { ObjectNameStore } from './object-name.repository.ts'
import type { IdsOfKinds, SeenOfKinds, ShownName } from './object-name.ts'
import { viewsAccounts, viewsOrganization, viewsProject } from './permission.ts'
import { seenObjects } from './seen-objects.ts'

/** The stores for reading names. */
export interface NameReads {
  readonly stores: { readonly objectNames: ObjectNameStore }
}

/** The objects of each kind that the caller may read. */
export function seenBy(caller: Caller): SeenOfKinds {
  return {
    organization: seenObjects(caller, viewsOrganization),
    user: seenObjects(caller, viewsAccounts),
    project: seenObjects(caller, viewsProject),
  }
}

/** Returns a function from kind and id to the name; only of objects that the caller may read. One statement. */
export function namesFor({ caller }: { readonly caller: Caller }, ids: IdsOfKinds, { stores }: NameReads) {
  return stores.objectNames.find(ids, seenBy(caller))
}

/** The members of a list that name a user beside its id. */
export function userNames(shown: ShownName | undefined): UserNames {
  return { userName: shown?.name, displayName: shown?.displayName }
}

interface UserNames {
  readonly userName?: string | undefined
  readonly displayName?: string | undefined
}
