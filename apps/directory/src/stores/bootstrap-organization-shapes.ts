import type { Queryable } from '@signet/platform/postgres/pool'
import { ObjectConflict, type ObjectWriter, type PlacedObject } from '../bootstrap/object-writer.ts'
import { POLICY_KINDS } from '../bootstrap/schema/policies.ts'
import { policyFloors } from '../organizations/policy.repository.ts'
import { brokenFloors } from '../organizations/policy-floors.ts'
import type { PolicyName } from '../organizations/policy-members.ts'
import type { TableShape } from './bootstrap-table-writer.ts'

/** The id of the object that this one belongs to. */
export function ownerId({ desired, parent }: PlacedObject): string {
  if (parent === undefined) throw new Error(`${desired.path} has no owner`)
  return parent.id
}

export function organizationShapes(tx: Queryable): { organization: TableShape; domain: TableShape } {
  return {
    organization: {
      table: 'organization',
      identity: ({ id }) => ({ organization_id: id }),
      columns: {
        name: (name) => ({ name }),
        primaryDomain: (primary_domain) => ({ primary_domain }),
      },
      effects: {
        // The operator of the instance writes the file, so the domain needs no further proof.
        primaryDomain: async ({ id }, domain) => {
          await tx.query({
            name: 'bootstrap.organization_domain.primary', // primary key
            text: `INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
                   VALUES ($1, $2, true)
                       ON CONFLICT (organization_id, domain) DO UPDATE SET is_verified = true`,
            values: [id, domain],
          })
        },
      },
    },
    domain: {
      table: 'organization_domain',
      identity: (object) => ({ organization_id: ownerId(object), domain: object.id }),
      columns: { isVerified: (is_verified) => ({ is_verified }) },
    },
  }
}

const POLICY_NAMES = new Map(
  Object.entries(POLICY_KINDS).map(([name, kind]) => [String(kind), name as PolicyName]),
)

/**
 * A policy is one document; the members that the file changed are put into it, the others stay. The settings of the
 * file are written before.
 */
export function policyWriter(tx: Queryable): ObjectWriter {
  const write: ObjectWriter['update'] = async (object, values) => {
    const name = POLICY_NAMES.get(object.id)
    const floors = await policyFloors(tx)
    const [broken] = name === undefined ? [] : brokenFloors(name, Object.fromEntries(values), floors)
    if (broken !== undefined) throw new ObjectConflict(broken.rule, { member: broken.member })
    await tx.query({
      name: 'bootstrap.organization_policy.merge', // primary key
      text: `INSERT INTO directory.organization_policy AS p (organization_id, kind, document)
             VALUES ($1, $2, $3)
                 ON CONFLICT (organization_id, kind) DO UPDATE SET document = p.document || excluded.document`,
      values: [ownerId(object), object.id, JSON.stringify(Object.fromEntries(values))],
    })
  }
  return {
    async find(object) {
      const { rowCount } = await tx.query({
        name: 'bootstrap.organization_policy.find', // primary key
        text: 'SELECT FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
        values: [ownerId(object), object.id],
      })
      return rowCount === 0 ? 'absent' : 'present'
    },
    async stored(object, values) {
      const { rows } = await tx.query<{ document: Readonly<Record<string, unknown>> }>({
        name: 'bootstrap.organization_policy.read', // primary key
        text: 'SELECT document FROM directory.organization_policy WHERE organization_id = $1 AND kind = $2',
        values: [ownerId(object), object.id],
      })
      return new Map([...values.keys()].map((member) => [member, rows[0]?.document[member]]))
    },
    create: write,
    update: write,
  }
}
