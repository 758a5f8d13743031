import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { openValue, sealValue } from './sealed-value.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const seed = Buffer.from('a seed')

it('opens under any key of the list, sealed under the first', () => {
  const sealed = sealValue([oldKey], seed, 'totp alice', randomBytes)
  expect(openValue([newKey, oldKey], sealed, 'totp alice')).toEqual(seed)
  expect(openValue([newKey], sealed, 'totp alice')).toBeUndefined()
  expect(openValue([newKey], sealValue([newKey, oldKey], seed, 'p', randomBytes), 'p')).toEqual(seed)
})

it('opens for one purpose only: a value moved to another row or altered in any byte is refused', () => {
  const sealed = sealValue([newKey], seed, 'totp alice', randomBytes)
  expect(openValue([newKey], sealed, 'totp bob')).toBeUndefined()
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
    expect(openValue([newKey], altered, 'totp alice')).toBeUndefined()
  }
  expect(openValue([newKey], sealed.subarray(0, 20), 'totp alice')).toBeUndefined()
})

it('never repeats itself', () => {
  expect(sealValue([newKey], seed, 'p', randomBytes)).not.toEqual(sealValue([newKey], seed, 'p', randomBytes))
})
