import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const NAMES = { profile: { givenName: 'A', familyName: 'B' } }
const organization = (id: string, more: object = {}) => ({
  id,
  name: id,
  primaryDomain: `${id}.localhost`,
  ...more,
})

beforeAll(async () => {
  fixture = await rpcFixture({ replicas: 2 })
  const document = sampleDocument()
  document.organizations.push(
    organization('open', { loginPolicy: { allowRegister: true } }),
    organization('shut', { loginPolicy: { allowRegister: false } }),
    organization('silent', { loginPolicy: { forceMfa: false } }),
    organization('strict', { passwordComplexityPolicy: { minLength: 12, hasSymbol: true } }),
    organization('lenient'),
    organization('inactive'),
    organization('global', {
      domainPolicy: { userLoginMustBeDomain: false },
      users: [{ id: 'unique', userName: 'unique', ...NAMES }],
    }),
  )
  await fixture.directory.apply(document)
  // As an import leaves it.
  await fixture.directory.rows(
    `INSERT INTO directory.organization_policy VALUES ('lenient', 'password_complexity', '{"minLength": 4}')`,
  )
  await fixture.directory.rows(
    "UPDATE directory.organization SET state = 'inactive' WHERE organization_id = 'inactive'",
  )
})
afterAll(() => fixture?.stop())

let address = 0
const FORM = {
  userName: 'newcomer',
  email: 'newcomer@mail.example',
  givenName: 'New',
  familyName: 'Comer',
  preferredLanguage: 'de',
  password: PASSWORD,
}
type Form = Partial<typeof FORM> & { organizationId?: string; clientAddress?: string }

/** Registers from an address of its own unless the test gives one. */
async function register(form: Form, replica = 0) {
  address += 1
  const clientAddress = form.clientAddress ?? `10.0.${Math.floor(address / 250)}.${address % 250}`
  const { outcome } = await (fixture.replicas[replica] ?? fixture).accounts.register(
    { ...FORM, ...form, clientAddress },
    TIMEOUT,
  )
  if (outcome.case === 'account') return { account: outcome.value }
  return { problems: outcome.value?.problems.map(({ field, code }) => `${field}:${code}`) }
}

describe('a registration', () => {
  it('makes an account that can sign in, in the default organization, its e-mail unverified', async () => {
    const { account } = await register({ userName: ' Newcomer ' })
    expect(account).toMatchObject({ organizationId: 'acme', userEpoch: 0n, secondFactorRequired: false })
    expect(account?.userId).toMatch(/^[a-z2-7]{26}$/)
    const [row] = await fixture.directory.rows(
      'SELECT * FROM directory_read.account_claims_v1 WHERE user_id = $1',
      [account?.userId],
    )
    expect(row).toMatchObject({
      kind: 'human',
      active: true,
      user_name: 'Newcomer',
      name: 'New Comer',
      given_name: 'New',
      email: 'newcomer@mail.example',
      email_verified: false,
      locale: 'de',
    })
    const signIn = await fixture.credentials.verifyPassword(
      { loginName: 'newcomer@acme.localhost', password: PASSWORD },
      TIMEOUT,
    )
    expect(signIn.account?.userId).toBe(account?.userId)
    // An unverified address proves nothing.
    const byEmail = await fixture.credentials.verifyPassword(
      { loginName: FORM.email, password: PASSWORD },
      TIMEOUT,
    )
    expect(byEmail.account).toBeUndefined()
  })

  it('creates the account in the named organization', async () => {
    expect((await register({ organizationId: 'open' })).account?.organizationId).toBe('open')
  })

  it('twice at once: one account', async () => {
    const form = { userName: 'racer', organizationId: 'open' }
    const outcomes = await Promise.all([register(form), register(form, 1)])
    expect(outcomes.filter(({ account }) => account !== undefined)).toHaveLength(1)
    expect(outcomes.find(({ problems }) => problems)?.problems).toEqual(['user_name:taken'])
  })
})

describe('the login policy', () => {
  it.each([
    ['a policy that forbids it', 'shut', [':not_allowed']],
    ['a policy that does not mention it', 'silent', [':not_allowed']],
    ['an inactive organization', 'inactive', [':not_allowed']],
    ['an organization that does not exist', 'nowhere', [':not_allowed']],
    ['no policy', 'lenient', undefined],
  ])('%s', async (_, organizationId, problems) => {
    expect((await register({ organizationId, userName: 'policy' })).problems).toEqual(problems)
  })
})

