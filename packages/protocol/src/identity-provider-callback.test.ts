import { expect, it } from 'vitest'
import { IDENTITY_PROVIDER_CALLBACK, identityProviderCallback } from './identity-provider-callback.ts'

it('each provider has a redirect URI of its own below the issuer', () => {
  expect(IDENTITY_PROVIDER_CALLBACK).toBe('/ui/identity-providers/:providerId/callback')
  expect(identityProviderCallback('https://id.example', '377')).toBe(
    'https://id.example/ui/identity-providers/377/callback',
  )
})

it('an id cannot lead to another path', () => {
  expect(identityProviderCallback('https://id.example', '../x?y#$&')).toBe(
    'https://id.example/ui/identity-providers/..%2Fx%3Fy%23%24%26/callback',
  )
})
