import type { MailTexts } from './mail-texts.ts'

/** The texts of all messages in German. */
export const de: MailTexts = {
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
  account_deleted: {
    subject: 'Ihr Konto wurde gelöscht',
    title: 'Ihr Konto wurde gelöscht',
    greeting: 'Guten Tag,',
    text: 'Ihr Konto {{.PreferredLoginName}} wurde am {{.Time}} gelöscht, wie auf der Seite des Kontos verlangt. Es lässt sich nicht wiederherstellen, und an diese Adresse gehen keine weiteren Nachrichten dazu.',
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
  factor_stopped: {
    subject: 'Ein Anmeldeweg zählt nicht mehr',
    title: 'Ein Anmeldeweg zählt nicht mehr',
    greeting: 'Guten Tag,',
    text: 'ein Passkey Ihres Kontos {{.PreferredLoginName}} zählt seit {{.Time}} nicht mehr: Eine Kopie wurde verwendet, die Adresse der Anmeldeseite hat sich geändert, oder Ihre Organisation nimmt keine Passkeys mehr an. Mit dem Passwort allein lässt sich kein anderer hinzufügen.',
    buttonText: '',
    codeText: '',
    footerText:
      'Melden Sie sich mit einem anderen Faktor oder einem Wiederherstellungscode an, oder bitten Sie die Verwaltung Ihrer Organisation, Ihre Faktoren zurückzusetzen.',
  },
}
