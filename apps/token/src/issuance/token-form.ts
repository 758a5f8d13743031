import type { Client, InstanceSettings } from '@signet/directory-reader/views'

/** How an application wants its tokens. */
export type TokenForm = Pick<
  Client,
  | 'projectId'
  | 'accessTokenType'
  | 'accessTokenSigningAlg'
  | 'accessTokenRoleAssertion'
  | 'idTokenSigningAlg'
  | 'idTokenUserinfoAssertion'
  | 'idTokenRoleAssertion'
> & {
  readonly accessTokenLifetimeSeconds: number
  readonly idTokenLifetimeSeconds: number
}

/** An application's own wishes, and the settings of the instance where it has none. */
export function tokenFormOf(client: Client, settings: InstanceSettings): TokenForm {
  return {
    ...client,
    accessTokenLifetimeSeconds: client.accessTokenLifetimeSeconds ?? settings.accessTokenLifetimeSeconds,
    idTokenLifetimeSeconds: client.idTokenLifetimeSeconds ?? settings.idTokenLifetimeSeconds,
  }
}
