import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { createPkcs11, createSpread } from './pkcs11.ts'
import {
  type GcmParameters,
  Pkcs11Error,
  type Pkcs11Module,
  useInitialized,
  type withPkcs11Module,
} from './pkcs11-module.ts'

// The decisions about a token, with a token of this process. A real one stands in e2e/test/softhsm.interop.ts.

const PIN = 'a-hidden-pin'
const env = { SIGNET_PKCS11_MODULE: '/opt/hsm/module.so', SIGNET_PKCS11_PIN: PIN }
const secret = randomBytes(32)

/** The token: its labels, its flags, what its functions return, and whether it has an initialization vector of its own. */
const state = { labels: ['hsm'], flags: 0, keys: ['signet-keys'], pin: PIN, logins: 0, ownIv: false }
const refusals = new Map<string, number>()
beforeEach(() => {
  Object.assign(state, {
    labels: ['hsm'],
    flags: 0,
    keys: ['signet-keys'],
    pin: PIN,
    logins: 0,
    ownIv: false,
  })
  refusals.clear()
})

const keyBytes = randomBytes(32)

function check(call: string): void {
  const code = refusals.get(call)
  if (code !== undefined) throw new Pkcs11Error(call, code)
}

const ivOf = ({ iv }: GcmParameters) => (state.ownIv ? randomBytes(12) : iv)

const token: Pkcs11Module = {
  listTokens: () => state.labels.map((label, slot) => ({ slot, label, flags: state.flags })),
  login(_, pin) {
    state.logins += 1
    check('C_Login')
    if (pin.toString() !== state.pin) throw new Pkcs11Error('C_Login', 0xa0)
    return 1
  },
  findAesKeys: (_, label) => state.keys.flatMap((known, at) => (known === label ? [at] : [])),
  encrypt(_, _key, parameters, text) {
    check('C_EncryptInit')
    const cipher = createCipheriv('aes-256-gcm', keyBytes, ivOf(parameters)).setAAD(parameters.associatedData)
    return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  },
  decrypt(_, _key, parameters, text) {
    check('C_Decrypt')
    const decipher = createDecipheriv('aes-256-gcm', keyBytes, ivOf(parameters), { authTagLength: 16 })
    decipher.setAAD(parameters.associatedData).setAuthTag(text.subarray(-16))
    try {
      return Buffer.concat([decipher.update(text.subarray(0, -16)), decipher.final()])
    } catch {
      throw new Pkcs11Error('C_Decrypt', 0x05)
    }
  },
}

const withModule: typeof withPkcs11Module = async (_, use) => {
  check('C_Initialize')
  return use(token)
}
let spread = async () => undefined
const pkcs11 = createPkcs11(env, { withModule, spread: () => spread() })
const wrap = () => pkcs11.wrap('hsm/signet-keys', secret, 'a purpose')
const refusalOf = (work: Promise<unknown>): Promise<{ readonly message: string; readonly isAway: boolean }> =>
  work.then(
    () => expect.unreachable('nothing was refused'),
    (error) => error,
  )

it('wraps a key for one purpose, differently each time, and unwraps it', async () => {
  const [first, second] = [await wrap(), await wrap()]
  expect(first).toMatch(/^[A-Za-z0-9_-]{80}$/)
  expect(second).not.toBe(first)
  expect(await pkcs11.unwrap('hsm/signet-keys', first, 'a purpose')).toEqual(secret)
  const { message } = await refusalOf(pkcs11.unwrap('hsm/signet-keys', first, 'another purpose'))
  expect(message).toContain('wrapped by another key or for another setting')
  for (const text of ['', 'AAAA', first.slice(0, 30), first.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))]) {
    const refused = await refusalOf(pkcs11.unwrap('hsm/signet-keys', text, 'a purpose'))
    expect(refused.message).toContain('did not open the key')
  }
})

