import { randomBytes } from 'node:crypto'
import { fingerprintOf } from '@signet/platform/sealing/fingerprint'
import { describe, expect, it } from 'vitest'
import { masterKeySealer, UnknownMasterKeyError } from './sealing.ts'

const older = randomBytes(32)
const newer = randomBytes(32)
const secret = randomBytes(1_200)

describe('masterKeySealer', () => {
  it('opens its sealed texts, which do not contain the plaintext [F-28]', async () => {
    const sealed = await masterKeySealer([older]).seal(secret, 'kid-1')
    expect(await masterKeySealer([older]).open(sealed, 'kid-1')).toEqual(secret)
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes(secret.subarray(0, 16))).toBe(false)
  })

  it('seals under the newest master key and still opens texts of an older one', async () => {
    const before = await masterKeySealer([older]).seal(secret, 'kid-1')
    const list = masterKeySealer([newer, older])
    expect(await list.open(before, 'kid-1')).toEqual(secret)
    expect(await list.seal(secret, 'kid-1')).toContain(`mk1.${fingerprintOf(newer)}.`)
  })

  it('names the missing master key', async () => {
    const sealed = await masterKeySealer([older]).seal(secret, 'kid-1')
    await expect(masterKeySealer([newer]).open(sealed, 'kid-1')).rejects.toMatchObject({
      name: UnknownMasterKeyError.name,
      fingerprint: fingerprintOf(older),
    })
  })

  it('refuses a text that was moved to another key or changed', async () => {
    const sealer = masterKeySealer([older])
    const sealed = await sealer.seal(secret, 'kid-1')
    await expect(sealer.open(sealed, 'kid-2')).rejects.toThrow()
    const flipped = sealed.slice(0, -5) + (sealed.at(-5) === 'A' ? 'B' : 'A') + sealed.slice(-4)
    await expect(sealer.open(flipped, 'kid-1')).rejects.toThrow()
  })
})
