// Who a login name means at an application, before and after another tenant did something.
import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLoginName, resolveLoginName } from '../src/accounts/login-name.ts'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let directory: DirectoryFixture
let credentials: CredentialStore

/** `shop` owns the application and has granted its project to `partner`; the others have nothing to do with it. */
const ORGANIZATIONS = ['shop', 'partner', 'third', 'stranger'] as const
type Organization = (typeof ORGANIZATIONS)[number]

const domainOf = (organization: Organization) => `${organization}.example`

beforeAll(async () => {
  directory = await directoryFixture()
  credentials = new CredentialStore(directory.owner)
  await directory.apply({
    organizations: [
      { id: 'default', name: 'Default', primaryDomain: 'default.example' },
      ...ORGANIZATIONS.map((id) => ({ id, name: id, primaryDomain: domainOf(id) })),
    ],
  })
  await directory.rows(
    `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('till', 'shop', 'Till');
     INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method, response_types, grant_types)
       VALUES ('till-web', 'till-web', 'till', 'Till', 'web', 'none', '{code}', '{authorization_code}');
     INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted)
       VALUES ('till', 'partner', true), ('till', 'stranger', false)`,
  )
})
afterAll(async () => {
  await directory?.stop()
})

const USER_NAMES = ['bob', 'BOB', 'straße', 'strasse', 'eve@mail.example', 'bob@shop.example'] as const
const ADDRESSES = [
  'eve@mail.example',
  'Eve@Mail.Example',
  'bob@shop.example',
  'bob@stranger.example',
] as const
/** The login names that are typed. */
const TYPED = [
  ...new Set([...USER_NAMES, ...ADDRESSES]),
  ...ORGANIZATIONS.flatMap((organization) => [
    `bob@${domainOf(organization)}`,
    `STRASSE@${domainOf(organization)}`,
  ]),
]

interface NewAccount {
  readonly organization: Organization
  readonly userName: string
  readonly email?: string | undefined
}

interface World {
  readonly accounts: readonly NewAccount[]
  /** Organizations whose user names are unique in the instance. */
  readonly global: readonly Organization[]
}

