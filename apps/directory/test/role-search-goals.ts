import type { Attacker } from './role-search-directory.ts'
import type { State } from './role-search-state.ts'

// States that no caller of the search may reach, with any calls in any order. Each goal compares the stored
// state with the first one by rules of its own: it calls none of the functions that the service decides with.

export interface Goal {
  readonly name: string
  readonly isReached: (attacker: Attacker, first: State, now: State) => boolean
}

type Role = State['counting'][number]

const HOME = 'evil'
const OTHER = 'acme'
const roleText = ({ userId, role, objectId }: Role) => `${userId} ${role} ${objectId ?? 'instance'}`

function homeOf(userId: string, first: State): string {
  return first.accounts.find(({ id }) => id === userId)?.organizationId ?? HOME
}

/**
 * New projects can only belong to the caller's organization; objects made elsewhere are a goal of their own.
 */
function given({ gives }: Attacker, { role, objectId }: Role, first: State): boolean {
  const isKnown = objectId === null || first.liveIds.includes(objectId)
  return gives.includes(`${role} ${isKnown ? (objectId ?? 'instance') : 'new'}`)
}

const added = (before: readonly Role[], after: readonly Role[]) => {
  const known = new Set(before.map(roleText))
  return after.filter((role) => !known.has(roleText(role)))
}

/** Offered at first by another organization, to a service user of the caller's. */
function mayAccept({ isOwner }: Attacker, role: Role, first: State): boolean {
  const isOffered = first.members.some((offer) => roleText(offer) === roleText(role))
  return isOwner === true && isOffered && homeOf(role.userId, first) === HOME
}

/** How far an account was changed. */
function changeOf(id: string, first: State, now: State): 'nothing' | 'access' | 'account' {
  const before = first.accounts.find((account) => account.id === id)
  const after = now.accounts.find((account) => account.id === id)
  if (after === undefined) return 'access'
  if (before?.rest !== after.rest) return 'account'
  return before.state !== after.state || before.epoch !== after.epoch ? 'access' : 'nothing'
}

const isForeign = (projectGrant: string) => /^(portal|offered) /.test(projectGrant)