it('enters a PIN once, and names the setting and the cure when it is wrong', async () => {
  state.pin = 'another'
  const { message } = await refusalOf(wrap())
  expect(message).toBe(
    'SIGNET_PKCS11_PIN: the token hsm refused the PIN; it is not tried again, because wrong ones lock the token: correct it, then log in once with another program, such as pkcs11-tool --login',
  )
  expect(state.logins).toBe(1)
})

it('enters no PIN of a start that waited while another start entered a wrong one', async () => {
  const entry = await wrap()
  state.logins = 0
  spread = async () => {
    state.flags = 0x1042d
  }
  const { message } = await refusalOf(pkcs11.unwrap('hsm/signet-keys', entry, 'a purpose'))
  spread = async () => undefined
  expect([message, state.logins]).toEqual([expect.stringContaining('SIGNET_PKCS11_PIN was not tried'), 0])
})

it('spreads starts over three seconds, and waits once in a process', async () => {
  const waited: number[] = []
  const wait = createSpread({ random: () => 0.5, pause: async (ms) => void waited.push(ms) })
  await Promise.all([wait(), wait()])
  await wait()
  expect(waited).toEqual([1_500])
})

it('reports the first error of a use, and that of C_Finalize where the use had none', () => {
  const calls: string[] = []
  const call = (name: string) => {
    calls.push(name)
    if (name === 'C_Finalize') throw new Pkcs11Error(name, 0x30)
  }
  const use = () => {
    throw new Pkcs11Error('C_Login', 0xa0)
  }
  expect(() => useInitialized(call, use)).toThrow('C_Login returned 0xa0')
  expect(calls).toEqual(['C_Initialize', 'C_Finalize'])
  expect(() => useInitialized(call, () => 1)).toThrow('C_Finalize returned 0x30')
})

it.each([
  { flag: 'a wrong PIN was entered before', flags: 0x1042d, says: 'SIGNET_PKCS11_PIN was not tried' },
  { flag: 'one try is left', flags: 0x2042d, says: 'SIGNET_PKCS11_PIN was not tried' },
  { flag: 'the PIN is locked', flags: 0x4042d, says: 'has locked its PIN' },
])('enters no PIN when the token says that $flag', async ({ flags, says }) => {
  state.flags = flags
  expect((await refusalOf(wrap())).message).toContain(says)
  expect(state.logins).toBe(0)
})

it.each([
  {
    call: 'C_Initialize',
    code: 0x30,
    says: '/opt/hsm/module.so gave no answer (C_Initialize returned 0x30)',
  },
  { call: 'C_Login', code: 0xa4, says: 'SIGNET_PKCS11_PIN: the token hsm has locked its PIN' },
  { call: 'C_Login', code: 0x102, says: 'took no PIN (C_Login returned 0x102): check that its user has one' },
  { call: 'C_EncryptInit', code: 0x70, says: 'does not encrypt by AES-GCM (C_EncryptInit returned 0x70)' },
  { call: 'C_Decrypt', code: 0x40, says: 'did not open the key' },
])('names the cure when $call returns $code', async ({ call, code, says }) => {
  refusals.set(call, code)
  const { message, isAway } = await refusalOf(wrap())
  expect(message).toContain(says)
  expect(message).not.toContain(PIN)
  expect(isAway).toBe(code === 0x30)
})

it('refuses a token or a key that is absent, and a label that two have', async () => {
  state.keys = ['signet-keys', 'signet-keys']
  expect((await refusalOf(wrap())).message).toContain('more than one AES key with the label signet-keys')
  state.keys = []
  expect((await refusalOf(wrap())).message).toContain('hsm has no AES key with the label signet-keys')
  state.labels = ['hsm', 'hsm']
  expect((await refusalOf(wrap())).message).toContain('shows more than one token with the label hsm')
  state.labels = ['other']
  expect(await refusalOf(wrap())).toMatchObject({
    message: expect.stringContaining('/opt/hsm/module.so shows no token with the label hsm'),
    isAway: true,
  })
})

it('gives out no wrapped key that does not open: the device has initialization vectors of its own', async () => {
  state.ownIv = true
  expect((await refusalOf(wrap())).message).toContain('did not open the key')
})
