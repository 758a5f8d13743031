import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId } from '../api/parameters.ts'
import {
  managesInstance,
  managesOrganization,
  onInstance,
  onOrganization,
  viewsOrganization,
} from '../permissions/permission.ts'
import { domain } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { addDomain, deleteDomain, listDomains, readDomain, updateDomain } from './domains.service.ts'

const COLLECTION = '/management/v1/organizations/{organizationId}/domains'
const ITEM = `${COLLECTION}/{domainName}`

/** Domains that imports stored may have more characters than a new one. */
const domainName = z
  .string()
  .toLowerCase()
  .regex(/^[^\0]{1,253}$/u, 'must have 1 to 253 characters, none of them U+0000')
  .describe('A domain of the organization.')
  .meta({ examples: ['shop.acme.example'] })

const organizationDomain = z
  .strictObject({ domainName: z.string(), isVerified: z.boolean(), isPrimary: z.boolean() })
  .meta({ id: 'Domain' })

export const domainOperations = [
  operation({
    id: 'domain.list',
    summary: 'Lists the domains of an organization',
    method: 'get',
    path: COLLECTION,
    parameters: { organizationId },
    query: paging,
    response: pageOf(organizationDomain),
    permission: onOrganization(viewsOrganization),
    handle: listDomains,
  }),
  operation({
    id: 'domain.add',
    summary: 'Adds a domain to an organization',
    description: 'Only a verified domain counts at sign-in; that it is verified is for IAM_OWNER to say.',
    method: 'post',
    path: COLLECTION,
    parameters: { organizationId },
    request: z.strictObject({ domainName: domain, isVerified: z.boolean().default(false) }),
    example: { domainName: 'support.acme.example' },
    response: organizationDomain,
    creates: true,
    permission: onOrganization(managesOrganization),
    target: { kind: 'domain', field: 'domainName' },
    handle: addDomain,
  }),
  operation({
    id: 'domain.read',
    summary: 'Shows a domain of an organization',
    method: 'get',
    path: ITEM,
    parameters: { organizationId, domainName },
    response: organizationDomain,
    permission: onOrganization(viewsOrganization),
    handle: readDomain,
  }),
  operation({
    id: 'domain.update',
    summary: 'Says whether a domain of an organization is verified',
    method: 'patch',
    path: ITEM,
    parameters: { organizationId, domainName },
    request: z.strictObject({ isVerified: z.boolean() }),
    example: { isVerified: true },
    response: organizationDomain,
    permission: onInstance(managesInstance),
    handle: updateDomain,
  }),
  operation({
    id: 'domain.delete',
    summary: 'Takes a domain from an organization',
    description: 'Not its primary domain.',
    method: 'delete',
    path: ITEM,
    parameters: { organizationId, domainName },
    permission: onOrganization(managesOrganization),
    handle: deleteDomain,
  }),
]
