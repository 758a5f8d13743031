import type { BootstrapFileInput } from '../src/bootstrap.ts'
import { PASSWORD } from './directory-fixture.ts'

// Two organizations: every caller of the search belongs to `evil`, and so does the only IAM_OWNER.

interface Attacker {
  readonly userId: string
  /** The roles that it may give, and that it may therefore take and use, as `role object`. */
  readonly gives: readonly string[]
  readonly isOwner?: boolean
  /** People and service users that it may change, and those whose access it may only end. */
  readonly changes?: readonly string[]
  readonly ends?: readonly string[]
}

const OF_PROJECT = ['PROJECT_OWNER', 'PROJECT_OWNER_VIEWER']

export const ATTACKERS: readonly Attacker[] = [
  {
    userId: 'owner',
    isOwner: true,
    gives: [
      ...['ORG_OWNER', 'ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'].map((role) => `${role} evil`),
      ...['shop', 'desk', 'new'].flatMap((project) => OF_PROJECT.map((role) => `${role} ${project}`)),
    ],
    changes: ['owner', 'manager', 'viewer', 'shopkeeper', 'impersonator', 'nobody', 'robot'],
    ends: ['expatriate'],
  },
  { userId: 'manager', gives: [], changes: ['manager', 'nobody', 'robot'], ends: ['expatriate'] },
  { userId: 'viewer', gives: [] },
  { userId: 'shopkeeper', gives: OF_PROJECT.map((role) => `${role} shop`) },
  { userId: 'impersonator', gives: [] },
  { userId: 'auditor', gives: [] },
  { userId: 'nobody', gives: [] },
]

export type { Attacker }

const person = (id: string) => ({
  id,
  userName: id,
  profile: { givenName: id, familyName: id },
  email: { address: `${id}@mail.example`, verified: true },
  password: PASSWORD,
})
const application = (id: string) => ({
  id,
  clientId: `${id}-client`,
  name: id,
  type: 'web' as const,
  clientSecret: 'x'.repeat(43),
  redirectUris: ['https://app.example/callback'],
})

export const SEARCHED_DIRECTORY: BootstrapFileInput = {
  organizations: [
    {
      id: 'evil',
      name: 'Evil',
      primaryDomain: 'evil.localhost',
      users: [
        { ...person('operator'), totpSecret: 'JBSWY3DPEHPK3PXP', roles: ['IAM_OWNER'] },
        { ...person('auditor'), roles: ['IAM_OWNER_VIEWER', 'IAM_ADMIN_IMPERSONATOR'] },
        { ...person('owner'), roles: ['ORG_OWNER'] },
        { ...person('manager'), roles: ['ORG_USER_MANAGER'] },
        { ...person('viewer'), roles: ['ORG_OWNER_VIEWER'] },
        { ...person('impersonator'), roles: ['ORG_ADMIN_IMPERSONATOR', 'ORG_END_USER_IMPERSONATOR'] },
        ...['shopkeeper', 'expatriate', 'nobody', 'deleted-colleague'].map(person),
      ],
      serviceUsers: [
        {
          id: 'robot',
          userName: 'robot',
          clientSecret: 'x'.repeat(43),
          personalAccessTokens: [{ id: 'first', token: 'r'.repeat(40) }],
        },
      ],
      projects: [
        { id: 'shop', name: 'Shop', roles: [{ key: 'admin' }], applications: [application('shop-web')] },
        {
          id: 'desk',
          name: 'Desk',
          roles: [{ key: 'admin' }],
          applications: [
            { ...application('console'), mayCallApi: true },
            { ...application('first-party'), firstParty: true },
          ],
        },
      ],
    },
    {
      id: 'acme',
      name: 'ACME',
      primaryDomain: 'acme.localhost',
      users: [{ ...person('acme-owner'), roles: ['ORG_OWNER'] }, ...['carol', 'deleted-person'].map(person)],
      serviceUsers: [
        { id: 'acme-robot', userName: 'acme-robot', clientSecret: 'x'.repeat(43) },
        { id: 'deleted-robot', userName: 'deleted-robot', clientId: 'deleted-client' },
      ],
      projects: [
        {
          id: 'portal',
          name: 'Portal',
          roles: [{ key: 'admin' }],
          applications: [application('portal-web')],
          grants: [{ userId: 'carol', roles: ['admin'] }],
        },
        { id: 'offered', name: 'Offered', roles: [{ key: 'admin' }] },
        { id: 'deleted-project', name: 'Deleted', applications: [application('deleted-web')] },
      ],
    },
    { id: 'deleted-organization', name: 'Deleted', primaryDomain: 'deleted.localhost' },
  ],
  defaultOrganization: 'acme',
}

/** Rows that a bootstrap file cannot declare. */
export const SEARCHED_ROWS = [
  `INSERT INTO directory.member (user_id, level, organization_id, project_id, role, accepted)
   VALUES ('shopkeeper', 'project', NULL, 'shop', 'PROJECT_OWNER', true),
          ('expatriate', 'organization', 'acme', NULL, 'ORG_OWNER', true),
          ('robot', 'organization', 'acme', NULL, 'ORG_OWNER_VIEWER', false),
          ('acme-robot', 'organization', 'evil', NULL, 'ORG_OWNER_VIEWER', false)`,
  `INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted)
   VALUES ('portal', 'evil', true), ('offered', 'evil', false), ('shop', 'acme', true), ('desk', 'acme', false)`,
  `INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
   VALUES ('evil', 'unverified.example', false)`,
  "INSERT INTO directory.passkey_user (user_id, handle) VALUES ('operator', decode(repeat('07', 32), 'hex'))",
  `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid, name,
                                  backup_eligible, backed_up, created_at)
   VALUES ('390000000000000001', 'operator', 'localhost', decode(repeat('01', 32), 'hex'), '\\x01', 0, '{}',
           '00000000-0000-0000-0000-000000000000', 'Passkey', false, false, '2026-01-01T00:00:00Z')`,
  `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes)
   VALUES ('corporate', 'evil', 'Corporate', 'https://corporate.example', 'signet', 'none', '{openid}'),
          ('acme-provider', 'acme', 'ACME', 'https://acme.example', 'signet', 'none', '{openid}')`,
  `INSERT INTO directory.identity_link (link_id, user_id, provider_id, issuer, subject)
   VALUES ('operator-corporate', 'operator', 'corporate', 'https://corporate.example', 'operator')`,
  "INSERT INTO directory.recovery_code (user_id, code_hash) VALUES ('operator', decode(repeat('09', 32), 'hex'))",
  "UPDATE directory.user_grant SET user_grant_id = 'carol-portal'",
  "DELETE FROM directory.account WHERE user_id LIKE 'deleted-%'",
  "DELETE FROM directory.project WHERE project_id LIKE 'deleted-%'",
  "DELETE FROM directory.organization WHERE organization_id LIKE 'deleted-%'",
]
