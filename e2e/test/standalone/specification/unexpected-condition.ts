import { expect, it } from 'vitest'
import { provider } from '../provider-under-test.ts'

it('server_error: an internal error is reported to the client without details [authorize.error.server_error]', async () => {
  const { browser } = await provider.signIn()
  // A token service without methods, which exists in no release.
  provider.running.suite.network.serve('token', [])
  const { parameters } = await provider.authorize({ state: 'st' }, { browser })
  const told = { error: 'server_error', state: 'st', iss: provider.issuer }
  expect(Object.fromEntries(parameters)).toMatchObject(told)
  expect(parameters.get('error_description') ?? '').not.toMatch(/IssueCode|UNIMPLEMENTED|token/)
})
