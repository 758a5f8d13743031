import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { headEvent, mappingOf, READING, rowEvent } from '../src/audit/ocsf.ts'
import { OBJECT_KINDS } from '../src/bootstrap/declared-resources.ts'
import { OPERATIONS } from '../src/operations.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Modules that build audit events. */
const sources = globSync('apps/{directory,token,keys,migration}/src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(`${root}${file}`, 'utf8'))
  .filter((text) => /AuditEvent|Attempt|auditTable|reuseEvent|ownEvent/.test(text))

const literals = sources.flatMap((text) =>
  [
    ...text.matchAll(/\baction: (?:[^\n']*\? )?'([a-z_.]+)'(?: : '([a-z_.]+)')?/g),
    ...text.matchAll(/\baction = [^\n']*'[a-z_.]+' \? '([a-z_.]+)' : '([a-z_.]+)'/g),
    ...(/\bconst ACTIONS = \{([^}]*)\}/.exec(text)?.[1] ?? '').matchAll(/'([a-z_]+\.[a-z_]+)'/g),
    ...text.matchAll(/\b(?:event|ownEvent)\('([a-z_.]+)'/g),
    ...text.matchAll(/\broute\('([a-z_.]+)'/g),
    ...text.matchAll(/: '(key\.[a-z_]+)'/g),
    ...text.matchAll(/return '(key\.[a-z_]+)'/g),
    ...text.matchAll(/Event\('([a-z_]+\.reuse)'/g),
  ].flatMap((match) => match.slice(1).filter((action) => action !== undefined)),
)
const jobs = ['import', 'export'].flatMap((kind) =>
  ['start', 'apply', 'cancel', 'resume', 'rehearse', 'undo', 'end'].map((verb) => `${kind}.${verb}`),
)
const jobRequests = [
  'read',
  'cancel',
  'resume',
  'apply',
  'rehearse',
  'undo',
  'rewrap',
  'import',
  'export',
].map((verb) => `job.${verb}`)
const applied = OBJECT_KINDS.flatMap((kind) =>
  ['created', 'updated', 'left_deleted'].map((change) => `${kind}.${change}`),
)
const actions = [
  ...new Set([...OPERATIONS.map(({ id }) => id), ...literals, ...jobs, ...jobRequests, ...applied]),
].filter((action) => action !== 'read' && action !== 'create')

const REQUEST = '01a22c80-4be3-76b7-be6a-291d976388cd'
const row = (action: string, actorId: string | null = 'alice', targetKind: string | null = 'user') =>
  JSON.stringify([
    ...['11111111-1111-4111-8111-111111111111', 1_700_000_000_000_000, action, 'refused'],
    ...[
      actorId === null ? 'anonymous' : 'human',
      actorId,
      targetKind,
      targetKind && 'bob',
      'acme',
      '192.0.2.1',
    ],
    { reason: 'why', request_id: REQUEST },
  ])
const place = { position: [3, 4], cursor: 'keys-3-4' } as const

/** The attributes that OCSF 1.9.0 requires of each class, besides those of every event. */
const REQUIRED: Readonly<Record<number, readonly string[]>> = {
  3001: ['user'],
  3002: ['user', 'service'],
  3004: ['entity'],
  3005: ['user', 'privileges'],
}
const OF_EVERY_EVENT = [
  'activity_id',
  'category_uid',
  'class_uid',
  'metadata',
  'severity_id',
  'time',
  'type_uid',
]
/** The activities of each class; 99 is Other. */
const ACTIVITIES: Readonly<Record<number, readonly number[]>> = {
  3001: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99],
  3002: [1, 2, 3, 4, 5, 6, 7, 99],
  3004: [1, 2, 3, 4, 99],
  3005: [1, 2, 3, 4, 99],
}

describe('events of OCSF', () => {
  it('a list of changes leaves out each operation that only shows something, but not data that leaves', () => {
    const isReading = (id: string) =>
      READING.actions.includes(id) || READING.verbs.includes(id.split('.')[1] ?? '')
    const odd = OPERATIONS.filter(({ method, id }) => isReading(id) !== (method === 'get'))
    // A preview of branding has no entry.
    expect(odd.map(({ id }) => id)).toEqual(['label_policy.preview', 'audit.export'])
  })

  it('finds the actions of all services', () => {
    expect(actions).toEqual(
      expect.arrayContaining([
        'sign_in',
        'sign_out',
        'token.revoke',
        'refresh_token.reuse',
        'key.revoke',
        'user.create',
        'password.reset',
        'invitation.accept',
        'email.verify',
        'passkey.rename',
      ]),
    )
    expect(actions.length).toBeGreaterThan(150)
  })

  it.each(actions)('%s has a class and an activity', (action) => {
    expect(mappingOf(action)).toBeDefined()
  })

  it.each(actions)('%s has what its class requires', (action) => {
    for (const text of [row(action), row(action, null, null)]) {
      const event = rowEvent('directory', text, place)
      const { class_uid, activity_id, type_uid, metadata, category_uid } = event as Record<string, number>
      for (const name of [...OF_EVERY_EVENT, ...(REQUIRED[Number(class_uid)] ?? ['unknown class'])]) {
        expect(event[name], name).toBeDefined()
      }
      expect(ACTIVITIES[Number(class_uid)]).toContain(activity_id)
      expect(type_uid).toBe(Number(class_uid) * 100 + Number(activity_id))
      expect(category_uid).toBe(3)
      expect(metadata).toMatchObject({ version: '1.9.0', product: { name: 'Signet' } })
      expect(event.user ?? event.entity).toEqual(
        expect.toSatisfy((value: object) => 'uid' in value || 'name' in value),
      )
    }
  })

  it('carries actor, address, result, reason and cursor', () => {
    expect(rowEvent('grants', row('sign_out'), place)).toMatchObject({
      time: 1_700_000_000_000,
      status_id: 2,
      status_detail: 'why',
      metadata: { event_code: 'sign_out', correlation_uid: REQUEST },
      actor: { user: { uid: 'alice', type: 'human' } },
      src_endpoint: { ip: '192.0.2.1' },
      unmapped: { log: 'grants', segment: 3, row: 4, cursor: 'keys-3-4', organization_id: 'acme' },
    })
  })

  it('names the owner of a cloned passkey, with severity High', () => {
    const text = JSON.stringify([
      ...['11111111-1111-4111-8111-111111111111', 1_700_000_000_000_000, 'passkey.cloned', 'success'],
      ...['anonymous', null, 'passkey', '39', 'acme', '192.0.2.1', { user_id: 'bob' }],
    ])
    expect(rowEvent('directory', text, place)).toMatchObject({
      class_uid: 3001,
      activity_id: 11,
      severity_id: 4,
      user: { uid: 'bob' },
    })
  })

  it('makes an unknown action one of Entity Management', () => {
    expect(mappingOf('tea.brew')).toBeUndefined()
    expect(rowEvent('keys', row('tea.brew'), place)).toMatchObject({ class_uid: 3004, activity_id: 99 })
  })

  it('carries a signed head as a Base Event', () => {
    const claims = Buffer.from(JSON.stringify({ signedAt: '2026-01-01T00:00:00.000Z' })).toString('base64url')
    expect(headEvent('keys', `h.${claims}.s`, 'keys-1-1')).toMatchObject({
      class_uid: 0,
      type_uid: 99,
      time: Date.parse('2026-01-01T00:00:00Z'),
      unmapped: { jws: `h.${claims}.s` },
    })
  })
})

it('keeps the class of an action that only earlier versions recorded', () => {
  expect(mappingOf('totp.create')).toEqual(mappingOf('totp.enrolment'))
})
