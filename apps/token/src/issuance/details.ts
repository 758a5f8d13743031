import { type DetailDirectory, requireDetails } from '@signet/directory-reader/authorization-details'
import type { AudienceAsker } from '@signet/directory-reader/project-access'
import {
  detailRefusal,
  detailsFor,
  type GrantedDetail,
  narrowDetails,
} from '@signet/protocol/authorization-details'

/**
 * The details that a request at the token endpoint asks for, which go no further than those that were granted before (RFC 9396
 * section 7); undefined for a request that asks for none. Throws InvalidAuthorizationDetailsError for others.
 */
export async function narrowedDetails(
  { directory }: { readonly directory: DetailDirectory },
  client: AudienceAsker,
  {
    granted = [],
    asked,
  }: {
    readonly granted?: readonly GrantedDetail[] | undefined
    readonly asked: string | undefined
  },
): Promise<readonly GrantedDetail[] | undefined> {
  if (asked === undefined) return undefined
  const valid = await requireDetails(directory, client, asked)
  return narrowDetails(
    granted,
    valid.map(({ detail }) => detail),
  )
}

/**
 * Returns the audience without the projects that a request leaves without the details that were granted for them: a token for
 * such an API without details would allow all of it. Throws InvalidAuthorizationDetailsError where no project is left.
 */
export function audienceWithDetails(
  audience: readonly string[],
  granted: readonly GrantedDetail[] | undefined,
  details: readonly GrantedDetail[] | undefined,
): readonly string[] {
  if (granted === undefined || details === undefined) return audience
  const left = audience.filter(
    (id) => detailsFor(details, [id]).length > 0 || detailsFor(granted, [id]).length === 0,
  )
  if (left.length > 0) return left
  throw detailRefusal('details_exceed_grant', 'has no detail for the API that resource names')
}

/** Refuses details by name where no grant could have them. */
export function refuseDetails(asked: string | undefined): void {
  if (asked === undefined) return
  throw detailRefusal(
    'details_not_taken',
    'is not taken with this grant_type; use authorization_code or client_credentials',
  )
}
