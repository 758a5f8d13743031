/** What an account is called on our pages. */
export interface AccountNames {
  readonly name: string
  /** `userName@primaryDomain` */
  readonly loginName: string
  readonly userName: string
  /** Only a verified one, which can be used to sign in. */
  readonly email: string | undefined
}

/** Undefined for an account that is gone. */
export type FindAccountNames = (userId: string) => Promise<AccountNames | undefined>

/** Whether a person who types this at the sign-in page may mean the account. */
export function isCalled({ loginName, userName, email }: AccountNames, typed: string): boolean {
  const wanted = typed.normalize('NFC').trim().toLowerCase()
  return [loginName, userName, email].some((name) => name?.normalize('NFC').toLowerCase() === wanted)
}
