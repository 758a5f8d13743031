import type * as Koffi from 'koffi'

/** A function of a module returned another value than CKR_OK. */
export class Pkcs11Error extends Error {
  override readonly name = 'Pkcs11Error'
  /** The function, such as `C_Login`. */
  readonly call: string
  /** The return value, such as 0xa0 for CKR_PIN_INCORRECT (PKCS #11 2.40, section 5.1). */
  readonly code: number

  constructor(call: string, code: number) {
    super(`${call} returned 0x${code.toString(16)}`)
    this.call = call
    this.code = code
  }
}

type Handle = number | bigint

export interface Token {
  readonly slot: Handle
  readonly label: string
  /** The flags of CK_TOKEN_INFO. */
  readonly flags: number
}

/** Parameters of one AES-GCM call. */
export interface GcmParameters {
  readonly iv: Buffer
  readonly associatedData: Buffer
}

/** A module between C_Initialize and C_Finalize. Every function is synchronous and throws Pkcs11Error. */
export interface Pkcs11Module {
  listTokens(): readonly Token[]
  /** Opens a session and enters the PIN once. */
  login(token: Token, pin: Buffer): Handle
  /** Returns at most two keys. */
  findAesKeys(session: Handle, label: string): readonly Handle[]
  /** Returns the ciphertext with its tag of 16 bytes. */
  encrypt(session: Handle, key: Handle, parameters: GcmParameters, text: Buffer): Buffer
  decrypt(session: Handle, key: Handle, parameters: GcmParameters, text: Buffer): Buffer
}

/** CK_TOKEN_INFO: label, manufacturer, model and serial number, then flags, ten numbers, two versions and the time. */
const TOKEN_INFO_BYTES = 208
const TOKEN_LABEL_BYTES = 32
const TOKEN_FLAGS_AT = 96

const CKF_SERIAL_SESSION = 4
const CKU_USER = 1
const CKA_CLASS = 0
const CKA_LABEL = 3
const CKA_KEY_TYPE = 0x100
const CKO_SECRET_KEY = 4
const CKK_AES = 0x1f
const CKM_AES_GCM = 0x1087
const TAG_BITS = 128

/** More than 32 bytes with a tag: some modules ask for a whole block more than they write. */
const OUTPUT_BYTES = 256

/** Declares the functions of PKCS #11 2.40 that are in use. Rejects with its error when the library cannot be loaded or is no module. */
async function loadFunctions(path: string) {
  const { default: koffi } = await import('koffi')
  const functionList = [0n]
  const getFunctionList = koffi.load(path).func('C_GetFunctionList', 'ulong', [koffi.out('void **')])
  getFunctionList(functionList)
  const gcm = koffi.struct({
    iv: 'void *',
    ivBytes: 'ulong',
    ivBits: 'ulong',
    associatedData: 'void *',
    associatedDataBytes: 'ulong',
    tagBits: 'ulong',
  })
  const mechanism = koffi.pointer(
    koffi.struct({ type: 'ulong', parameters: koffi.pointer(gcm), bytes: 'ulong' }),
  )
  const attributes = koffi.pointer(koffi.struct({ type: 'ulong', value: 'void *', bytes: 'ulong' }))
  const crypt = ['ulong', 'void *', 'ulong', 'void *', koffi.inout('ulong *')]
  /** A function by its position in the list: modules need not export their functions by name. */
  const at = (
    position: number,
    parameters: (string | Koffi.TypeObject | ReturnType<typeof koffi.out>)[],
  ) => ({
    // The list begins with the version in two bytes, which the first pointer is aligned after.
    pointer: koffi.decode(functionList[0], 8 * (1 + position), 'void *'),
    type: koffi.proto('ulong', parameters),
  })
  const functions = {
    C_Initialize: at(0, ['void *']),
    C_Finalize: at(1, ['void *']),
    C_GetSlotList: at(4, ['uint8', 'void *', koffi.inout('ulong *')]),
    C_GetTokenInfo: at(6, ['ulong', 'void *']),
    C_OpenSession: at(12, ['ulong', 'ulong', 'void *', 'void *', koffi.out('ulong *')]),
    C_Login: at(18, ['ulong', 'ulong', 'void *', 'ulong']),
    C_FindObjectsInit: at(26, ['ulong', attributes, 'ulong']),
    C_FindObjects: at(27, ['ulong', 'void *', 'ulong', koffi.out('ulong *')]),
    C_FindObjectsFinal: at(28, ['ulong']),
    C_EncryptInit: at(29, ['ulong', mechanism, 'ulong']),
    C_Encrypt: at(30, crypt),
    C_DecryptInit: at(33, ['ulong', mechanism, 'ulong']),
    C_Decrypt: at(34, crypt),
  }
  /** Calls a function. Throws Pkcs11Error for every value but CKR_OK. */
  const call = (name: keyof typeof functions, ...values: unknown[]) => {
    const { pointer, type } = functions[name]
    const code = Number(koffi.call(pointer, type, ...values))
    if (code !== 0) throw new Pkcs11Error(name, code)
  }
  return { call, gcmBytes: koffi.sizeof(gcm) }
}

