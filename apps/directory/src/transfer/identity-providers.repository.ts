import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue } from '@signet/platform/sealing/sealed-value'
import { addCarried, type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { type Carried, carriedKey } from '../carried/carried-key.ts'
import { CONSUMER_RULE } from '../database/constraint-conflict.ts'
import { type Conflict, type ConflictRow, toConflicts } from '../database/import-table.repository.ts'
import { IdentityProviderStore } from '../identity-providers/identity-provider.repository.ts'
import { MOST_PROVIDERS, type StoredProvider } from '../identity-providers/identity-provider.ts'
import { sealSecret } from '../identity-providers/new-provider.ts'
import {
  NO_OWN_KEYS,
  needsOwnKey,
  openOwnKeys,
  sealOwnKeys,
  withOwnKey,
} from '../identity-providers/own-keys.ts'
import { identityProviderPurpose } from '../sealing/purposes.ts'
import { type DescribedProvider, describedProvider, furtherMembers } from './provider-record.ts'
import { type LeftOut, memberLeftOut, type TypedWriter } from './record-writer.ts'

const LIST = 'oidcIdps'

/** A record, the provider that it describes, and the provider that exists under its id. */
interface Resolved {
  readonly index: number
  readonly id: string
  readonly organizationId: string
  readonly record: Carried
  readonly stored: StoredProvider | undefined
  readonly described: DescribedProvider | undefined
  /** The rule by which it is no provider. */
  readonly problem: string | undefined
  readonly leftOut: readonly LeftOut[]
}

/** Writes the identity providers of organizations, and keeps what no provider has a place for. */
export function identityProviderWriter(sealing: CarriedSealing): TypedWriter<Carried> {
  const writeWith =
    (mode: 'insert' | 'update'): TypedWriter<Carried>['insert'] =>
    async (tx, records, { organizationIds, acceptedAt }) => {
      const resolved = await resolveAll(tx, records, organizationIds)
      for (const one of resolved) {
        const isNew = mode === 'insert' || one.stored === undefined
        await (isNew ? addProvider : changeProvider)(tx, sealing, one, acceptedAt)
      }
      const rows = resolved.map(({ organizationId, record, described }) => ({
        ...{ organizationId, list: LIST, key: carriedKey(LIST, record) },
        content: described === undefined ? record : furtherMembers(record),
      }))
      await (mode === 'insert' ? addCarried : writeCarried)(tx, sealing, rows)
    }
  return {
    async underRules(tx, records, { organizationIds }) {
      const resolved = await resolveAll(tx, records, organizationIds)
      const refused = resolved.flatMap(({ index, organizationId, stored, problem }) =>
        problem !== undefined && stored?.organizationId === organizationId ? [[index, problem] as const] : [],
      )
      return { records, leftOut: resolved.flatMap(({ leftOut }) => leftOut), refused: new Map(refused) }
    },
    findConflicts,
    insert: writeWith('insert'),
    update: writeWith('update'),
    notes: async (records, tx, { organizationIds }) =>
      (await resolveAll(tx, records, organizationIds)).flatMap(
        ({ id, organizationId, record, stored, problem }) => {
          const subject = `organization ${organizationId}: identity provider ${id}`
          if (problem !== undefined) return [`${subject} is stored, not used: ${problem}`]
          const named = (record.idp as { readonly ownCertificates?: unknown } | undefined)?.ownCertificates
          const hasOtherKey = stored !== undefined && !isDeepStrictEqual(stored.ownCertificates, named ?? [])
          if (hasOtherKey && needsOwnKey(stored)) {
            return [`${subject} has another key than at the source: give the provider the metadata of Signet`]
          }
          const isWithoutSecret = stored?.sealedSecret === null && stored.clientAuthentication !== 'none'
          return isWithoutSecret
            ? [`${subject} is inactive: it has no client secret; give it one and activate it`]
            : []
        },
      ),
  }
}

async function findConflicts(
  tx: Queryable,
  records: readonly Carried[],
  { organizationIds }: { readonly organizationIds: readonly string[] },
): Promise<ReadonlyMap<number, Conflict>> {
  const { rows } = await tx.query<ConflictRow>({
    name: 'transfer.identity_provider.find_conflicts', // primary keys
    text: `SELECT r.place,
                  CASE WHEN i.organization_id <> r.organization_id THEN 'the identity provider belongs to another organization' END AS reason
             FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (provider_id, organization_id, place)
             LEFT JOIN directory.identity_provider i ON i.provider_id = r.provider_id
             LEFT JOIN directory.carried_record c
                    ON c.organization_id = r.organization_id AND c.list = '${LIST}' AND c.record_key = r.provider_id
            WHERE i.provider_id IS NOT NULL OR c.record_key IS NOT NULL`,
    values: [records.map(({ idpId }) => idpId), organizationIds],
  })
  const conflicts = new Map(toConflicts(rows))
  const store = new IdentityProviderStore(tx)
  const counts = new Map<string, number>()
  for (const { index, organizationId, described, stored } of await resolveAll(tx, records, organizationIds)) {
    if (described === undefined || stored !== undefined || conflicts.get(index)?.kind === 'impossible')
      continue
    const count = (counts.get(organizationId) ?? (await store.lockAndCount(organizationId))) + 1
    counts.set(organizationId, count)
    if (count > MOST_PROVIDERS) {
      const reason = `the organization has ${MOST_PROVIDERS} identity providers, which is the most`
      conflicts.set(index, { kind: 'impossible', reason })
    }
  }
  return conflicts
}

/** Describes the providers of records within the verified domains and the roles of their organizations. */
async function resolveAll(
  tx: Queryable,
  records: readonly Carried[],
  organizationIds: readonly string[],
): Promise<readonly Resolved[]> {
  const store = new IdentityProviderStore(tx)
  const verified = await findVerifiedDomains(tx, organizationIds)
  const resolved: Resolved[] = []
  const takers = new Map<string, string>()
  for (const [index, record] of records.entries()) {
    const organizationId = organizationIds[index] ?? ''
    const id = String(record.idpId)
    const found = await store.find(id)
    const stored = found?.organizationId === organizationId ? found : undefined
    const described = describedProvider(record, stored)
    const base = { index, id, organizationId, record, stored: found }
    if ('problem' in described) {
      resolved.push({ ...base, described: undefined, problem: described.problem, leftOut: [] })
      continue
    }
    const { trustedEmailDomains, roleMappings } = described.settings
    const known = new Set(stored?.trustedEmailDomains ?? [])
    const mayTrust = (domain: string) => known.has(domain) || verified.has(`${organizationId} ${domain}`)
    const unknown = await store.unknownRoles(organizationId, roleMappings)
    const isKnown = (projectId: string, role: string) =>
      !unknown.some((one) => one.projectId === projectId && one.role === role)
    const { assertionConsumerPath: path } = described.settings
    const taker = path === null ? id : ((await store.findByConsumerPath(path)) ?? takers.get(path) ?? id)
    const isTaken = path !== null && taker !== id
    if (path !== null) takers.set(path, taker)
    const { providerInitiatedClientId: clientId } = described.settings
    const isForeign =
      clientId !== null &&
      clientId !== stored?.providerInitiatedClientId &&
      !(await store.hasApplication(organizationId, clientId))
    const settings = {
      ...described.settings,
      assertionConsumerPath: isTaken ? null : path,
      providerInitiatedClientId: isForeign ? null : clientId,
      trustedEmailDomains: trustedEmailDomains.filter(mayTrust),
      roleMappings: roleMappings.flatMap(({ roles, ...mapping }) => {
        const kept = roles.filter((role) => isKnown(mapping.projectId, role))
        return kept.length === 0 ? [] : [{ ...mapping, roles: kept }]
      }),
    }
    const leftOut = membersLeftOut(index, {
      ...{ logo: described.logo, unknownRoles: unknown },
      ...(isTaken && { takenPath: path }),
      ...(isForeign && { foreignClientId: clientId }),
      untrustedDomains: trustedEmailDomains.filter((domain) => !mayTrust(domain)),
    })
    resolved.push({ ...base, described: { ...described, settings }, problem: undefined, leftOut })
  }
  return resolved
}

interface LeftOutMembers {
  readonly takenPath?: string
  readonly foreignClientId?: string
  readonly logo: DescribedProvider['logo']
  readonly untrustedDomains: readonly string[]
  readonly unknownRoles: Awaited<ReturnType<IdentityProviderStore['unknownRoles']>>
}

function membersLeftOut(
  index: number,
  { takenPath, foreignClientId, logo, untrustedDomains, unknownRoles }: LeftOutMembers,
) {
  const leftOut = (field: string, rule: string, value?: string) =>
    memberLeftOut(index, { field: `idp.${field}`, rule, ...(value !== undefined && { value }) })
  return [
    ...(takenPath === undefined ? [] : [leftOut('assertionConsumerPath', `it ${CONSUMER_RULE}`, takenPath)]),
    ...(logo !== undefined && 'rule' in logo ? [leftOut('logo', `it ${logo.rule}`)] : []),
    ...(foreignClientId === undefined
      ? []
      : [
          leftOut(
            'providerInitiatedClientId',
            'it is the client id of no application of the organization',
            foreignClientId,
          ),
        ]),
    ...untrustedDomains.map((domain) =>
      leftOut('trustedEmailDomains', 'it is no verified domain of the organization', domain),
    ),
    ...unknownRoles.map(({ projectId, role }) =>
      leftOut('roleMappings', `the organization has no role ${role} in ${projectId}`),
    ),
  ]
}

/** The verified domains of organizations, each behind the id of its organization. */
async function findVerifiedDomains(
  tx: Queryable,
  organizationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ place: string }>({
    name: 'transfer.identity_provider.verified_domains', // primary key
    text: `SELECT organization_id || ' ' || domain AS place FROM directory.organization_domain
            WHERE organization_id = ANY ($1::text[]) AND is_verified`,
    values: [[...new Set(organizationIds)]],
  })
  return new Set(rows.map(({ place }) => place))
}

