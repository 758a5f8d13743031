import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'

/*
 * A document may leave names out. An update then leaves the name of the object alone, and an import that creates the object
 * gives it one of these.
 */

interface Initial {
  readonly name?: string | undefined
}

export const organizationNameOf = ({
  orgId,
  org,
  initial,
}: {
  readonly orgId: string
  readonly org?: Initial | undefined
  readonly initial?: Initial | undefined
}): string => org?.name ?? initial?.name ?? orgId

export const projectNameOf = ({
  projectId,
  project,
  initial,
}: {
  readonly projectId: string
  readonly project: Initial
  readonly initial?: Initial | undefined
}): string => project.name ?? initial?.name ?? projectId

export const applicationNameOf = ({
  appId,
  app,
}: {
  readonly appId: string
  readonly app: { readonly name?: string | undefined; readonly clientId?: string | undefined }
}): string => app.name ?? app.clientId ?? appId

const MOST_NAME_CHARACTERS = 200

/** The user name of a person: the given one, or else the e-mail address where it may be one, or else the id. */
export function userNameOf({
  userId,
  user: { userName, email },
}: {
  readonly userId: string
  readonly user: {
    readonly userName?: string | undefined
    readonly email?: { readonly email: string } | undefined
  }
}): string {
  if (userName !== undefined) return userName
  const isName =
    email !== undefined &&
    email.email.length <= MOST_NAME_CHARACTERS &&
    userNameProblem(preparedUserName(email.email)) === undefined
  return isName ? email.email : userId
}
