import { accessOperations } from './access/access-check.routes.ts'
import type { Operation } from './api/operation.ts'
import { applicationCredentialOperations } from './applications/application-credentials.routes.ts'
import { applicationOperations } from './applications/applications.routes.ts'
import { auditOperations } from './audit/audit.routes.ts'
import { createBootstrapFileOperations } from './bootstrap/apply.routes.ts'
import { applyFile } from './bootstrap/apply-file.ts'
import { clientDocumentOperations } from './client-documents/client-documents.routes.ts'
import { registrationTokenOperations } from './client-registration/registration-tokens.routes.ts'
import {
  factorOperations,
  passkeyOperations,
  recoveryCodeOperations,
  totpOperations,
} from './credentials/factors.routes.ts'
import { issuerTrustOperations } from './credentials/issuer-trusts.routes.ts'
import { personalAccessTokenOperations } from './credentials/personal-access-tokens.routes.ts'
import {
  machineKeyOperations,
  serviceUserSecretOperations,
} from './credentials/service-user-credentials.routes.ts'
import { doctorOperations } from './doctor/doctor.routes.ts'
import { projectGrantOperations, userGrantOperations } from './grants/grants.routes.ts'
import { roleOperations } from './grants/roles.routes.ts'
import { identityLinkOperations } from './identity-providers/identity-links.routes.ts'
import { identityProviderOperations } from './identity-providers/identity-providers.routes.ts'
import { metadataImportOperations } from './identity-providers/metadata-import.routes.ts'
import { providerLogoOperations } from './identity-providers/provider-logo.routes.ts'
import { providerTestOperations } from './identity-providers/provider-tests.routes.ts'
import { impersonationOperations } from './impersonations/impersonations.routes.ts'
import { featureOperations, secretOperations, securityPolicyOperations } from './instance/instance.routes.ts'
import { invitationOperations } from './invitations/invitations.routes.ts'
import { loginTextOperations } from './login-texts/login-texts.routes.ts'
import { mailOperations } from './mail/mail.routes.ts'
import type { ManagementServices, ManagementStores } from './management-stores.ts'
import { allMemberOperations } from './members/members.routes.ts'
import { offeredRoleOperations } from './members/offered-roles.routes.ts'
import { metadataOperations } from './metadata/metadata.routes.ts'
import { brandingFileOperations } from './organizations/branding-files.routes.ts'
import { domainOperations } from './organizations/domains.routes.ts'
import { organizationOperations } from './organizations/organizations.routes.ts'
import { policyOperations } from './organizations/policies.routes.ts'
import { previewOperations } from './previews/previews.routes.ts'
import { grantedProjectOperations } from './projects/granted-projects.routes.ts'
import { projectRoleOperations } from './projects/project-roles.routes.ts'
import { projectOperations } from './projects/projects.routes.ts'
import { referenceOperations } from './references/references.routes.ts'
import { refusalOperations } from './refusals/refusals.routes.ts'
import { reviewOperations } from './reviews/reviews.routes.ts'
import { sessionOperations } from './sessions/sessions.routes.ts'
import { usageOperations } from './usage/usage.routes.ts'
import { accountOperations } from './users-api/accounts.routes.ts'

/** Every operation of the management API, in the order of its document. */
export const OPERATIONS: readonly Operation<ManagementStores, ManagementServices>[] = [
  ...referenceOperations,
  ...organizationOperations,
  ...domainOperations,
  ...policyOperations,
  ...brandingFileOperations,
  ...accountOperations,
  ...sessionOperations,
  ...personalAccessTokenOperations,
  ...previewOperations,
  ...machineKeyOperations,
  ...issuerTrustOperations,
  ...identityLinkOperations,
  ...serviceUserSecretOperations,
  ...totpOperations,
  ...passkeyOperations,
  ...recoveryCodeOperations,
  ...factorOperations,
  ...projectOperations,
  ...projectRoleOperations,
  ...metadataOperations,
  ...userGrantOperations,
  ...roleOperations,
  ...projectGrantOperations,
  ...grantedProjectOperations,
  ...applicationOperations,
  ...applicationCredentialOperations,
  ...clientDocumentOperations,
  ...registrationTokenOperations,
  ...allMemberOperations,
  ...offeredRoleOperations,
  ...identityProviderOperations,
  ...metadataImportOperations,
  ...providerLogoOperations,
  ...providerTestOperations,
  ...impersonationOperations,
  ...mailOperations,
  ...invitationOperations,
  ...loginTextOperations,
  ...auditOperations,
  ...refusalOperations,
  ...accessOperations,
  ...featureOperations,
  ...securityPolicyOperations,
  ...createBootstrapFileOperations(applyFile),
  ...usageOperations,
  ...reviewOperations,
  ...doctorOperations,
  ...secretOperations,
]
