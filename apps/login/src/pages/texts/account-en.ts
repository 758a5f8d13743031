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
    began: 'Signed in on {time} (UTC)',
    used: 'last used on {time} (UTC)',
    thisDevice: 'This device',
    end: 'Sign out the session of {time}',
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
    confirm: 'Confirm that the new e-mail address {address} is yours.',
    signInFirst:
      '{address} shall become the e-mail address of an account. Sign in to that account in this browser, then open the link of the message again.',
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
    confirm: 'Type {loginName} to confirm',
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
} as const

export const applications = {
  title: 'Your applications',
  intro: 'These applications can use your account. One whose access you end has to ask again.',
  none: 'No application has access.',
  end: 'End access of {application}',
  signInFirst:
    'Nobody is signed in to this browser. Sign in to an application first, then open this page again.',
} as const

export const passkeys = {
  title: 'Your passkeys',
  intro:
    'With a passkey you sign in with the screen lock of your device instead of a password. Keep more than one, in case you lose a device.',
  none: 'This account has no passkey.',
  added: 'Added on {day}, {use}; {backup}.',
  used: 'last used on {day}',
  unused: 'not used yet',
  synced: 'synced between your devices',
  syncable: 'can be synced, and is not yet',
  deviceBound: 'on one device only',
  cloned:
    'Locked: a copy of this passkey may exist. Delete it, and look through what happened in your account.',
  name: 'Name',
  rename: 'Rename {name}',
  delete: 'Delete {name}',
  add: 'Add a passkey',
  addNeedsScript: 'Adding a passkey needs a browser with JavaScript that supports passkeys.',
  notAllowed: 'No further passkey can be added to this account.',
  confirmFirst: 'To add or delete a passkey, confirm that it is you.',
  refused: 'The passkey could not be added. Try again.',
  nameInvalid: 'A name has 1 to 100 characters.',
} as const

export const confirm = {
  title: 'Confirm it is you',
  account: 'Signed in as {loginName}',
  password: 'Password',
  code: 'Code of your authenticator app',
  anyCode: 'Code of your authenticator app, or a recovery code',
  submit: 'Confirm',
  passkey: 'Use a passkey',
  back: 'Back',
  refused: 'That was not accepted. Check your password and your code, or use another passkey.',
  passkeyNeedsScript: 'Confirming with a passkey needs a browser with JavaScript that supports passkeys.',
} as const

export const footer = {
  terms: 'Terms of service',
  privacy: 'Privacy policy',
  help: 'Help',
  docs: 'Documentation',
  support: 'Contact',
  newTab: '(opens in a new tab)',
  registration: 'These apply to the new account:',
} as const

export const factors = {
  title: 'Your second factors',
  intro: 'A second factor protects your account also when somebody knows your password.',
  confirmFirst: 'To change your second factors, confirm that it is you.',
  refused: 'This change is not possible. Look at the list and try again.',
  totp: 'Authenticator app',
  totpSet: 'Signing in with your password needs a code of your authenticator app.',
  totpNotSet: 'This account has no authenticator app.',
  totpAdd: 'Add an authenticator app',
  totpDelete: 'Remove the authenticator app',
  totpAdvice:
    'Scan the QR code with an authenticator app on your telephone, or type the key into it. Then enter the code that the app shows.',
  codes: 'Recovery codes',
  codesLeft:
    '{count, plural, one {One unused recovery code is left.} other {# unused recovery codes are left.}}',
  noCodes: 'You have no recovery codes. With one you get in when you lose your second factor.',
  codesNeedFactor: 'Recovery codes need a second factor. Add one first.',
  codesMake: 'Make recovery codes',
  removalAdvice: 'It no longer signs you in, and the sessions that rest on it end.',
  removalOthers: 'Sign out everywhere else',
  removalEnded: 'It was removed. You had signed in with it, so this session has ended.',
  codesRenewAdvice:
    'Your earlier codes no longer work, also those that you printed. Sessions that began with one of them elsewhere end.',
  codesRenew: 'Make new recovery codes',
  codesAdvice:
    'Each code replaces your second factor once. Print them or keep them in a password manager: they are not shown again, and earlier ones no longer work.',
  codesKept: 'I have kept the codes',
  trust: 'Browsers that do not ask',
  trusted: 'Some browsers do not ask for your second factor at every sign-in.',
  notTrusted: 'Every browser asks for your second factor.',
  trustEnd: 'Ask in all browsers again',
  trustUnknown: 'An unknown browser',
  trustSince: 'trusted since {time} (UTC)',
  trustEndOne: 'Ask again: {name}, {time}',
  back: 'Back to your second factors',
} as const
