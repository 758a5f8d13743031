import type { UiLocale } from '@signet/protocol/authorization-parameters'
import type { MessageKind } from './mail.schema.ts'

/** The texts of a message. The greeting holds no name: a person who registers with a foreign address chooses the name. */
export interface DefaultTexts {
  readonly subject: string
  readonly title: string
  readonly greeting: string
  readonly text: string
  readonly buttonText: string
  /** Stands above the code. */
  readonly codeText: string
  readonly footerText: string
}

const EN: Readonly<Record<MessageKind, DefaultTexts>> = {
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

const DE: Readonly<Record<MessageKind, DefaultTexts>> = {
  password_reset: {
    subject: 'Passwort zurücksetzen',
    title: 'Passwort zurücksetzen',
    greeting: 'Guten Tag,',
    text: 'jemand möchte das Passwort Ihres Kontos {{.PreferredLoginName}} zurücksetzen. Der Link gilt einmal und eine Stunde lang.',
    buttonText: 'Neues Passwort wählen',
    codeText: 'Oder geben Sie diesen Code innerhalb von zehn Minuten auf der Seite ein, die danach fragt:',
    footerText: 'Waren Sie das nicht, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
  },
  email_verification: {
    subject: 'E-Mail-Adresse bestätigen',
    title: 'E-Mail-Adresse bestätigen',
    greeting: 'Guten Tag,',
    text: 'diese E-Mail-Adresse wurde für ein Konto angegeben. Bestätigen Sie, dass es Ihre ist. Der Link gilt einmal und eine Stunde lang.',
    buttonText: 'Adresse bestätigen',
    codeText:
      'Oder öffnen Sie die Seite des Links auf einem anderen Gerät und geben Sie innerhalb von zehn Minuten diesen Code ein:',
    footerText: 'Haben Sie kein solches Konto, brauchen Sie nichts zu tun.',
  },
  invitation: {
    subject: 'Sie wurden eingeladen',
    title: 'Ihr neues Konto',
    greeting: 'Guten Tag,',
    text: 'für Sie wurde ein Konto angelegt: {{.PreferredLoginName}}. Wählen Sie zuerst sein Passwort. Der Link gilt einmal und sieben Tage lang.',
    buttonText: 'Passwort wählen',
    codeText: '',
    footerText: 'Haben Sie das nicht erwartet, brauchen Sie nichts zu tun.',
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    title: 'Ihr Passwort wurde geändert',
    greeting: 'Guten Tag,',
    text: 'das Passwort Ihres Kontos {{.PreferredLoginName}} wurde am {{.Time}} geändert. Alle Sitzungen, die das Konto hatte, wurden beendet.',
    buttonText: '',
    codeText: '',
    footerText: 'Waren Sie das nicht, wenden Sie sich sofort an die Verwaltung Ihrer Organisation.',
  },
  email_change: {
    subject: 'Neue E-Mail-Adresse bestätigen',
    title: 'Neue E-Mail-Adresse bestätigen',
    greeting: 'Guten Tag,',
    text: 'dies soll die E-Mail-Adresse eines Kontos werden. Öffnen Sie den Link in dem Browser, in dem Sie danach gefragt haben. Er gilt einmal und eine Stunde lang.',
    buttonText: 'Adresse bestätigen',
    codeText: 'Oder geben Sie innerhalb von zehn Minuten diesen Code auf der Seite Ihres Kontos ein:',
    footerText: 'Haben Sie das nicht gewünscht, brauchen Sie nichts zu tun.',
  },
  email_changed: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    title: 'Ihre E-Mail-Adresse wurde geändert',
    greeting: 'Guten Tag,',
    text: 'Ihr Konto {{.PreferredLoginName}} hat jetzt eine andere E-Mail-Adresse. An diese gehen keine Nachrichten mehr.',
    buttonText: '',
    codeText: '',
    footerText: 'Waren Sie das nicht, wenden Sie sich sofort an die Verwaltung Ihrer Organisation.',
  },
  new_sign_in: {
    subject: 'Neue Anmeldung an Ihrem Konto',
    title: 'Neue Anmeldung an Ihrem Konto',
    greeting: 'Guten Tag,',
    text: 'am {{.Time}} hat sich jemand mit Ihrem Passwort an Ihrem Konto {{.PreferredLoginName}} angemeldet, in einem Browser, der für das Konto neu ist.',
    buttonText: '',
    codeText: '',
    footerText:
      'Waren Sie das, brauchen Sie nichts zu tun. Wenn nicht, setzen Sie Ihr Passwort zurück und wenden Sie sich an die Verwaltung Ihrer Organisation.',
  },
  factor_added: {
    subject: 'Ein Anmeldeweg wurde hinzugefügt',
    title: 'Ein Anmeldeweg wurde hinzugefügt',
    greeting: 'Guten Tag,',
    text: 'am {{.Time}} wurden Ihrem Konto {{.PreferredLoginName}} ein Passkey, eine Authentifizierungs-App oder Wiederherstellungscodes hinzugefügt.',
    buttonText: '',
    codeText: '',
    footerText:
      'Waren das weder Sie noch eine Verwalterin oder ein Verwalter, wenden Sie sich sofort an die Verwaltung Ihrer Organisation.',
  },
  factor_removed: {
    subject: 'Ein Anmeldeweg wurde entfernt',
    title: 'Ein Anmeldeweg wurde entfernt',
    greeting: 'Guten Tag,',
    text: 'am {{.Time}} wurden ein Passkey, eine Authentifizierungs-App oder Wiederherstellungscodes von Ihrem Konto {{.PreferredLoginName}} entfernt.',
    buttonText: '',
    codeText: '',
    footerText:
      'Waren das weder Sie noch eine Verwalterin oder ein Verwalter, wenden Sie sich sofort an die Verwaltung Ihrer Organisation.',
  },
}

/** Every default text of every message; a language that lacks one does not compile. */
export const DEFAULT_TEXTS: Readonly<Record<UiLocale, Readonly<Record<MessageKind, DefaultTexts>>>> = {
  en: EN,
  de: DE,
}
