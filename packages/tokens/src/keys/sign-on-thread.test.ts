import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signOnThread } from './sign-jws.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('signOnThread', () => {
  it('gives each its own signature', async () => {
    const inputs = Array.from({ length: 40 }, (_, n) => Buffer.from(`input ${n}`))
    const signatures = await Promise.all(inputs.map((input) => signOnThread('sha256', input, privateKey)))
    for (const [n, signature] of signatures.entries()) {
      expect(verify('sha256', inputs[n] ?? Buffer.of(), publicKey, signature)).toBe(true)
    }
  })

  it('a signature that fails does not affect others', async () => {
    const input = Buffer.from('input')
    const [good, bad, last] = await Promise.allSettled([
      signOnThread('sha256', input, privateKey),
      signOnThread('no such digest', input, privateKey),
      signOnThread('sha256', input, privateKey),
    ])
    expect([good.status, bad.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
