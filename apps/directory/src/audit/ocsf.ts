// Audit rows as events of the Open Cybersecurity Schema Framework (OCSF) 1.9.0.

import type { AuditChain } from '@signet/tokens/audit-head'
import { z } from 'zod'

const VERSION = '1.9.0'

/** Event with the member names of OCSF. */
export type OcsfEvent = Record<string, unknown>

/** Parses the canonical text of a row, which the database function `content` creates. */
const content = z.tuple([
  z.string(),
  z.int(),
  z.string(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.record(z.string(), z.unknown()),
])

const OTHER = 99

/** Classes of the category Identity & Access Management (3) with their uids. */
const CLASSES = {
  account: 3001,
  authentication: 3002,
  entity: 3004,
  access: 3005,
} as const
type Class = keyof typeof CLASSES
type Mapping = readonly [Class, activity: number]

/** Actions whose class or activity does not follow from noun and verb. */
const ACTIONS: Readonly<Record<string, Mapping>> = {
  sign_in: ['authentication', 1],
  authorization: ['authentication', 1],
  'own_account.confirm': ['authentication', OTHER],
  'authorization_code.reuse': ['authentication', 1],
  'refresh_token.reuse': ['authentication', 1],
  impersonation: ['authentication', OTHER],
  'impersonation.create': ['authentication', OTHER],
  'impersonation.begin': ['authentication', OTHER],
  totp: ['authentication', 1],
  sign_out: ['authentication', 2],
  back_channel_logout: ['authentication', 2],
  'session.end': ['authentication', 2],
  'user.sign_out': ['authentication', 2],
  'session.list': ['entity', 2],
  'access.check': ['entity', 2],
  'identity_provider.import_metadata': ['entity', 3],
  'identity_provider.add_key': ['entity', 3],
  'identity_provider.retire_key': ['entity', 3],
  'identity_provider.set_logo': ['entity', 3],
  'identity_provider.delete_logo': ['entity', 3],
  'identity_provider.take_test': ['entity', 2],
  'application.access': ['entity', 2],
  'application.review': ['entity', 2],
  'reference.find': ['entity', 2],
  'user.roles': ['entity', 2],
  'audit.activity': ['entity', 2],
  ...Object.fromEntries(
    ['user', 'application', 'project', 'organization'].map((noun) => [
      `${noun}.usage`,
      ['entity', 2] as const,
    ]),
  ),
  registration: ['account', 1],
  'invitation.create': ['account', 1],
  'password.change': ['account', 3],
  'user.set_password': ['account', 4],
  'sign_in.lockout': ['account', 9],
  'user.unlock': ['account', 2],
  'totp.enrolment': ['account', 10],
  // Events of earlier versions, in which administrators could create secrets.
  'totp.create': ['account', 10],
  'totp.delete': ['account', 11],
  'recovery_codes.create': ['account', 10],
  'recovery_codes.delete': ['account', 11],
  'user.reset_factors': ['account', 11],
  // Trust lets this browser sign in without the second factor, so it counts as a factor that is removed.
  'browser.trust': ['account', 11],
  'browser.end_trust': ['account', 10],
  'passkey.create': ['account', 10],
  'passkey.delete': ['account', 11],
  'identity_link.create': ['account', 10],
  'identity_link.delete': ['account', 11],
  // A passkey that is marked as cloned can no longer sign in.
  'passkey.cloned': ['account', 11],
  // The password changes by the link of the message, not by the message.
  'password_reset.request': ['account', OTHER],
  'password.reset': ['account', 4],
  'invitation.accept': ['account', 3],
  'email.verify': ['account', OTHER],
  'email.change': ['account', OTHER],
  'email_change.request': ['account', OTHER],
  'email_verification.request': ['account', OTHER],
  'mail.delivery': ['entity', OTHER],
  consent: ['access', 1],
  'consent.withdraw': ['access', 2],
  'access.end': ['access', 2],
  'refresh_family.begin': ['access', 1],
  'identity_assertion.issue': ['access', 1],
  'identity_assertion.accept': ['access', 1],
  'device.approve': ['access', 1],
  'device.deny': ['access', 2],
  'token.revoke': ['access', 2],
  export: ['entity', 2],
  'import.batch': ['entity', 1],
  'import.role': ['access', 3],
  'import.user_grant': ['access', 3],
  'import.project_grant': ['access', 3],
  'import.key': ['entity', 1],
  'import.trusted_issuer': ['entity', 1],
  'undo.batch': ['entity', 4],
}

/** The class of each noun; the other nouns are entities. */
const NOUNS: Readonly<Record<string, Class>> = {
  user: 'account',
  service_user: 'account',
  user_grant: 'access',
  instance_member: 'access',
  organization_member: 'access',
  project_member: 'access',
  offered_role: 'access',
  member: 'access',
}

/**
 * Activities of each class, by the verb of the action. With a verb that is missing in its class, an event is one of Entity
 * Management.
 */
const VERBS: Readonly<Record<Class, Readonly<Record<string, number>>>> = {
  authentication: {},
  account: {
    create: 1,
    created: 1,
    delete: 6,
    update: OTHER,
    updated: OTHER,
    rotate_secret: 4,
    delete_secret: OTHER,
    invite: OTHER,
    send_password_reset: OTHER,
    send_email_verification: OTHER,
  },
  access: { create: 3, created: 3, set: 3, accept: 3, update: 3, updated: 3, delete: 4, refuse: 4 },
  entity: {
    ...{ create: 1, created: 1, add: 1, accept: 1, start: 1, announce: 1, import: 1 },
    ...{
      read: 2,
      list: 2,
      list_grants: 2,
      events: 2,
      report: 2,
      rejects: 2,
      document: 2,
      preview: 2,
      doctor: 2,
      chain: 2,
      export: 2,
    },
    ...{
      update: 3,
      updated: 3,
      left_deleted: 3,
      set: 3,
      reset: 3,
      apply: 3,
      rename: 3,
      rotate: 3,
      rotate_secret: 3,
      rewrap: 3,
      activate: 3,
      deactivate: 3,
      retire: 3,
    },
    ...{ reschedule: 3, withdraw: 3, cancel: 3, resume: 3, rehearse: 3, undo: 3, end: 3, refuse: 3 },
    ...{ delete: 4, deleted: 4, delete_secret: 4, remove: 4, revoke: 4, forget: 4 },
    test: OTHER,
  },
}

/** The class and the activity of an action; undefined for an action that is not in these tables. */
export function mappingOf(action: string): Mapping | undefined {
  const special = ACTIONS[action]
  if (special !== undefined) return special
  const [noun = '', verb = ''] = action.split('.')
  const kind = NOUNS[noun] ?? 'entity'
  const activity = VERBS[kind][verb]
  if (activity !== undefined) return [kind, activity]
  const ofEntity = VERBS.entity[verb]
  return ofEntity === undefined ? undefined : ['entity', ofEntity]
}

/** Actions by which data leaves Signet, or comes from outside; documents and exports of jobs have verbs of their own. */
const SHOWS_DATA = ['export', 'identity_provider.take_test']

/** Verbs of actions that only show something. */
const READING_VERBS = ['read', 'list', 'list_grants', 'events', 'report', 'preview', 'doctor', 'chain']

/** Actions that only show something, and verbs by which all others of them end. */
export const READING = {
  verbs: READING_VERBS,
  actions: Object.entries(ACTIONS).flatMap(([action, [kind, activity]]) =>
    kind === 'entity' && activity === 2 && !SHOWS_DATA.includes(action) ? [action] : [],
  ),
} as const

/** The `severity_id`: informational, low or medium by the result, and high for the actions that indicate an attack. */
const SEVERITIES: Readonly<Record<string, number>> = { success: 1, refused: 2, failed: 3 }
const HIGH = 4
const ATTACKS = new Set([
  'sign_in.lockout',
  'authorization_code.reuse',
  'refresh_token.reuse',
  'passkey.cloned',
])

interface Place {
  /** The segment and the row in it. */
  readonly position: readonly [number, number]
  readonly cursor: string
}

/** The event of a sealed row. An unknown action becomes one of Entity Management with the activity Other. */
export function rowEvent(log: AuditChain, text: string, { position, cursor }: Place): OcsfEvent {
  const [id, at, action, result, actorKind, actorId, targetKind, targetId, organizationId, address, details] =
    content.parse(JSON.parse(text))
  const [kind, activity] = mappingOf(action) ?? ['entity', OTHER]
  const target = targetKind === null ? undefined : { type: targetKind, uid: targetId ?? 'unknown' }
  return {
    ...base(CLASSES[kind], activity, Math.floor(at / 1_000)),
    severity_id: ATTACKS.has(action) ? HIGH : (SEVERITIES[result] ?? 1),
    status_id: result === 'success' ? 1 : 2,
    ...(typeof details.reason === 'string' && { status_detail: details.reason }),
    message: action,
    metadata: {
      ...{ ...metadata(log), uid: id, event_code: action },
      ...(typeof details.request_id === 'string' && { correlation_uid: details.request_id }),
    },
    actor: { user: { type: actorKind, ...(actorId === null ? { name: actorKind } : { uid: actorId }) } },
    ...(address !== null && { src_endpoint: { ip: address } }),
    ...ofClass(kind, { actorKind, actorId, targetId, target, details }),
    unmapped: {
      ...{ log, segment: position[0], row: position[1], cursor, result, details },
      ...(target && { target }),
      ...(organizationId !== null && { organization_id: organizationId }),
    },
  }
}

/** The event of a signed head: a Base Event with the JWS, which proves later that the log had this segment at that time. */
export function headEvent(log: AuditChain, jws: string, cursor: string): OcsfEvent {
  const { signedAt } = z
    .object({ signedAt: z.iso.datetime() })
    .parse(JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8')))
  return {
    ...base(0, OTHER, Date.parse(signedAt)),
    severity_id: 1,
    message: 'audit_head',
    metadata: { ...metadata(log), event_code: 'audit_head' },
    unmapped: { log, cursor, jws },
  }
}

function base(classUid: number, activity: number, time: number) {
  return {
    category_uid: Math.floor(classUid / 1_000),
    class_uid: classUid,
    activity_id: activity,
    ...(activity === OTHER && { activity_name: 'Other' }),
    type_uid: classUid * 100 + activity,
    time,
  }
}

const metadata = (log: AuditChain) => ({
  version: VERSION,
  product: { name: 'Signet', vendor_name: 'Signet', feature: { name: log } },
})

interface Parties {
  readonly actorKind: string
  readonly actorId: string | null
  readonly targetId: string | null
  readonly target: { readonly type: string; readonly uid: string } | undefined
  readonly details: Readonly<Record<string, unknown>>
}

/** The members that the class requires. */
function ofClass(kind: Class, parties: Parties): OcsfEvent {
  const { target, details } = parties
  if (kind === 'entity') return { entity: target ?? { type: 'instance', uid: 'instance' } }
  const user = userOf(parties)
  if (kind === 'authentication') return { user, service: { name: 'Signet' } }
  if (kind === 'account') return { user }
  const given = [details.roles, details.scopes].find((value) => Array.isArray(value))
  return { user, privileges: given ?? [target?.type ?? 'access'] }
}

/** The user of an event: the first of the user in the details, a target that is an account, and an actor who is a person. */
function userOf({ actorKind, actorId, target, details }: Parties) {
  const named = details.user_id ?? details.subject
  if (typeof named === 'string') return { uid: named }
  if (target !== undefined && /^(user|service_user|human)$/.test(target.type)) return { uid: target.uid }
  if (actorKind === 'human' && actorId !== null) return { uid: actorId }
  return target === undefined ? { name: 'unknown' } : { uid: target.uid, type: target.type }
}