/** Violates the primary key when a parallel transaction added the same. */
async function addProvider(
  tx: Queryable,
  sealing: CarriedSealing,
  { id, organizationId, described }: Resolved,
  acceptedAt: Date,
): Promise<void> {
  if (described === undefined) return
  const { type, preset, state, createdAt = acceptedAt.toISOString() } = described
  const sealedSecret = sealedSecretOf(sealing, id, undefined, described)
  const times = {
    createdAt: new Date(Math.min(Date.parse(createdAt), acceptedAt.getTime())),
    changedAt: acceptedAt,
  }
  const keyed = await keyedSettings(sealing, { id, stored: undefined, described }, acceptedAt)
  const store = new IdentityProviderStore(tx)
  await store.add({ ...keyed, id, organizationId, type, preset, sealedSecret, state, ...times })
  await setLogo(store, id, described, acceptedAt)
}

async function changeProvider(
  tx: Queryable,
  sealing: CarriedSealing,
  { id, stored, described }: Resolved,
  acceptedAt: Date,
): Promise<void> {
  if (described === undefined) return
  const { state } = described
  const sealedSecret = sealedSecretOf(sealing, id, stored, described)
  const store = new IdentityProviderStore(tx)
  const keyed = await keyedSettings(sealing, { id, stored, described }, acceptedAt)
  await store.update(id, { ...keyed, sealedSecret }, acceptedAt)
  if (state !== stored?.state) await store.setState(id, state, acceptedAt)
  await setLogo(store, id, described, acceptedAt)
}