export const GOALS = [
  {
    name: 'a role counts that the caller may not give',
    isReached: (attacker, first, now) =>
      added(first.counting, now.counting).some(
        (role) => !given(attacker, role, first) && !mayAccept(attacker, role, first),
      ),
  },
  {
    name: 'a role in one organization counts for an account of another that has not accepted it',
    isReached: (attacker, first, now) =>
      added(first.counting, now.counting).some(
        (role) => homeOf(role.userId, first) !== HOME && !mayAccept(attacker, role, first),
      ),
  },
  {
    name: 'a project is used by an organization that was not granted it or has not accepted it',
    isReached: ({ isOwner }, first, now) => {
      const grants = now.projectGrants.filter(
        (grant) => !first.projectGrants.includes(grant) && !grant.endsWith(` ${HOME}`),
      )
      const received = now.projectGrants.filter(
        (grant) =>
          isForeign(grant) &&
          !first.projectGrants.includes(grant) &&
          !(isOwner && first.offeredProjects.includes(grant)),
      )
      return grants.length > 0 || received.length > 0
    },
  },
  {
    name: 'an account gets roles in a project of which its organization has no accepted grant',
    isReached: ({ gives }, first, now) => {
      const before = new Set(first.userGrants.map((grant) => JSON.stringify(grant)))
      return now.userGrants
        .filter((grant) => !before.has(JSON.stringify(grant)))
        .some(({ projectId, userId }) => {
          const project = first.liveIds.includes(projectId) ? projectId : 'new'
          const home = homeOf(userId, first)
          const isInReach = home === HOME || first.projectGrants.includes(`${projectId} ${home}`)
          return !gives.includes(`PROJECT_OWNER ${project}`) || !isInReach
        })
    },
  },
  {
    name: 'an account changes whose roles reach further, or that belongs to another organization',
    isReached: ({ changes = [], ends = [] }, first, now) =>
      first.accounts.some(({ id }) => {
        const change = changeOf(id, first, now)
        if (change === 'nothing' || changes.includes(id)) return false
        return change === 'account' || !ends.includes(id)
      }),
  },
  {
    name: 'an address or a domain becomes verified that is not of the organization',
    isReached: (_, first, now) => {
      const domains = now.verifiedDomains.filter((domain) => !first.verifiedDomains.includes(domain))
      const emails = now.accounts.filter(({ id, organizationId, verifiedEmail }) => {
        if (verifiedEmail === null) return false
        const before = first.accounts.find((account) => account.id === id)?.verifiedEmail
        const domain = verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1)
        return verifiedEmail !== before && !first.verifiedDomains.includes(`${organizationId} ${domain}`)
      })
      return domains.length > 0 || emails.length > 0
    },
  },
  {
    name: 'an object has the id of a deleted one',
    isReached: (_, first, now) =>
      [...first.deletedIds, ...now.deletedIds].some((id) => now.liveIds.includes(id)),
  },
  {
    name: 'an administrator loses a role, or the instance its last IAM_OWNER',
    isReached: (attacker, first, now) => {
      const kept = new Set(now.counting.map(roleText))
      const { changes = [], ends = [] } = attacker
      const lost = first.counting
        .filter((role) => !kept.has(roleText(role)))
        .filter((role) => {
          const isDeleted = now.accounts.every(({ id }) => id !== role.userId)
          return isDeleted ? ![...changes, ...ends].includes(role.userId) : !given(attacker, role, first)
        })
      const isOwnerLeft = now.counting.some(({ userId, role }) => {
        const account = now.accounts.find(({ id }) => id === userId)
        const home = now.organizations.find(({ id }) => id === account?.organizationId)
        return (
          role === 'IAM_OWNER' &&
          account?.hasPassword &&
          [account, home].every((its) => its?.state === 'active')
        )
      })
      return !isOwnerLeft || lost.length > 0
    },
  },
  {
    name: 'an application is marked, or a marked one changes who gets its tokens',
    isReached: (_, first, now) =>
      now.applications.some((application) => {
        const before = first.applications.find(({ id }) => id === application.id)
        const isMarked = application.mayCallApi || application.firstParty
        const isNewMark =
          (application.mayCallApi && !before?.mayCallApi) || (application.firstParty && !before?.firstParty)
        return isNewMark || (isMarked && before?.recipients !== application.recipients)
      }),
  },
  {
    name: 'a project of others, or one with a marked application, names other audiences',
    isReached: ({ gives }, first, now) =>
      now.projects.some(({ id, allowedAudiences }) => {
        const before = first.projects.find((project) => project.id === id)
        if (before === undefined || `${before.allowedAudiences}` === `${allowedAudiences}`) return false
        return id === 'desk' || !gives.includes(`PROJECT_OWNER ${id}`)
      }),
  },
  {
    name: 'another organization or its projects and applications change',
    isReached: (_, first, now) => foreignObjects(first) !== foreignObjects(now),
  },
] as const satisfies readonly Goal[]

/** Found by a call of that owner, not in what is stored. */
export const LOST_CONTROL = 'an owner of another organization can no longer change its people'

export type GoalName = (typeof GOALS)[number]['name'] | typeof LOST_CONTROL

function foreignObjects({ organizations, verifiedDomains, projects, applications }: State): string {
  const ofOthers = projects.filter(({ organizationId }) => organizationId !== HOME)
  const projectIds = ofOthers.map(({ id }) => id)
  return JSON.stringify([
    organizations.filter(({ id }) => id !== HOME),
    verifiedDomains.filter((domain) => domain.startsWith(`${OTHER} `)),
    ofOthers.map(({ id }) => id),
    applications.filter(({ projectId }) => projectIds.includes(projectId)),
  ])
}
