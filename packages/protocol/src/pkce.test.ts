import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeVerifierMatches, isCodeChallenge, isCodeVerifier } from './pkce.ts'

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const unreserved = fc.string({
  unit: fc.constantFrom(...'ABCXYZabcxyz0189-._~'),
  minLength: 43,
  maxLength: 128,
})

describe('PKCE', () => {
  it('RFC 7636 appendix B: the example verifier matches its challenge', () => {
    expect(codeVerifierMatches(verifier, challenge)).toBe(true)
  })

  it('RFC 7636 section 4.6: no other verifier matches', () => {
    fc.assert(
      fc.property(unreserved, (other) => codeVerifierMatches(other, challenge) === (other === verifier)),
    )
  })

  it('RFC 7636 section 4.1: a verifier has 43 to 128 unreserved characters', () => {
    fc.assert(fc.property(unreserved, (value) => isCodeVerifier(value)))
    for (const bad of ['', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}+`, `${'a'.repeat(43)}\n`]) {
      expect(isCodeVerifier(bad)).toBe(false)
    }
  })

  it('RFC 7636 section 4.2: a challenge is the base64url of 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) =>
        isCodeChallenge(Buffer.from(bytes).toString('base64url')),
      ),
    )
    for (const bad of [`${challenge}=`, challenge.slice(1), `${challenge.slice(0, -1)}N`, `${challenge}\n`]) {
      expect(isCodeChallenge(bad)).toBe(false)
    }
  })

  it('a challenge of another length neither matches nor throws', () => {
    expect(codeVerifierMatches(verifier, '')).toBe(false)
    expect(codeVerifierMatches(verifier, `${challenge}AAAA`)).toBe(false)
  })
})
