import { authorize } from './authorize.ts'
import { clientCredentials, clientCredentialsEs256, clientCredentialsRs256 } from './client-credentials.ts'
import type { FigureRow } from './figure-row.ts'
import { introspect } from './introspect.ts'
import { introspectFirst, introspectUsers } from './introspect-users.ts'
import { migration, migrationOfSmallOrganizations } from './migration.ts'
import { passwordSignIn } from './password-sign-in.ts'
import { processes, standalone } from './processes.ts'
import { discovery, keySet } from './public-documents.ts'
import { refresh } from './refresh.ts'
import { revoke } from './revoke.ts'
import type { LoadRow } from './row.ts'
import { signInPressure } from './sign-in-pressure.ts'
import { signOut } from './sign-out.ts'
import { idleMemory, startUp } from './start-up.ts'

/** In the order of the tables. The rows of many users come last of the loads, because they fill the directory. */
export const ALL_ROWS: readonly (LoadRow | FigureRow)[] = [
  introspect,
  clientCredentials,
  clientCredentialsRs256,
  clientCredentialsEs256,
  refresh,
  revoke,
  signOut,
  authorize,
  passwordSignIn,
  keySet,
  discovery,
  introspectUsers,
  introspectFirst,
  startUp,
  idleMemory,
  processes,
  standalone,
  migration,
  migrationOfSmallOrganizations,
  signInPressure,
]
