/** The public text of a refusal by the constraint triggers keep_instance_owner. */
export const LAST_OWNER_RULE =
  'no IAM_OWNER who can sign in would be left; give IAM_OWNER to another active user who can sign in first'

/** Whether the database refused to let the last IAM_OWNER who can sign in go. */
export function concernsLastOwner(error: unknown): boolean {
  return (error as { constraint?: unknown }).constraint === 'last_iam_owner'
}
