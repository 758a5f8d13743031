// The issuers that a service user trusts: it presents their assertions in place of its own (RFC 7523 section 2.1), so that a
// workload needs no stored secret.

import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { patch, timestamp, trustId, serviceUserId as userId } from '../api/parameters.ts'
import { managesAccounts, onUser, viewsAccounts } from '../permissions/permission.ts'
import { checkIssuerTrust, issuerTrustChanges, issuerTrustMembers } from '../schema/issuer-trust.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  createIssuerTrust,
  deleteIssuerTrust,
  listIssuerTrusts,
  updateIssuerTrust,
} from './issuer-trusts.service.ts'

const COLLECTION = '/management/v1/users/{userId}/trusted-issuers'

export const trustedIssuer = z
  .strictObject({
    id: z.string(),
    issuer: z.string(),
    subject: z.string(),
    claims: z.record(z.string(), z.string()),
    keySet: z.record(z.string(), z.unknown()).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'TrustedIssuer' })

/** The request that creates a trust. */
export const newTrust = {
  request: z
    .strictObject({ id: identifier.optional().describe('Generated when left out.'), ...issuerTrustMembers })
    .superRefine(checkIssuerTrust),
  opaque: ['claims', 'keySet'],
  example: {
    id: 'cluster',
    issuer: 'https://kubernetes.example.com',
    subject: 'system:serviceaccount:shop:orders',
  },
  response: trustedIssuer,
  creates: true,
} as const

/** The request that changes a trust. */
export const changedTrust = {
  request: patch(issuerTrustChanges),
  opaque: ['claims', 'keySet'],
  example: { subject: 'system:serviceaccount:shop:orders' },
  response: trustedIssuer,
} as const

export const issuerTrustOperations = [
  operation({
    id: 'trusted_issuer.list',
    summary: 'Lists the issuers whose assertions a service user authenticates with',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    query: paging,
    response: pageOf(trustedIssuer),
    permission: onUser(viewsAccounts),
    handle: listIssuerTrusts,
  }),
  operation({
    id: 'trusted_issuer.create',
    summary: 'Lets a service user authenticate with the assertions of an issuer',
    description:
      'For the grant type jwt-bearer with the id of the service user as client_id, such as the projected token of a Kubernetes service account. Refused for a user whose roles reach further than those of the caller.',
    method: 'post',
    path: COLLECTION,
    parameters: { userId },
    ...newTrust,
    permission: onUser(managesAccounts),
    handle: createIssuerTrust,
  }),
  operation({
    id: 'trusted_issuer.update',
    summary: 'Changes the rules or the key set of an issuer that a service user trusts',
    description:
      'Acts within a second, and the rules and keys of before until then: a key set with the keys of before and after replaces one without an interval of refusals. Another issuer needs its keySet, or null.',
    method: 'patch',
    path: `${COLLECTION}/{trustId}`,
    parameters: { userId, trustId },
    ...changedTrust,
    permission: onUser(managesAccounts),
    handle: updateIssuerTrust,
  }),
  operation({
    id: 'trusted_issuer.delete',
    summary: 'Ends the trust of a service user in an issuer',
    description:
      'Assertions of the issuer are refused within a second. Tokens that were issued for such assertions stay valid; sign the user out to end them.',
    method: 'delete',
    path: `${COLLECTION}/{trustId}`,
    parameters: { userId, trustId },
    permission: onUser(managesAccounts),
    handle: deleteIssuerTrust,
  }),
]
