import { size } from '@signet/testing/sizes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Fault, startRoleSearch } from './role-search.ts'
import { ATTACKERS, type Attacker } from './role-search-directory.ts'
import { GOALS, type GoalName, LOST_CONTROL } from './role-search-goals.ts'

const TIMEOUT_MS = 6 * 3_600_000

let roles: Awaited<ReturnType<typeof startRoleSearch>>
beforeAll(async () => {
  roles = await startRoleSearch()
})
afterAll(() => roles?.stop())

it.each(ATTACKERS)(
  '$userId of a hostile organization reaches no goal',
  { timeout: TIMEOUT_MS },
  async (attacker) => {
    const limits = {
      depth: 3,
      states: size('searchedStates'),
      calls: size('searchedCalls'),
      firstCalls: size('searchedFirstCalls'),
    }
    expect(await roles.search(attacker, limits)).toEqual({})
  },
)

/** The service takes every account for one without roles. */
const withoutReach: Fault['rows'] = ({ name }, rows) =>
  ['member.counting', 'member.instance_roles_within'].includes(name) ? [] : rows

interface Broken {
  readonly goal: GoalName
  readonly without: string
  readonly attacker: string
  readonly fault: Fault
  /** Calls that lead to the goal, in their order. */
  readonly operations: readonly string[]
  readonly userIds?: readonly string[]
}

const BROKEN: readonly Broken[] = [
  {
    goal: 'an account changes whose roles reach further, or that belongs to another organization',
    without: 'the comparison of roles',
    attacker: 'manager',
    operations: ['user.set_password'],
    fault: { rows: withoutReach },
  },
  ...['passkey.delete', 'recovery_codes.delete', 'user.send_password_reset'].map((operation) => ({
    goal: 'an account changes whose roles reach further, or that belongs to another organization' as const,
    without: 'the comparison of roles',
    attacker: 'manager',
    operations: [operation],
    userIds: ['operator'],
    fault: { rows: withoutReach },
  })),
  ...[['identity_provider.update'], ['identity_provider.delete']].map((operations) => ({
    goal: 'an account changes whose roles reach further, or that belongs to another organization' as const,
    without: 'the roles of people with a link',
    attacker: 'owner',
    operations,
    fault: {
      rows: ({ name }: { readonly name: string }, rows: readonly unknown[]) =>
        name === 'identity_provider.roles_of_linked' ? [] : rows,
    } as Fault,
  })),
  {
    goal: 'a role counts that the caller may not give',
    without: 'the comparison of roles',
    attacker: 'manager',
    operations: ['user.set_password', 'instance_member.set'],
    userIds: ['operator', 'nobody'],
    fault: { rows: withoutReach },
  },
  {
    goal: 'a role counts that the caller may not give',
    without: 'the comparison of roles, and with an inactive IAM_OWNER',
    attacker: 'manager',
    operations: ['user.update', 'user.set_password', 'instance_member.set'],
    userIds: ['operator', 'nobody'],
    fault: {
      rows: withoutReach,
      sql: [
        'DROP TRIGGER keep_instance_owner ON directory.account',
        "UPDATE directory.account SET state = 'inactive' WHERE user_id = 'operator'",
      ],
    },
  },
  {
    goal: 'an administrator loses a role, or the instance its last IAM_OWNER',
    without: 'the comparison of roles and the trigger for the last IAM_OWNER',
    attacker: 'owner',
    operations: ['user.update'],
    fault: { rows: withoutReach, sql: ['DROP TRIGGER keep_instance_owner ON directory.account'] },
  },
  {
    goal: 'a project of others, or one with a marked application, names other audiences',
    without: 'the organizations of objects',
    attacker: 'owner',
    operations: ['project.update'],
    fault: {
      rows: ({ name }, rows) =>
        name.startsWith('place.')
          ? rows.map((row) => ({ ...(row as object), organizationId: 'evil' }))
          : rows,
    },
  },
  {
    goal: 'another organization or its projects and applications change',
    without: 'the objects of roles',
    attacker: 'owner',
    operations: ['application.update'],
    fault: { roles: ['ORG_OWNER acme'] },
  },
  {
    goal: 'another organization or its projects and applications change',
    without: 'the objects of roles',
    attacker: 'owner',
    operations: ['smtp.set'],
    fault: { roles: ['ORG_OWNER acme'] },
  },
  {
    goal: 'a project is used by an organization that was not granted it or has not accepted it',
    without: 'the objects of roles',
    attacker: 'owner',
    operations: ['granted_project.accept'],
    fault: { roles: ['ORG_OWNER acme'] },
  },
  {
    goal: 'an account gets roles in a project of which its organization has no accepted grant',
    without: 'the acceptance of project grants',
    attacker: 'owner',
    operations: ['user_grant.create'],
    fault: { rows: ({ name }, rows) => (name === 'project_grant.is_accepted' ? [{}] : rows) },
  },
  ...(
    [
      'a role in one organization counts for an account of another that has not accepted it',
      LOST_CONTROL,
    ] as const
  ).map((goal) => ({
    goal,
    without: 'the acceptance of roles',
    attacker: 'shopkeeper',
    operations: ['project_member.set'],
    fault: {
      sql: [
        `CREATE OR REPLACE VIEW directory_read.member_v1 AS
         SELECT m.user_id, m.role, coalesce(m.organization_id, m.project_id) AS object_id,
                coalesce(m.organization_id, p.organization_id) AS organization_id
           FROM directory.member m LEFT JOIN directory.project p ON p.project_id = m.project_id`,
      ],
    },
  })),
  {
    goal: 'an address or a domain becomes verified that is not of the organization',
    without: 'the check of domains',
    attacker: 'manager',
    operations: ['user.create'],
    fault: {
      rows: ({ name }, rows) => (name === 'organization_domain.find' ? [{ isVerified: true }] : rows),
    },
  },
  {
    goal: 'an object has the id of a deleted one',
    without: 'the tombstones',
    attacker: 'manager',
    operations: ['service_user.create'],
    fault: { sql: ['DELETE FROM directory.tombstone'] },
  },
  {
    goal: 'an application is marked, or a marked one changes who gets its tokens',
    without: 'the marks',
    attacker: 'owner',
    operations: ['application.rotate_secret'],
    fault: {
      rows: ({ name }, rows) =>
        name === 'application.find'
          ? rows.map((row) => ({ ...(row as object), mayCallApi: false, firstParty: false }))
          : rows,
    },
  },
]

it('has a fault for every goal', () => {
  const goals = new Set(BROKEN.map(({ goal }) => goal))
  expect([...goals].sort()).toEqual([...GOALS.map(({ name }) => name), LOST_CONTROL].sort())
})

it.each(BROKEN)(
  'finds that $attacker reaches with $operations, without $without: $goal',
  { timeout: TIMEOUT_MS },
  async ({ goal, attacker, operations, userIds, fault }) => {
    const depth = operations.length
    const limits = { depth, states: 100, calls: Number.POSITIVE_INFINITY, operations, userIds, wanted: goal }
    const reached = await roles.search(attackerWith(attacker), limits, fault)
    expect(reached[goal]).toHaveLength(depth)
  },
)

function attackerWith(id: string): Attacker {
  const attacker = ATTACKERS.find(({ userId }) => userId === id)
  if (attacker === undefined) throw new Error(`no caller of the search is ${id}`)
  return attacker
}
