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
  password: {
    advice: 'You will be signed out everywhere else, and applications have to sign you in again.',
    current: 'Current password',
    missing: 'Enter your current password and the new one.',
    refused: 'The current password is not right.',
    done: 'Your password is changed. You are signed out everywhere else.',
  },
  sessions: {
    began: (time: string) => `Signed in on ${time} (UTC)`,
    used: (time: string) => `last used on ${time} (UTC)`,
    thisDevice: 'This device',
    end: (time: string) => `Sign out the session of ${time}`,
    othersAdvice:
      'Signing out everywhere else also ends the access of all applications to your account, here too.',
    endOthers: 'Sign out everywhere else',
  },
  saved: 'Saved.',
  profile: {
    fields: {
      given_name: 'First name',
      family_name: 'Last name',
      nick_name: 'Nickname',
      display_name: 'Display name',
      preferred_language: 'Language of messages',
    },
    anyLanguage: 'No preference',
    submit: 'Save',
  },
  links: {
    profile: 'Profile and language',
    password: 'Change password',
    passkeys: 'Passkeys',
    applications: 'Applications with access',
    sessions: 'Where you are signed in',
  },
}