/**
 * Loads the module at this path and has it used between C_Initialize and C_Finalize, which ends its sessions too. `use`
 * is synchronous, so two uses never meet. Rejects with the error of koffi for a file that is no module, and Pkcs11Error.
 */
export async function withPkcs11Module<T>(path: string, use: (module: Pkcs11Module) => T): Promise<T> {
  const functions = await loadFunctions(path)
  return useInitialized(functions.call, () => use(createModule(functions)))
}

/** Runs `use` between C_Initialize and C_Finalize. Throws its error, or that of C_Finalize where it has none. */
export function useInitialized<T>(
  call: (name: 'C_Initialize' | 'C_Finalize', parameter: null) => void,
  use: () => T,
): T {
  call('C_Initialize', null)
  let used: T
  try {
    used = use()
  } catch (error) {
    try {
      call('C_Finalize', null)
    } catch {
      // A device that went away refuses this too. The first error says why.
    }
    throw error
  }
  call('C_Finalize', null)
  return used
}

function createModule({ call, gcmBytes }: Awaited<ReturnType<typeof loadFunctions>>): Pkcs11Module {
  const crypt =
    (name: 'C_Encrypt' | 'C_Decrypt'): Pkcs11Module['encrypt'] =>
    (session, key, { iv, associatedData }, text) => {
      const parameters = {
        iv,
        ivBytes: iv.length,
        ivBits: 8 * iv.length,
        associatedData,
        associatedDataBytes: associatedData.length,
        tagBits: TAG_BITS,
      }
      call(`${name}Init`, session, { type: CKM_AES_GCM, parameters, bytes: gcmBytes }, key)
      const output = Buffer.alloc(OUTPUT_BYTES)
      const bytes = [OUTPUT_BYTES]
      call(name, session, text, text.length, output, bytes)
      return output.subarray(0, bytes[0])
    }
  return {
    listTokens() {
      const count = [0]
      call('C_GetSlotList', 1, null, count)
      const slots = new BigUint64Array(count[0] ?? 0)
      call('C_GetSlotList', 1, slots, count)
      return [...slots.subarray(0, count[0])].map((slot) => {
        const info = Buffer.alloc(TOKEN_INFO_BYTES)
        call('C_GetTokenInfo', slot, info)
        const label = info.toString('utf8', 0, TOKEN_LABEL_BYTES).trimEnd()
        return { slot, label, flags: Number(info.readBigUInt64LE(TOKEN_FLAGS_AT)) }
      })
    },
    login({ slot }, pin) {
      const session: Handle[] = [0]
      call('C_OpenSession', slot, CKF_SERIAL_SESSION, null, null, session)
      call('C_Login', session[0], CKU_USER, pin, pin.length)
      return session[0] ?? 0
    },
    findAesKeys(session, label) {
      const template = [
        attributeOf(CKA_CLASS, numberOf(CKO_SECRET_KEY)),
        attributeOf(CKA_KEY_TYPE, numberOf(CKK_AES)),
        attributeOf(CKA_LABEL, Buffer.from(label)),
      ]
      call('C_FindObjectsInit', session, template, template.length)
      const found = new BigUint64Array(2)
      const count = [0]
      call('C_FindObjects', session, found, found.length, count)
      call('C_FindObjectsFinal', session)
      return [...found.subarray(0, count[0])]
    },
    encrypt: crypt('C_Encrypt'),
    decrypt: crypt('C_Decrypt'),
  }
}

const attributeOf = (type: number, value: Buffer) => ({ type, value, bytes: value.length })

/** A CK_ULONG of the platforms on which Node.js runs in 64 bits, without Windows. */
function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
