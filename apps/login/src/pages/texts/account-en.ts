/** The texts of the account pages in English. */
export const account = {
  title: 'Your account',
  pages: 'Pages about your account',
  name: 'Name',
  loginName: 'Login name',
  emailAddress: 'E-mail',
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
  email: {
    intro: 'A message goes to the new address. Your address changes when you confirm it.',
    newAddress: 'New e-mail address',
    submit: 'Send the message',
    sent: 'A message is on its way to the new address. Open its link in this browser, or type its code here.',
    confirm: 'Confirm that the new e-mail address is yours.',
    problems: {
      invalid: 'This is no e-mail address that can be used here. Check the spelling.',
      same: 'Your account has this address already.',
      no_server: 'This service cannot send messages to you. Ask an administrator of your organization.',
      limited: 'Too many messages were sent. Try again in an hour.',
      token: 'The link or the code has expired, was used already, or belongs to another account.',
      throttled: 'Too many codes were typed from your network. Try again in an hour.',
    },
  },
  data: {
    intro:
      'The file holds your profile, your sessions, the applications with access, your passkeys without secrets, and your latest hundred activities.',
    download: 'Download the file (JSON)',
  },
  deletion: {
    advice:
      'Your account is deleted at once and for ever, with your profile, passkeys and second factors. You are signed out everywhere, and all applications lose their access. What an application stores itself stays there.',
    confirm: (loginName: string) => `Type ${loginName} to confirm`,
    submit: 'Delete my account',
    refused: 'This is not the login name of this account.',
    forbidden:
      'You cannot delete this account yourself. Ask an administrator of your organization; an administrator has to give up their roles first.',
    doneTitle: 'Your account is deleted',
    done: 'You are signed out everywhere.',
  },
  links: {
    deletion: 'Delete account',
    data: 'Download your data',
    email: 'Change e-mail address',
    profile: 'Profile and language',
    password: 'Change password',
    passkeys: 'Passkeys',
    factors: 'Second factors',
    applications: 'Applications with access',
    sessions: 'Where you are signed in',
  },
}
