import { account, applications, confirm, factors, footer, passkeys } from './account-en.ts'

/**
 * Every text of the pages in English, as ICU messages. `message.ts` reads the parameters of the other languages' messages
 * from this one. Pages take their texts as an argument; nothing else holds words. The other
 * languages are JSON; this one is source, since a JSON import has no literal types, from which the parameters are read.
 */
export const en = {
  language: 'en',
  product: 'Signet',
  throttled: {
    account: {
      seconds:
        'Too many failed sign-ins to this account. Wait {count, plural, one {one second} other {# seconds}}, then try again.',
      minutes:
        'Too many failed sign-ins to this account. Wait {count, plural, one {one minute} other {# minutes}}, then try again.',
    },
    network: {
      seconds:
        'Too many failed sign-ins from your network. Wait {count, plural, one {one second} other {# seconds}}, then try again.',
      minutes:
        'Too many failed sign-ins from your network. Wait {count, plural, one {one minute} other {# minutes}}, then try again.',
    },
  },
  login: {
    title: 'Sign in',
    intro: 'to continue to {application}',
    loginName: 'Login name or e-mail',
    password: 'Password',
    submit: 'Sign in',
    accounts: 'Choose a signed-in account',
    register: 'Create an account',
    forgot: 'Forgot your password?',
    show: 'Show:',
    refused: 'The login name or the password is not right. Check both and try again.',
    missing: 'Enter your login name and your password.',
    forbidden:
      'Your organization does not allow signing in with a password. Ask an administrator of your organization.',
    unavailable: 'Signing in is not possible right now. Try again in a moment.',
  },
  register: {
    title: 'Create an account',
    intro: 'to continue to {application}',
    fields: {
      given_name: 'First name',
      family_name: 'Last name',
      email: 'E-mail',
      user_name: 'User name',
      password: 'Password',
    },
    passwordLength: 'At least {characters, number} characters; 15 or more are better.',
    passwordNeeds: {
      uppercase: 'With a capital letter.',
      lowercase: 'With a small letter.',
      number: 'With a digit.',
      symbol: 'With a symbol.',
    },
    passwordAdvice:
      'Several unrelated words are good. Not your name, not one word with a year, and none that you use elsewhere.',
    submit: 'Create account',
    signIn: 'Sign in with an account you have',
    check: 'Check the marked fields.',
    unavailable: 'Creating an account is not possible right now. Try again in a moment.',
    problems: {
      required: 'Fill in this field.',
      invalid: 'This cannot be used here. Check the spelling.',
      too_long: 'This is too long.',
      taken: 'This is taken already. Choose another one.',
      address: 'Choose a name without @. You can sign in with your e-mail address too, once it is confirmed.',
      password_too_short: 'The password is too short. Add characters.',
      password_too_long: 'The password is too long. Use at most 256 characters.',
      password_common: 'Many people use this password, so it is easy to guess. Choose another one.',
      password_weak:
        'The password is easy to guess. Use several unrelated words or more characters, without names, years and common words.',
      password_breached:
        'This password was published after a break-in at another service, so others know it. Choose one that you use nowhere else.',
      password_policy: 'The password does not have everything it needs. See the rules above the field.',
      too_many_attempts: 'There were too many attempts. Try again in an hour.',
      not_allowed: 'Accounts cannot be created here.',
    },
  },
  totp: {
    title: 'Confirm it is you',
    intro: 'to continue to {application}',
    advice: 'Open your authenticator app and enter the code that it shows for this account.',
    code: 'Code',
    submit: 'Continue',
    other: 'Sign in with another account',
    refused: 'The code is not right or was used already. Wait for the next one.',
    missing: 'Enter the code.',
    unavailable: 'Signing in is not possible right now. Try again in a moment.',
    recovery: 'Use a recovery code instead',
    recoveryCode: 'Recovery code',
    stoppedWithCodes: 'Your second factor no longer counts. Use a recovery code; you then add a new factor.',
    stopped:
      'Your second factor no longer counts, and you have no recovery code. Ask an administrator of your organization to reset your factors.',
    recoveryRefused: 'The recovery code is not right or was used already.',
    trust: 'Do not ask for a second factor in this browser for {duration}',
  },
  enrolment: {
    title: 'Add a second factor',
    intro: 'to continue to {application}',
    advice:
      'A second factor is required. Add this account to an authenticator app on your telephone, then enter the code that the app shows.',
    qr: 'QR code for the authenticator app; the key below says the same',
    key: 'Key for the app',
    open: 'Open an authenticator app on this device',
  },
  newPassword: {
    title: 'Choose a new password',
    intro: 'to continue to {application}',
    advice: 'Your password has to be changed. You will be signed out everywhere else.',
    password: 'New password',
    submit: 'Change password',
    same: 'This is the password that you have now. Choose another one.',
  },
  recovery: {
    forgotTitle: 'Reset your password',
    forgotIntro:
      'Enter your login name. If it belongs to an account with a verified e-mail address, a message goes there.',
    forgotSubmit: 'Send the message',
    missing: 'Enter your login name.',
    throttled: 'Too many messages were asked for from your network. Try again in an hour.',
    tooManyCodes: 'Too many codes were typed from your network. Try again in an hour.',
    passwordNotAllowed:
      'Your organization does not let people sign in with passwords, so no password can be set. Ask its administrator how to sign in.',
    unavailable: 'This is not possible right now. Try again in a moment.',
    sentTitle: 'Check your e-mail',
    sentIntro:
      'If the account exists and has a verified e-mail address, a message is on its way. Open its link, or type its code here.',
    code: 'Code',
    codeSubmit: 'Continue',
    again: 'Ask for another message',
    back: 'Back to the sign-in',
    resetIntro: 'You will be signed out everywhere. A second factor stays as it is.',
    invitationTitle: 'Welcome',
    invitationIntro: 'Choose the password of your new account.',
    invitationSubmit: 'Set the password',
    verifyTitle: 'Confirm your e-mail address',
    verifyIntro: 'Confirm that this address is yours.',
    verifyCodeIntro: 'Type the code from the message.',
    verifySubmit: 'Confirm',
    linkAccount: 'Account: {loginName}',
    linkOrganization: 'Organization: {organization}',
    linkApplication: 'Application: {application}',
    askedByRegistration: 'Asked for by the person who registered this account',
    askedByAdministrator: 'Asked for by an administrator of the organization',
    verifySignInIntro: 'Sign in to this account to confirm that the address is yours.',
    verifySignIn: 'Sign in and confirm',
    verifyNewPassword: 'Somebody else chose the password of this account',
    verifyNewPasswordIntro:
      'Choose a new password. The password, second factors, passkeys, recovery codes and sessions that the account has now end, and the address is confirmed. If you want no such account, close this page: nothing is confirmed.',
    invitationVoids: 'Second factors, passkeys and sessions that the account may have so far end.',
    refusedTitle: 'This link does not work',
    invalid: 'The link or the code has expired, was used already, or is not complete.',
    doneTitle: 'Done',
    passwordDone: 'Your password is set. You can sign in with it now.',
    emailDone: 'Your e-mail address is confirmed. You can close this window.',
  },
  accounts: {
    title: 'Choose an account',
    intro: 'to continue to {application}',
    other: 'Use another account',
  },
  consent: {
    title: 'Allow access?',
    account: 'Signed in as {loginName}',
    asks: '{application} asks for:',
    owner: 'It belongs to another organization than yours: {organization}.',
    allowedBefore: '(allowed before)',
    allow: 'Allow',
    deny: 'Deny',
    later: 'See and end the access of your applications',
    scopes: {
      openid: 'Recognizing you by your account',
      profile: 'Your name and the other details of your profile',
      email: 'Your e-mail address',
      phone: 'Your phone number',
      address: 'Your postal address',
      offline_access: 'Access that lasts while you are away',
      groups: 'Your roles in this application',
    },
    reserved: {
      organization: 'The name and domain of your organization',
      project: 'Acting for you towards {project} of the organization {organization}',
      unknownProject: 'Acting for you towards the project {projectId}',
      api: 'Managing this service in your name, with all rights that you have in it',
      roles: 'Your roles',
      metadata: 'Further data kept with your account',
    },
  },
  offeredRoles: {
    title: 'Accept new roles?',
    asks: '{organization} gives you these roles in its organization:',
    asksForProject: '{organization} gives you these roles in its project {project}:',
    meaning:
      'While you have them, your own organization can end your access, but not change your password, second factor or e-mail address on its own.',
    accept: 'Accept',
    refuse: 'Refuse',
    names: {
      ORG_OWNER: 'Owner of the organization',
      ORG_OWNER_VIEWER: 'Viewer of the organization',
      ORG_USER_MANAGER: 'Manager of its users',
      ORG_ADMIN_IMPERSONATOR: 'Acting for its administrators and users',
      ORG_END_USER_IMPERSONATOR: 'Acting for its users',
      PROJECT_OWNER: 'Owner of the project',
      PROJECT_OWNER_VIEWER: 'Viewer of the project',
    },
  },
  applications,
  passkey: {
    signIn: 'Sign in with a passkey',
    use: 'Use a passkey',
    add: 'Add a passkey instead',
    refused: 'The passkey was not accepted. Try again, or sign in with your password.',
    expired: 'This took too long. Try again.',
    forbidden:
      'Your organization does not allow signing in with a passkey alone. Sign in with your password.',
    failed: 'No passkey was used. Try again, or choose another way.',
    notMade: 'No passkey was made. Try again when you are ready.',
    known: 'This device or password manager already has a passkey for this account.',
    advice: 'Or confirm with one of your passkeys.',
    only: 'Confirm with one of your passkeys. If this browser cannot use it, sign in with another one.',
  },
  passkeys,
  confirm,
  factors,
  footer,
  offer: {
    title: 'Sign in faster next time?',
    advice:
      'With a passkey you sign in with the screen lock of this device: no password to type, and none that anyone could steal.',
    add: 'Add a passkey',
    skip: 'Not now',
    later: 'You can add one at any time under “Your passkeys”.',
  },
  account,
  logout: {
    title: 'Sign out',
    question: 'Do you want to sign out of all accounts in this browser?',
    application: '{application} asked to sign you out.',
    confirm: 'Sign out',
  },
  signedOut: {
    title: 'You are signed out',
    advice: 'You can close this window.',
  },
  formPost: {
    title: 'One moment',
    advice: 'You are being returned to the application. If nothing happens, use the button.',
    submit: 'Continue',
  },
  first: {
    title: 'Sign-in service',
    intro:
      'Applications send you here when you sign in to them. This service is the OpenID provider {issuer}.',
    applications: 'Applications that can use your account',
    factors: 'Your second factors',
    passkeys: 'Your passkeys',
    discovery: 'OpenID configuration, for developers',
    reference: 'Reference of the management API, for administrators',
  },
  rejected: {
    title: 'Request rejected',
    advice:
      'Return to the application and start again. If this happens again, show this page to its operator.',
    code: 'Error code: {code}',
    requestId: 'Request: {id}',
    received: 'Received',
    registered: 'Registered',
  },
  // By the label of the refusal. Other refusals show the English message of the error.
  reasons: {
    rate_limited: 'There are too many requests from your network. Wait a moment, then try again.',
    client_unknown: 'client_id is not the id of an active application of this service.',
    client_id_missing: 'client_id is missing or was sent more than once.',
    redirect_uri_missing: 'redirect_uri is missing or was sent more than once.',
    redirect_uri_unregistered:
      'redirect_uri is not among the redirectUris of this application. It must equal one of them character by character.',
    parameter_repeated: 'A parameter was sent more than once.',
    parameter_zero_character: 'A parameter holds a zero character.',
    storage_limited: 'Too many sign-ins were begun from this network address. Try again later.',
  },
  expired: {
    title: 'This page is no longer needed',
    continue: 'Continue to {application}',
    reason: 'This page has expired or was already used, or it was opened in another browser.',
    advice: 'Return to the application and sign in again from there.',
  },
  cookies: {
    reason: 'Your browser did not send the cookie of this page.',
    advice: 'Allow cookies for this site, then return to the application and start again.',
  },
  staleForm: {
    reason: 'This page is out of date: this browser got another cookie since it was opened.',
    advice: 'Open the page again and repeat what you did. Nothing was changed.',
  },
  foreign: {
    reason: 'Another website sent this request.',
    advice: 'Open the page yourself and enter the values there.',
  },
  signOut: {
    reason:
      'The application sent a sign-out request that cannot be granted, so you are still signed in and cannot be sent back to it.',
    advice: 'You can sign out here.',
  },
  notFound: {
    title: 'Page not found',
    advice: 'Return to the application that you want to use and sign in from there.',
  },
  unavailable: {
    title: 'Not available right now',
    advice: 'The service cannot be reached at the moment. Reload this page in a few seconds.',
  },
  failure: {
    title: 'Something went wrong',
    advice: 'The fault is ours and has been recorded. Return to the application and try again.',
  },
} as const
