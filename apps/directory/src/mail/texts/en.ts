import type { MailTexts } from './mail-texts.ts'

/** The texts of all messages in English. */
export const en: MailTexts = {
  password_reset: {
    subject: 'Reset your password',
    title: 'Reset your password',
    greeting: 'Hello,',
    text: 'someone asked to reset the password of your account {{.PreferredLoginName}}. The link works once, for one hour.',
    buttonText: 'Choose a new password',
    codeText: 'Or type this code on the page that asked for it, within ten minutes:',
    footerText: 'If this was not you, you can ignore this message: your password stays as it is.',
  },
  email_verification: {
    subject: 'Confirm your e-mail address',
    title: 'Confirm your e-mail address',
    greeting: 'Hello,',
    text: 'an account was given this e-mail address. Confirm that it is yours. The link works once, for one hour.',
    buttonText: 'Confirm the address',
    codeText: 'Or open the page of the link on another device and type this code, within ten minutes:',
    footerText: 'If you have no such account, you can ignore this message.',
  },
  invitation: {
    subject: 'You have been invited',
    title: 'Your new account',
    greeting: 'Hello,',
    text: 'an account was made for you: {{.PreferredLoginName}}. Choose its password to begin. The link works once, for seven days.',
    buttonText: 'Choose a password',
    codeText: '',
    footerText: 'If you did not expect this, you can ignore this message.',
  },
  password_changed: {
    subject: 'Your password was changed',
    title: 'Your password was changed',
    greeting: 'Hello,',
    text: 'the password of your account {{.PreferredLoginName}} was changed on {{.Time}}. All sessions that it had have ended.',
    buttonText: '',
    codeText: '',
    footerText: 'If this was not you, tell an administrator of your organization at once.',
  },
  email_change: {
    subject: 'Confirm your new e-mail address',
    title: 'Confirm your new e-mail address',
    greeting: 'Hello,',
    text: 'this shall become the e-mail address of an account. Open the link in the browser in which you asked for it. It works once, for one hour.',
    buttonText: 'Confirm the address',
    codeText: 'Or type this code on the page of your account, within ten minutes:',
    footerText: 'If you did not ask for this, you can ignore this message.',
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    title: 'Your e-mail address was changed',
    greeting: 'Hello,',
    text: 'your account {{.PreferredLoginName}} has another e-mail address now. Messages no longer go to this one.',
    buttonText: '',
    codeText: '',
    footerText: 'If this was not you, tell an administrator of your organization at once.',
  },
  new_sign_in: {
    subject: 'New sign-in to your account',
    title: 'New sign-in to your account',
    greeting: 'Hello,',
    text: 'someone signed in to your account {{.PreferredLoginName}} with your password on {{.Time}}, in a browser that is new to the account.',
    buttonText: '',
    codeText: '',
    footerText:
      'If this was you, you need not do anything. If not, reset your password and tell an administrator of your organization.',
  },
  factor_added: {
    subject: 'A way to sign in was added',
    title: 'A way to sign in was added',
    greeting: 'Hello,',
    text: 'a passkey, an authenticator app or recovery codes were added to your account {{.PreferredLoginName}} on {{.Time}}.',
    buttonText: '',
    codeText: '',
    footerText:
      'If neither you nor an administrator did this, tell an administrator of your organization at once.',
  },
  factor_removed: {
    subject: 'A way to sign in was removed',
    title: 'A way to sign in was removed',
    greeting: 'Hello,',
    text: 'a passkey, an authenticator app or recovery codes were removed from your account {{.PreferredLoginName}} on {{.Time}}.',
    buttonText: '',
    codeText: '',
    footerText:
      'If neither you nor an administrator did this, tell an administrator of your organization at once.',
  },
}
