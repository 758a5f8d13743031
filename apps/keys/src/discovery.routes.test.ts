import { claimsOfScopes } from '@signet/directory-reader/claims'
import type { Account } from '@signet/directory-reader/views'
import { SCOPES } from '@signet/protocol/scopes'
import { describe, expect, it } from 'vitest'
import { discoveryDocument } from './discovery.routes.ts'
import { NOTHING_SHOWN } from './rotation/instance-features.ts'

const SHOWN = { signingAlgorithms: ['RS256'], ...NOTHING_SHOWN } as const

describe('discoveryDocument', () => {
  it('OIDC Discovery section 3: claims_supported names every claim that a scope reveals', () => {
    const everything = { get: (_: object, name: string) => (name === 'updatedAt' ? new Date() : 'known') }
    const account = new Proxy({}, everything) as Account
    const { claims_supported } = discoveryDocument('https://id.example.com', SHOWN)
    expect(claims_supported).toEqual(expect.arrayContaining(Object.keys(claimsOfScopes(account, SCOPES))))
    expect(new Set(claims_supported).size).toBe(claims_supported.length)
  })

  it('OIDC Discovery section 3: every endpoint is below the issuer, https where the issuer is', () => {
    const urls = Object.entries(discoveryDocument('https://id.example.com', SHOWN)).filter(([name]) =>
      /_endpoint$|^jwks_uri$/.test(name),
    )
    expect(urls).toHaveLength(8)
    for (const [, url] of urls) expect(url).toMatch(/^https:\/\/id\.example\.com\/\w/)
  })
})
