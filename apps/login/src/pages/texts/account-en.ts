/** The texts of the account pages in English. */
export const account = {
  title: 'Your account',
  pages: 'Pages about your account',
  name: 'Name',
  loginName: 'Login name',
  email: 'E-mail',
  noEmail: 'none',
  verified: '(confirmed)',
  unverified: '(not confirmed)',
  others: 'Other accounts in this browser',
  back: 'Back to your account',
  links: {
    passkeys: 'Passkeys',
    applications: 'Applications with access',
  },
}
