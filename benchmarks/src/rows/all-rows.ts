import { clientCredentials, clientCredentialsEs256, clientCredentialsRs256 } from './client-credentials.ts'
import { codeFlowRow } from './code-flow.ts'
import type { FigureRow } from './figure-row.ts'
import { introspect, introspectJwt } from './introspect.ts'
import { introspectFirst, introspectUsers } from './introspect-users.ts'
import { jwtBearer } from './jwt-bearer.ts'
import { migration } from './migration.ts'
import { processes, standalone } from './processes.ts'
import { discovery, keySet } from './public-documents.ts'
import { refresh, refreshRs256, refreshSigned } from './refresh.ts'
import { revoke } from './revoke.ts'
import type { LoadRow } from './row.ts'
import { signOut } from './sign-out.ts'
import { idleMemory, startUp } from './start-up.ts'
import { userinfo } from './userinfo.ts'

/** In the order of the tables. The rows of many users come last of the loads, because they fill the directory. */
export const ALL_ROWS: readonly (LoadRow | FigureRow)[] = [
  introspect,
  introspectJwt,
  userinfo,
  clientCredentials,
  clientCredentialsRs256,
  clientCredentialsEs256,
  jwtBearer,
  refresh,
  refreshRs256,
  refreshSigned,
  revoke,
  signOut,
  codeFlowRow,
  keySet,
  discovery,
  introspectUsers,
  introspectFirst,
  startUp,
  idleMemory,
  processes,
  standalone,
  migration,
]
