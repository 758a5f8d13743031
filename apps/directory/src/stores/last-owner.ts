/** What migration 0021 refuses, in words for whoever tries it. */
export const LAST_OWNER_RULE =
  'nobody would be left to administer the instance; give IAM_OWNER to another active user first'

/** Whether the database refused to let the last IAM_OWNER go. */
export function concernsLastOwner(error: unknown): boolean {
  return (error as { constraint?: unknown }).constraint === 'last_iam_owner'
}
