import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { OwnChange } from '../sessions/sign-in-proof.ts'

/** Roles that another organization offers a user, for itself or for one of its projects. */
export interface RoleOffer {
  /** Id of the organization or the project of the roles. */
  readonly objectId: string
  readonly organizationName: string
  /** Absent for roles in the organization itself. */
  readonly projectName?: string
  readonly roles: readonly string[]
}

export interface RoleAnswer {
  readonly objectId: string
  /** The roles on the page that the user answered. */
  readonly roles: readonly string[]
  readonly accepted: boolean
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** The offers that users accept or refuse, stored by the directory. */
export interface RoleOffers {
  list(userId: string): Promise<readonly RoleOffer[]>
  answer(owner: OwnChange, answer: RoleAnswer): Promise<void>
}

/** The first unanswered offer. */
export type FindRoleOffer = (userId: string) => Promise<RoleOffer | undefined>

/** Returns no offer while the directory is unavailable; the user is then asked at a later sign-in. */
export function createRoleOfferFinder(offers: Pick<RoleOffers, 'list'>): FindRoleOffer {
  return async (userId) => {
    try {
      return (await offers.list(userId))[0]
    } catch (error) {
      if (error instanceof TemporarilyUnavailableError) return undefined
      throw error
    }
  }
}
