/** The actions that a user may have to take before the response, each on its own page. */
export type Interaction =
  | 'sign-in'
  | 'choose-account'
  | 'hinted-sign-in'
  | 'register'
  | 'second-factor'
  | 'link-account'
  | 'accept-roles'
  | 'consent'
