import type { OperationAnswer } from '../api/management-client.ts'

export type AppliedFile = OperationAnswer<'instance.apply'>
type ObjectChange = AppliedFile['changes'][number]

const SIGNS = { created: '+', updated: '~', left_deleted: '!' } as const

/** What was done, or would be: a line for each object, below it one for each field, and how many there are in all. */
export function appliedDiff({ changes, unchanged, dryRun }: AppliedFile): string {
  const lines = changes.flatMap(linesOf)
  if (!hasDifferences({ changes })) return [...lines, 'nothing to change'].join('\n')
  const count = (wanted: ObjectChange['change']) => changes.filter(({ change }) => change === wanted).length
  const counts = `${count('created')} created, ${count('updated')} updated, ${unchanged} unchanged`
  return [...lines, dryRun ? `nothing was written; it would be: ${counts}` : counts].join('\n')
}

/** Whether anything was to be written. */
export function hasDifferences({ changes }: Pick<AppliedFile, 'changes'>): boolean {
  return changes.some(({ change }) => change !== 'left_deleted')
}

function linesOf({ change, kind, id, path, fields }: ObjectChange): string[] {
  const note = change === 'left_deleted' ? ': was deleted, and stays so until the file changes it' : ''
  return [`${SIGNS[change]} ${kind.replaceAll('_', ' ')} ${id} (${path})${note}`, ...fields.map(fieldLine)]
}

function fieldLine({ name, secret, before, after }: ObjectChange['fields'][number]): string {
  if (secret) return `    ${name}: (secret)`
  const from = before === undefined || before === null ? '' : `${JSON.stringify(before)} -> `
  return `    ${name}: ${from}${JSON.stringify(after)}`
}
