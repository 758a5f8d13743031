import type { Operation } from '../operation.ts'
import { accountOperations } from './accounts.ts'
import { applicationCredentialOperations } from './application-credentials.ts'
import { applicationOperations } from './applications.ts'
import { auditOperations } from './audit.ts'
import { bootstrapFileOperations } from './bootstrap-file.ts'
import { doctorOperations } from './doctor.ts'
import { domainOperations } from './domains.ts'
import { featureOperations } from './features.ts'
import { grantedProjectOperations } from './granted-projects.ts'
import { projectGrantOperations, userGrantOperations } from './grants.ts'
import { machineKeyOperations } from './machine-keys.ts'
import { allMemberOperations } from './members.ts'
import { metadataOperations } from './metadata.ts'
import { offeredRoleOperations } from './offered-roles.ts'
import { organizationOperations } from './organizations.ts'
import { personalAccessTokenOperations } from './personal-access-tokens.ts'
import { policyOperations } from './policies.ts'
import { projectRoleOperations } from './project-roles.ts'
import { projectOperations } from './projects.ts'
import { securityPolicyOperations } from './security-policy.ts'
import { serviceUserSecretOperations } from './service-user-secret.ts'
import { sessionOperations } from './sessions.ts'
import { totpOperations } from './totp.ts'

/** Every operation of the management API, in the order of its document. */
export const OPERATIONS: readonly Operation[] = [
  ...organizationOperations,
  ...domainOperations,
  ...policyOperations,
  ...accountOperations,
  ...sessionOperations,
  ...personalAccessTokenOperations,
  ...machineKeyOperations,
  ...serviceUserSecretOperations,
  ...totpOperations,
  ...projectOperations,
  ...projectRoleOperations,
  ...metadataOperations,
  ...userGrantOperations,
  ...projectGrantOperations,
  ...grantedProjectOperations,
  ...applicationOperations,
  ...applicationCredentialOperations,
  ...allMemberOperations,
  ...offeredRoleOperations,
  ...auditOperations,
  ...featureOperations,
  ...securityPolicyOperations,
  ...bootstrapFileOperations,
  ...doctorOperations,
]
