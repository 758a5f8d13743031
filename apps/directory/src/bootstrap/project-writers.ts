import {
  type ApplicationType,
  RECIPIENT_SETTINGS,
  SETTING_NAMES,
} from '@signet/protocol/application-settings'
import { newObject } from '@signet/protocol/fields/field'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { type ApplicationChanges, fileNameOf } from '../applications/application.schema.ts'
import { APPLICATION_DEFAULTS, OWNER_ONLY_FLAGS } from '../applications/application-rules.ts'
import { setApplicationSecret, storedSecret } from '../credentials/client-secret.ts'
import type { ProjectChanges, ProjectRoleChanges } from '../projects/project.ts'
import { keyWriter, trustWriter } from './credential-writers.ts'
import {
  type BootstrapStores,
  type Fields,
  type ObjectWriter,
  type ObjectWriting,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'

type ProjectFields = Omit<ProjectChanges, 'name'> & { readonly name: string }
type RoleFields = ProjectRoleChanges & { readonly displayName: string }

/** Writes projects with their roles and the grants of those. */
export function projectWriters(stores: BootstrapStores, { now, newId }: ObjectWriting) {
  const { projects, projectRoles, userGrants } = stores
  const project: ObjectWriter<ProjectFields> = {
    find: async (object) => ofOwner(await projects.find(object.id), 'organizationId', object),
    create: ({ id, ...object }, { name, ...changes }) =>
      projects.add({ id, organizationId: ownerId({ id, ...object }), name, createdAt: now(), changes }),
    update: ({ id }, values) => projects.update(id, values),
  }
  const project_role: ObjectWriter<RoleFields> = {
    find: (object) => projectRoles.find(ownerId(object), object.id),
    create: (object, values) =>
      projectRoles.add(ownerId(object), { key: object.id, ...newObject(ROLE_FIELDS, values) }),
    update: (object, values) => projectRoles.update(ownerId(object), object.id, values),
  }
  const grantOf = (object: ResolvedResource) => ({ userId: object.id, projectId: ownerId(object) })
  const user_grant: ObjectWriter<{ readonly roles: readonly string[] }> = {
    async find(object) {
      const grant = await userGrants.findOfUser(grantOf(object))
      return grant && { roles: [...grant.roles].sort() }
    },
    async create(object, { roles }) {
      await userGrants.add({ ...grantOf(object), id: newId(), createdAt: now() })
      await userGrants.setRoles(grantOf(object), roles)
    },
    update: (object, { roles = [] }) => userGrants.setRoles(grantOf(object), roles),
  }
  return { project, project_role, user_grant }
}

/** Members of an entry that decide who gets the tokens of an application. */
const RECIPIENT_MEMBERS = [...RECIPIENT_SETTINGS, 'clientSecret'] as const

type ApplicationFields = Fields & { readonly type: ApplicationType; readonly clientSecret?: string }

/** Writes applications with their secrets, keys and trusted issuers. */
export function applicationWriters(stores: BootstrapStores, writing: ObjectWriting) {
  const { applications, applicationKeys, applicationIssuerTrusts } = stores
  const { now, newId, hasher } = writing

  const application: ObjectWriter<ApplicationFields> = {
    async find(object) {
      const stored = await applications.find(object.id)
      const byFileName = Object.fromEntries(SETTING_NAMES.map((name) => [fileNameOf(name), stored?.[name]]))
      return ofOwner(stored && { ...byFileName, projectId: stored.projectId }, 'projectId', object)
    },
    async create(object, values) {
      const settings = { clientId: newId(), ...APPLICATION_DEFAULTS[values.type], ...settingsOf(values) }
      const identity = { id: object.id, projectId: ownerId(object), createdAt: now() }
      await applications.add({ ...identity, settings })
      await setClientSecret(object, values)
    },
    async update(object, values) {
      const changesRecipient = RECIPIENT_MEMBERS.some((member) => values[member] !== undefined)
      const changes = { ...settingsOf(values), ...(changesRecipient && withoutFlags(unstatedFlags(object))) }
      if (Object.keys(changes).length > 0) await applications.update(object.id, changes)
      await setClientSecret(object, values)
    },
  }

  async function setClientSecret({ id }: ResolvedResource, { clientSecret }: Partial<ApplicationFields>) {
    if (clientSecret === undefined) return
    await setApplicationSecret(stores, id, await storedSecret(clientSecret, 0, { now, hasher }))
  }

  /** A writer of what an application proves itself with. */
  const ofApplication = <Fields extends object>(writer: ObjectWriter<Fields>): ObjectWriter<Fields> => ({
    ...writer,
    async create(object, values) {
      await writer.create(object, values)
      await clearUnstatedFlags(object)
    },
    async update(object, values, stored) {
      await writer.update(object, values, stored)
      await clearUnstatedFlags(object)
    },
  })

  /** Clears the owner-only flags that the entry of an application does not state, because what it proves itself with changes. */
  async function clearUnstatedFlags({ parent }: ResolvedResource): Promise<void> {
    const stored = parent && (await applications.find(parent.id))
    const cleared = parent === undefined ? [] : unstatedFlags(parent).filter((flag) => stored?.[flag])
    if (stored && cleared.length > 0) await applications.update(stored.id, withoutFlags(cleared))
  }

  return {
    application,
    application_key: ofApplication(keyWriter(applicationKeys, writing)),
    application_issuer_trust: ofApplication(trustWriter(applicationIssuerTrusts, writing)),
  }
}

/** The owner-only flags that a change of an entry clears because the entry does not state them. */
function unstatedFlags({ declared }: ResolvedResource) {
  const stated = declared.fields.filter(({ value }) => value === true).map(({ name }) => name)
  return OWNER_ONLY_FLAGS.filter((flag) => !stated.includes(flag))
}

function withoutFlags(flags: readonly (typeof OWNER_ONLY_FLAGS)[number][]): ApplicationChanges {
  return Object.fromEntries(flags.map((flag) => [flag, false]))
}

function settingsOf(values: Fields): ApplicationChanges {
  const given = SETTING_NAMES.filter((name) => values[fileNameOf(name)] !== undefined)
  return Object.fromEntries(given.map((name) => [name, values[fileNameOf(name)]]))
}

function ofOwner<Stored extends object>(
  stored: Stored | undefined,
  member: keyof Stored,
  object: ResolvedResource,
): Stored | 'elsewhere' | undefined {
  return stored !== undefined && stored[member] !== ownerId(object) ? 'elsewhere' : stored
}
