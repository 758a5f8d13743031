import { TemporarilyUnavailableError } from '@signet/protocol/errors'

/** Roles that another organization gives a person, for itself or for one of its projects. */
export interface RoleOffer {
  /** Of the organization or the project that the roles are for. */
  readonly objectId: string
  readonly organizationName: string
  /** Absent where the roles are for the organization itself. */
  readonly projectName?: string
  readonly roles: readonly string[]
}

export interface RoleAnswer {
  readonly objectId: string
  /** Those that the person was shown. */
  readonly roles: readonly string[]
  readonly accepted: boolean
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/** The roles that people may accept or refuse, kept by the directory. */
export interface RoleOffers {
  list(userId: string): Promise<readonly RoleOffer[]>
  answer(answer: RoleAnswer & { readonly userId: string }): Promise<void>
}

/** The first offer that a person has not answered. */
export type FindRoleOffer = (userId: string) => Promise<RoleOffer | undefined>

/** While the directory is away a person is asked at a later sign-in: this question delays none. */
export function roleOfferFinder(offers: Pick<RoleOffers, 'list'>): FindRoleOffer {
  return async (userId) => {
    try {
      return (await offers.list(userId))[0]
    } catch (error) {
      if (error instanceof TemporarilyUnavailableError) return undefined
      throw error
    }
  }
}
