import type { Operation } from '../operation.ts'
import { accountOperations } from './accounts.ts'
import { applicationOperations } from './applications.ts'
import { featureOperations } from './features.ts'
import { organizationOperations } from './organizations.ts'
import { securityPolicyOperations } from './security-policy.ts'

/** Every operation of the management API, in the order of its document. */
export const OPERATIONS: readonly Operation[] = [
  ...organizationOperations,
  ...accountOperations,
  ...applicationOperations,
  ...featureOperations,
  ...securityPolicyOperations,
]
