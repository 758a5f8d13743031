import { login } from './access/login.ts'
import { logout } from './access/logout.ts'
import { administratorCreate } from './administrators/administrator-create.ts'
import { applyCommand } from './apply/apply-command.ts'
import { certsInit } from './certs/certs-init.ts'
import type { Commands } from './command.ts'
import { completion } from './completion/completion.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { keysList } from './keys/keys-list.ts'
import { keysPlan } from './keys/keys-plan.ts'
import { keysRevoke } from './keys/keys-revoke.ts'
import { keysRewrap } from './keys/keys-rewrap.ts'
import { keysRotate } from './keys/keys-rotate.ts'
import { exportCommand } from './migration/export-command.ts'
import { importCommand } from './migration/import-command.ts'
import { JOB_COMMANDS } from './migration/job-commands.ts'
import { OPERATION_COMMANDS } from './operations/operation-command.ts'

/** Every command by its words. */
export const COMMANDS: Commands = {
  login,
  logout,
  ...OPERATION_COMMANDS,
  // The operation of that name alone would send references instead of secrets.
  'instance apply': applyCommand,
  apply: applyCommand,
  'instance doctor': doctorCommand,
  doctor: doctorCommand,
  'administrator create': administratorCreate,
  'keys list': keysList,
  'keys plan': keysPlan,
  'keys rotate': keysRotate,
  'keys revoke': keysRevoke,
  'keys rewrap': keysRewrap,
  export: exportCommand,
  import: importCommand,
  ...JOB_COMMANDS,
  'certs init': certsInit,
  completion: completion(() => COMMANDS),
}
