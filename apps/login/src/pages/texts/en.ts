/** Every text of the pages in English. Pages take their catalogue as an argument; nothing else holds words. */
export const en = {
  language: 'en',
  product: 'Signet',
  login: {
    title: 'Sign in',
    intro: (application: string) => `to continue to ${application}`,
    loginName: 'Login name or e-mail',
    password: 'Password',
    submit: 'Sign in',
    accounts: 'Choose a signed-in account',
    refused:
      'The login name or the password is not right. Check both and try again; after several failures wait a while first.',
    missing: 'Enter your login name and your password.',
    unavailable: 'Signing in is not possible right now. Try again in a moment.',
  },
  totp: {
    title: 'Confirm it is you',
    intro: (application: string) => `to continue to ${application}`,
    advice: 'Open your authenticator app and enter the code that it shows for this account.',
    code: 'Code',
    submit: 'Continue',
    other: 'Sign in with another account',
    refused:
      'The code is not right or was used already. Wait for the next one; after several failures wait a while first.',
    missing: 'Enter the code.',
    unavailable: 'Signing in is not possible right now. Try again in a moment.',
  },
  accounts: {
    title: 'Choose an account',
    intro: (application: string) => `to continue to ${application}`,
    other: 'Use another account',
  },
  consent: {
    title: 'Allow access?',
    account: (loginName: string) => `Signed in as ${loginName}`,
    asks: (application: string) => `${application} asks for:`,
    allowedBefore: '(allowed before)',
    allow: 'Allow',
    deny: 'Deny',
    scopes: {
      openid: 'Recognizing you by your account',
      profile: 'Your name and the other details of your profile',
      email: 'Your e-mail address',
      phone: 'Your phone number',
      address: 'Your postal address',
      offline_access: 'Access that lasts while you are away',
      groups: 'The groups that you belong to',
    },
    reserved: {
      organization: 'The name and domain of your organization',
      project: (projectId: string) => `Acting for you towards the project ${projectId}`,
      roles: 'Your roles',
      metadata: 'Further data kept with your account',
    },
  },
  logout: {
    title: 'Sign out',
    question: 'Do you want to sign out of all accounts in this browser?',
    application: (application: string) => `${application} asked to sign you out.`,
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
  rejected: {
    title: 'Request rejected',
    advice:
      'Return to the application and start again. If this happens again, show this page to its operator.',
    code: (code: string) => `Error code: ${code}`,
  },
  // By the label of the refusal. Anything else that is refused is told in the words of the error, in English.
  reasons: {
    client_unknown: 'client_id is not the id of an active application of this service.',
    client_id_missing: 'client_id is missing or was sent more than once.',
    redirect_uri_missing: 'redirect_uri is missing or was sent more than once.',
    redirect_uri_unregistered:
      'redirect_uri is not registered for this application. It must equal a registered one character by character.',
    parameter_repeated: 'A parameter was sent more than once.',
    parameter_zero_character: 'A parameter holds a zero character.',
    hint_invalid: 'id_token_hint is not an ID token of this service.',
    client_mismatch: 'client_id is not the application that id_token_hint was issued to.',
    post_logout_redirect_uri_unregistered: 'post_logout_redirect_uri is not registered for this application.',
    state_too_long: 'state may have at most 2000 characters.',
  },
  expired: {
    reason: 'This page has expired or was already used, or it was opened in another browser.',
    advice: 'Return to the application and sign in again from there.',
  },
  cookies: {
    reason: 'Your browser did not send the cookie of this page.',
    advice: 'Allow cookies for this site, then return to the application and start again.',
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
}
