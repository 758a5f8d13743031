import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import { RECIPIENT_SETTINGS } from '@signet/protocol/application-settings'
import type { Application, ApplicationChanges } from './application.schema.ts'

/**
 * The marks that only an IAM_OWNER sets, and that restrict which URIs the owner of the application may
 * change.
 */
export interface Marks {
  readonly mayCallApi: boolean
  readonly firstParty: boolean
}

export const MARKS = ['mayCallApi', 'firstParty'] as const satisfies readonly (keyof Marks)[]

const IAM_OWNER = { role: 'IAM_OWNER' } as const

/** Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER makes an application with a mark. */
export function requireUnmarked(caller: Caller, settings: ApplicationChanges): void {
  const mark = MARKS.find((name) => settings[name] === true)
  if (mark !== undefined && !holdsRole(caller, IAM_OWNER)) throw ownerOnly(`${mark} can be set`)
}

/**
 * The changes with what they do to the marks. firstParty ends with a change of the redirect URIs unless an IAM_OWNER
 * states it. Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER sets a mark, takes mayCallApi away,
 * or changes who gets the tokens of an application that stays marked.
 */
export function withMarks(
  caller: Caller,
  before: Application,
  changes: ApplicationChanges,
): ApplicationChanges {
  const isOwner = holdsRole(caller, IAM_OWNER)
  const endsFirstParty =
    before.firstParty &&
    isDifferentSet(changes.redirectUris ?? before.redirectUris, before.redirectUris) &&
    !(isOwner && changes.firstParty === true)
  const settled = endsFirstParty ? { ...changes, firstParty: false } : changes
  if (isOwner) return settled
  const after = {
    mayCallApi: settled.mayCallApi ?? before.mayCallApi,
    firstParty: settled.firstParty ?? before.firstParty,
  }
  if (after.mayCallApi !== before.mayCallApi) throw ownerOnly('mayCallApi can be changed')
  if (after.firstParty && !before.firstParty) throw ownerOnly('firstParty can be set')
  const setting = RECIPIENT_SETTINGS.find(
    (name) => settled[name] !== undefined && !isSame(settled[name], before[name]),
  )
  if (setting !== undefined) requireUnmarkedApplication(caller, after, `its ${setting} can be changed`)
  return settled
}

/** Throws ApiError PERMISSION_DENIED for the keys and secrets of a marked application, unless the caller is an IAM_OWNER. */
export function requireUnmarkedApplication(caller: Caller, marks: Marks, what: string): void {
  if (holdsRole(caller, IAM_OWNER)) return
  if (marks.mayCallApi) throw ownerOnly(`${what} while the application has mayCallApi`)
  if (marks.firstParty)
    throw ownerOnly(`${what} while the application has firstParty; set firstParty to false first`)
}

function ownerOnly(what: string): ApiError {
  return new ApiError('PERMISSION_DENIED', `needs role IAM_OWNER: only with it ${what}`, {
    reason: 'role_missing',
    details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }],
  })
}

const isDifferentSet = (a: readonly string[], b: readonly string[]) =>
  a.some((value) => !b.includes(value)) || b.some((value) => !a.includes(value))

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
