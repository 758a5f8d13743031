import type { Account, Client } from '@signet/directory-reader/views'
import { formatScopeString } from '@signet/protocol/scopes'
import type { EpochMark } from '@signet/tokens/access-token'
import type { Grant } from '../stores/grant-store.ts'
import type { AccessTokenRequest } from './access-token.ts'
import type { IdTokenRequest } from './id-token.ts'
import type { TokenForm } from './token-form.ts'

/** A grant with everything that its tokens are made from. */
export interface GrantInUse {
  readonly grant: Grant
  readonly client: Client
  readonly account: Account
  readonly form: TokenForm
  /** Scopes of this answer: those of the grant or, at a refresh, fewer. */
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  /** Id of the first token where it is on record already. */
  readonly tokenId?: string
}

/** The access token of a user's grant. */
export function accessTokenOfGrant(use: GrantInUse): AccessTokenRequest {
  const { grant, client, account, form, scopes, audience, tokenId } = use
  const outlivesSession = client.refreshTokensSurviveLogout && grant.refreshKid !== undefined
  return {
    form,
    account,
    ...(tokenId !== undefined && { id: tokenId }),
    token: {
      subject: grant.user.id,
      clientId: client.clientId,
      audience,
      scope: formatScopeString(scopes),
      ...(grant.authTime !== undefined && { authTime: secondsOf(grant.authTime) }),
      ...(grant.amr.length > 0 && { amr: grant.amr }),
      ...(grant.acr !== undefined && { acr: grant.acr }),
      ...(grant.userinfoClaims.length > 0 && { userinfoClaims: grant.userinfoClaims }),
      // A token that outlives the browser session must not die with it.
      ...(!outlivesSession && grant.sid !== undefined && { sid: grant.sid }),
      ...(grant.exchange?.act !== undefined && { act: grant.exchange.act }),
      ...(grant.exchange !== undefined && { origins: grant.exchange.origins }),
      grantId: grant.grantId,
      user: grant.user,
      client: grant.client,
      organizations: distinct([grant.userOrganization, grant.clientOrganization]),
    },
  }
}

/** The ID token of a user's grant. */
export function idTokenOfGrant(
  { grant, client, account, form, scopes, audience }: GrantInUse,
  nonce: string | undefined,
  accessToken: string | undefined,
): IdTokenRequest {
  return {
    account,
    clientId: client.clientId,
    form,
    scopes,
    audience,
    claimNames: grant.idTokenClaims,
    ...(accessToken !== undefined && { accessToken }),
    epochs: {
      user: grant.user.epoch,
      organization: grant.userOrganization.epoch,
      generation: grant.generation,
    },
    authentication: {
      ...(grant.authTime !== undefined && { auth_time: secondsOf(grant.authTime) }),
      ...(grant.amr.length > 0 && { amr: grant.amr }),
      ...(grant.acr !== undefined && { acr: grant.acr }),
      ...(grant.sid !== undefined && { sid: grant.sid }),
      ...(grant.exchange?.act !== undefined && { act: grant.exchange.act }),
      ...(nonce !== undefined && { nonce }),
    },
  }
}

/** Each mark once: what is asked for twice costs twice. */
function distinct(marks: readonly EpochMark[]): readonly EpochMark[] {
  return [...new Map(marks.map((mark) => [`${mark.id} ${mark.epoch}`, mark])).values()]
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