async function setLogo(
  store: IdentityProviderStore,
  id: string,
  { logo }: DescribedProvider,
  acceptedAt: Date,
): Promise<void> {
  if (logo !== undefined && !('rule' in logo)) await store.setLogo(id, logo, acceptedAt)
}

interface Keyed {
  readonly id: string
  readonly stored: StoredProvider | undefined
  readonly described: DescribedProvider
}

/** The settings with the keys of the record, or the stored ones, or new ones where the provider needs them and has none. */
function keyedSettings(sealing: CarriedSealing, { id, stored, described }: Keyed, acceptedAt: Date) {
  const { settings, ownKeys } = described
  const { masterKeys } = sealing
  const kept = stored === undefined ? NO_OWN_KEYS : keysOf(stored)
  const privateKeys = ownKeys?.map(({ privateKey }) => privateKey) ?? []
  const isSame = isDeepStrictEqual(privateKeys, openOwnKeys(id, kept.sealedOwnKeys, masterKeys))
  const keys =
    ownKeys === undefined || isSame
      ? kept
      : {
          ownCertificates: ownKeys.map(({ certificate }) => certificate),
          sealedOwnKeys: sealOwnKeys(id, privateKeys, sealing),
        }
  return withOwnKey(id, { ...settings, ...keys }, { ...sealing, now: () => acceptedAt })
}

const keysOf = ({ ownCertificates, sealedOwnKeys }: StoredProvider) => ({ ownCertificates, sealedOwnKeys })

/** The stored bytes stay when they hold the same secret: sealed again it would look like a change. */
function sealedSecretOf(
  { masterKeys, random }: CarriedSealing,
  id: string,
  stored: StoredProvider | undefined,
  { clientSecret, keepsSecret }: DescribedProvider,
): Buffer | null {
  const before = stored?.sealedSecret ?? null
  if (clientSecret === undefined) return keepsSecret ? before : null
  const opened = before === null ? undefined : openValue(masterKeys, before, identityProviderPurpose(id))
  return opened?.toString() === clientSecret ? before : sealSecret(id, clientSecret, { masterKeys, random })
}