/** A generator whose numbers are the same in every run (mulberry32). */
function numbersOf(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function worldOf(seed: number): World {
  const next = numbersOf(seed)
  const some = <T>(values: readonly T[]) => values.filter(() => next(3) === 0)
  return {
    accounts: ORGANIZATIONS.flatMap((organization) =>
      some(USER_NAMES).map((userName) => ({
        organization,
        userName,
        email: ADDRESSES[next(ADDRESSES.length * 2)],
      })),
    ),
    global: some(ORGANIZATIONS),
  }
}

/** Stores what the constraints of the directory allow, as every way in does. */
async function add({ organization, userName, email }: NewAccount, id: string): Promise<void> {
  await directory.rows(
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name, email, email_key, email_verified)
     VALUES ($1, $2, 'human', $3, $4, $3, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [
      id,
      organization,
      userName,
      userNameKey(userName),
      email ?? null,
      email === undefined ? null : emailAddressKey(email),
      email !== undefined,
    ],
  )
}

async function setGlobal(organization: Organization, isGlobal: boolean): Promise<void> {
  try {
    await directory.rows(
      `INSERT INTO directory.organization_policy VALUES ($1, 'domain', jsonb_build_object('userLoginMustBeDomain', $2::boolean))
         ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
      [organization, !isGlobal],
    )
  } catch (error) {
    // The policy is refused where a name would not be unique in the instance.
    expect(error).toMatchObject({ constraint: 'account_global_user_name' })
  }
}

async function make({ accounts, global }: World): Promise<void> {
  await directory.rows(
    "DELETE FROM directory.account; DELETE FROM directory.organization_policy WHERE kind = 'domain'",
  )
  for (const organization of global) await setGlobal(organization, true)
  for (const [at, account] of accounts.entries()) await add(account, `${account.organization}-${at}`)
}

async function signsIn(typed: string, organizationId?: string): Promise<string | undefined> {
  const found = await credentials.candidates(parseLoginName(typed), { clientId: 'till-web', organizationId })
  return resolveLoginName(found)?.userId
}

async function everyone(): Promise<Readonly<Record<string, string | undefined>>> {
  const found = await Promise.all(TYPED.map(async (typed) => [typed, await signsIn(typed)] as const))
  return Object.fromEntries(found)
}

async function addEveryName(): Promise<void> {
  for (const [at, userName] of USER_NAMES.entries())
    await add({ organization: 'stranger', userName }, `new-${at}`)
}

/** The acts that need neither the proof of an address nor an IAM_OWNER; the last one verifies in its own domain. */
const ACTS: Readonly<Record<string, () => Promise<void>>> = {
  'creates or registers every user name': async () => {
    await addEveryName()
  },
  'makes its user names unique in the instance': async () => {
    await setGlobal('stranger', true)
    await addEveryName()
  },
  'makes its user names no longer unique': () => setGlobal('stranger', false),
  'has addresses in its own domain verified': async () => {
    await add({ organization: 'stranger', userName: 'own', email: 'bob@stranger.example' }, 'new-own')
  },
}

describe('nothing that a tenant does changes who signs in at the application of another', () => {
  it.each(Object.entries(ACTS))('%s', async (_, act) => {
    for (let seed = 1; seed <= 25; seed += 1) {
      await make(worldOf(seed))
      const before = await everyone()
      await act()
      const after = await everyone()
      for (const [typed, userId] of Object.entries(before)) {
        // At its own domain, and with its own accounts, a tenant does as it likes.
        if (userId === undefined || userId.startsWith('stranger-') || typed.endsWith('@stranger.example'))
          continue
        expect({ seed, typed, userId: after[typed] }).toEqual({ seed, typed, userId })
      }
    }
  })

  it('brings verified addresses of others by an import: the people of the application and its grants sign in', async () => {
    for (let seed = 1; seed <= 25; seed += 1) {
      await make(worldOf(seed))
      const before = await everyone()
      for (const [at, email] of ADDRESSES.entries())
        await add({ organization: 'stranger', userName: `import-${at}`, email }, `new-${at}`)
      const after = await everyone()
      for (const [typed, userId] of Object.entries(before)) {
        if (!userId?.startsWith('shop-') && !userId?.startsWith('partner-')) continue
        if (typed.endsWith('@stranger.example')) continue
        expect({ seed, typed, userId: after[typed] }).toEqual({ seed, typed, userId })
      }
    }
  })
})

describe('the rings', () => {
  const bob = (organization: Organization): NewAccount => ({ organization, userName: 'bob' })
  it.each<[string, World, string, string | undefined]>([
    [
      'the organization of the application',
      { accounts: [bob('shop'), bob('partner'), bob('third')], global: ['third'] },
      'bob',
      'shop-0',
    ],
    [
      'then those that accepted a grant',
      { accounts: [bob('partner'), bob('third'), bob('stranger')], global: ['third'] },
      'bob',
      'partner-0',
    ],
    [
      'then those whose names are unique in the instance',
      { accounts: [bob('third'), bob('stranger')], global: ['third'] },
      'bob',
      'third-0',
    ],
    ['no others', { accounts: [bob('third')], global: [] }, 'bob', undefined],
    [
      'the domain of the name goes first',
      { accounts: [bob('shop'), bob('third')], global: [] },
      'bob@third.example',
      'third-1',
    ],
    [
      'a verified address goes before a user name',
      {
        accounts: [
          { organization: 'shop', userName: 'eve@mail.example' },
          { organization: 'shop', userName: 'eve', email: 'eve@mail.example' },
        ],
        global: [],
      },
      'eve@mail.example',
      'shop-1',
    ],
    [
      'two people of one ring are nobody',
      {
        accounts: [
          { organization: 'shop', userName: 'one', email: 'eve@mail.example' },
          { organization: 'shop', userName: 'two', email: 'EVE@mail.example' },
          { organization: 'third', userName: 'three', email: 'eve@mail.example' },
        ],
        global: [],
      },
      'eve@mail.example',
      undefined,
    ],
  ])('%s', async (_, world, typed, userId) => {
    await make(world)
    expect(await signsIn(typed)).toBe(userId)
  })

  it('are only the organization that the request names, where it names one', async () => {
    await make({ accounts: [bob('shop'), bob('third')], global: [] })
    expect(await signsIn('bob', 'third')).toBe('third-1')
    expect(await signsIn('bob@shop.example', 'third')).toBeUndefined()
  })

  it('find an account from before case folding by the spelling that it has', async () => {
    await make({ accounts: [{ organization: 'shop', userName: 'strasse' }], global: [] })
    await add({ organization: 'shop', userName: 'other' }, 'old')
    await directory.rows(
      "UPDATE directory.account SET user_name = 'Straße', user_name_key = 'straße' WHERE user_id = 'old'",
    )
    expect(await signsIn('straße')).toBe('old')
    expect(await signsIn('STRASSE')).toBe('shop-0')
    expect(await signsIn('straße@shop.example')).toBe('old')
  })
})