describe('the form', () => {
  it.each<[string, Form, string[]]>([
    [
      'nothing',
      { userName: ' ', email: '', givenName: '', familyName: '', preferredLanguage: '', password: '' },
      [
        'user_name:required',
        'email:required',
        'given_name:required',
        'family_name:required',
        'password:required',
      ],
    ],
    ['a user name with two spaces', { userName: 'a  b' }, ['user_name:invalid']],
    ['an invisible character in the user name', { userName: 'alice\u200b' }, ['user_name:invalid']],
    ['a user name of several scripts', { userName: 'аlice' }, ['user_name:invalid']],
    ['the address of somebody as user name', { userName: 'grete@mail.example' }, ['user_name:address']],
    [
      'the own address as user name, before it is proven',
      { userName: 'u@mail.example', email: 'u@mail.example' },
      ['user_name:address'],
    ],
    ['a direction character in a name', { familyName: 'x\u202ey' }, ['family_name:invalid']],
    ['an address in angle brackets', { email: '<me@mail.example>' }, ['email:invalid']],
    ['a domain without a first label', { email: 'x@.corp.example' }, ['email:invalid']],
    ['no e-mail address', { email: 'nobody' }, ['email:invalid']],
    ['two addresses', { email: 'a@b@c' }, ['email:invalid']],
    ['a long name', { familyName: 'x'.repeat(201) }, ['family_name:too_long']],
    ['no language', { preferredLanguage: 'x_y!' }, ['preferred_language:invalid']],
    ['seven characters [F-31]', { password: 'Abc-123' }, ['password:password_too_short']],
    ['a frequent password [F-31]', { password: 'Password1' }, ['password:password_common']],
    ['a word with a year', { password: 'Summer2026!' }, ['password:password_weak']],
    ['the name of the person', { userName: 'grete', password: 'Grete-2026' }, ['password:password_weak']],
    ['the name of the organization', { password: '!ACME2026!' }, ['password:password_weak']],
    ['a book [F-31]', { password: 'x'.repeat(257) }, ['password:password_too_long']],
    [
      "the organization's own policy",
      { organizationId: 'strict', password: 'abcdefgh' },
      ['password:password_too_short', 'password:password_policy'],
    ],
  ])('%s', async (_, form, problems) => {
    expect((await register({ userName: 'free', ...form })).problems).toEqual(problems)
  })

  it('64 characters of any kind, and no fewer than the instance wants [F-31]', async () => {
    expect(
      (
        await register({
          userName: 'long',
          password: '🔑 für kaninchen, brücken & 7 fahrräder auf dem weg nach der stadt',
        })
      ).problems,
    ).toBeUndefined()
    const short = { userName: 'short', password: 'Ab-1xyz', organizationId: 'lenient' }
    expect((await register(short)).problems).toEqual(['password:password_too_short'])
  })
})

describe('a name is taken [F-32]', () => {
  it.each([
    ['in the organization, in another case', { userName: 'ALICE' }],
    ['by somebody who signs in with it everywhere', { userName: 'unique' }],
    ['in wide forms', { userName: 'ａｌｉｃｅ' }],
  ])('%s', async (_, form) => {
    expect((await register(form)).problems).toEqual(['user_name:taken'])
  })

  it('not because another organization has it', async () => {
    expect((await register({ userName: 'alice', organizationId: 'open' })).account).toBeDefined()
  })
})

describe('ten tries from an address in an hour [F-32]', () => {
  const probe = (clientAddress: string, replica = 0) =>
    register({ userName: 'alice', clientAddress }, replica)

  it('are counted exactly, across replicas, and only for names that are taken', async () => {
    const clientAddress = '192.0.2.7'
    for (let at = 0; at < 15; at += 1) await register({ clientAddress, userName: 'free', password: 'short' })
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => probe(clientAddress, at % 2)))
    const told = (code: string) => outcomes.filter(({ problems }) => problems?.includes(code)).length
    expect([told('user_name:taken'), told(':too_many_attempts')]).toEqual([10, 10])
    expect((await register({ clientAddress, userName: 'late' })).problems).toEqual([':too_many_attempts'])
    expect((await probe('192.0.2.8')).problems).toEqual(['user_name:taken'])
    fixture.directory.clock.advance(3_600_001)
    expect((await probe(clientAddress)).problems).toEqual(['user_name:taken'])
  })

  it('say beside the other problems of a form that its name is taken, and then the others alone', async () => {
    const clientAddress = '192.0.2.32'
    const incomplete = { clientAddress, userName: 'alice', email: 'nobody', password: 'Password1' }
    const others = ['email:invalid', 'password:password_common']
    const answers: (readonly string[] | undefined)[] = []
    for (let at = 0; at < 12; at += 1) answers.push((await register(incomplete)).problems)
    expect(answers).toEqual([...Array(10).fill([...others, 'user_name:taken']), ...Array(2).fill(others)])
  })

  it('are ten in each hour while the clock runs', async () => {
    const clientAddress = '192.0.2.30'
    const answers: boolean[] = []
    for (let at = 0; at < 90; at += 1) {
      fixture.directory.clock.advance(2 * 60_000)
      answers.push((await probe(clientAddress)).problems?.includes('user_name:taken') ?? false)
    }
    const tenOfThirty = [...Array(10).fill(true), ...Array(20).fill(false)]
    expect(answers).toEqual([...tenOfThirty, ...tenOfThirty, ...tenOfThirty])
  })

  it('do not include registrations that made an account', async () => {
    const clientAddress = '192.0.2.31'
    for (let at = 0; at < 15; at += 1) {
      expect((await register({ clientAddress, userName: `colleague-${at}` })).problems).toBeUndefined()
    }
    expect((await probe(clientAddress)).problems).toEqual(['user_name:taken'])
  })

  it('count for the whole network that a household has in IPv6', async () => {
    for (let at = 1; at <= 10; at += 1) await probe(`2001:db8:1:2::${at}`)
    expect((await probe('2001:db8:1:2:ffff::1')).problems).toEqual([':too_many_attempts'])
    expect((await probe('2001:db8:1:3::1')).problems).toEqual(['user_name:taken'])
  })

  it('are shared by all callers without a known address', async () => {
    for (let at = 1; at <= 10; at += 1) await probe('unknown')
    expect((await probe('not an address')).problems).toEqual([':too_many_attempts'])
  })
})
