import type { Client } from '@signet/directory-reader/views'
import { InvalidClientError } from '@signet/protocol/errors'
import { expect, it } from 'vitest'
import { requestParameters } from '../authorize/parameters.ts'
import { proveClient } from '../authorize/redirect.ts'
import { ClientDocumentError } from './client-document.ts'
import { createDocumentedClientFinder, createRegisteredClientFinder } from './documented-clients.ts'

const ID = 'https://app.example/client.json'
const DOCUMENT = {
  clientId: ID,
  name: 'app.example (App)',
  redirectUris: ['https://app.example/new'],
  mayRefresh: false,
  authMethod: 'private_key_jwt' as const,
}

/** The application that a consent made of a client, in the project that the setting named then. */
const stored = {
  ...{ clientId: ID, applicationId: 'a1', projectId: 'before', organizationId: 'old', tokenEpoch: 7 },
  ...{ name: 'app.example', redirectUris: ['https://app.example/lost'], active: true, firstParty: true },
  ...{ authMethod: 'none', keys: [{ kid: 'k' }], requirePkce: false },
} as unknown as Client

const directory = {
  client: async (id: string) => (id === ID ? stored : id === 'web' ? { ...stored, clientId: id } : undefined),
  project: async () => ({ organizationId: 'agents' }) as never,
  organization: async () => ({ organizationId: 'agents', active: true, tokenEpoch: 1 }) as never,
  projectOfResource: async () => undefined,
}

const finder = (...refused: readonly string[]) =>
  createDocumentedClientFinder({
    directory,
    documents: { find: async () => DOCUMENT },
    metadata: { projectId: 'agents', hosts: { allowed: [], refused } },
    issuer: 'https://id.example',
  })

it('takes redirect URIs of the document after the setting names another project', async () => {
  expect(await finder()(ID)).toMatchObject({
    ...{ applicationId: 'a1', projectId: 'before', organizationId: 'old', tokenEpoch: 7 },
    ...{ name: DOCUMENT.name, redirectUris: DOCUMENT.redirectUris, firstParty: false },
    // The application has another method and keys of its own.
    ...{ authMethod: 'private_key_jwt', keys: [], requirePkce: true },
  })
})

it('refuses a host that is refused, although the client has an application', async () => {
  await expect(finder('app.example')(ID)).rejects.toThrow(InvalidClientError)
})

it('finds no client with a URL without the setting, and each other one', async () => {
  const find = createRegisteredClientFinder(directory)
  expect(await find(ID)).toBeUndefined()
  expect(await find('web')).toMatchObject({ clientId: 'web' })
})

it('names the client and the broken rule in a refusal, once a consent has made its application', async () => {
  const other = 'https://app.example/other.json'
  const rule = 'must have the media type application/json'
  const findClient = createDocumentedClientFinder({
    directory,
    documents: { find: async () => Promise.reject(new ClientDocumentError(rule)) },
    metadata: { projectId: 'agents', hosts: { allowed: [], refused: [] } },
    issuer: 'https://id.example',
  })
  const refusedValues = (clientId: string) =>
    proveClient(requestParameters([['client_id', clientId]]), findClient as never).catch(
      ({ values }) => values,
    )
  expect(await refusedValues(ID)).toEqual({ clientId: ID, received: ID, others: { rule } })
  expect(await refusedValues(other)).toEqual({ clientId: undefined, received: other, others: { rule } })
  await expect(finder('app.example')(ID)).rejects.toMatchObject({ values: { clientId: ID } })
})
