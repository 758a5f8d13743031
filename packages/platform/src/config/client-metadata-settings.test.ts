import { expect, it } from 'vitest'
import { clientMetadata, isClientHost } from './client-metadata-settings.ts'
import { ConfigurationError } from './settings.ts'

const hostsOf = (...hosts: readonly string[]) =>
  clientMetadata({ SIGNET_CLIENT_ID_METADATA_PROJECT: 'agents', SIGNET_CLIENT_ID_METADATA_HOSTS: hosts })
    ?.hosts ?? {
    allowed: [],
    refused: [],
  }

it('is off without a project, and refuses hosts without one', () => {
  expect(clientMetadata({})).toBeUndefined()
  expect(() => clientMetadata({ SIGNET_CLIENT_ID_METADATA_HOSTS: ['app.example'] })).toThrow(
    ConfigurationError,
  )
})

it('admits every host that is not refused', () => {
  const hosts = hostsOf('!bad.example', '!*.bad.example')
  expect(['app.example', 'bad.example', 'a.bad.example'].map((host) => isClientHost(host, hosts))).toEqual([
    true,
    false,
    false,
  ])
})

it('admits named hosts alone', () => {
  const hosts = hostsOf('app.example', '*.apps.example', '!x.apps.example')
  const asked = ['app.example', 'a.app.example', 'a.apps.example', 'apps.example', 'x.apps.example']
  expect(asked.filter((host) => isClientHost(host, hosts))).toEqual(['app.example', 'a.apps.example'])
})
