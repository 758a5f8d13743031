import type { Texts } from './en.ts'

/** The texts of the account pages in German. */
export const account: Texts['account'] = {
  title: 'Ihr Konto',
  pages: 'Seiten zu Ihrem Konto',
  name: 'Name',
  loginName: 'Anmeldename',
  email: 'E-Mail',
  noEmail: 'keine',
  verified: '(bestätigt)',
  unverified: '(nicht bestätigt)',
  others: 'Weitere Konten in diesem Browser',
  back: 'Zurück zu Ihrem Konto',
  password: {
    advice: 'Überall sonst werden Sie abgemeldet, und Anwendungen müssen Sie neu anmelden.',
    current: 'Aktuelles Passwort',
    missing: 'Geben Sie Ihr aktuelles und das neue Passwort ein.',
    refused: 'Das aktuelle Passwort stimmt nicht.',
    done: 'Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet.',
  },
  sessions: {
    began: (time) => `Angemeldet am ${time} (UTC)`,
    used: (time) => `zuletzt verwendet am ${time} (UTC)`,
    thisDevice: 'Dieses Gerät',
    end: (time) => `Sitzung vom ${time} abmelden`,
    othersAdvice:
      'Wenn Sie sich überall sonst abmelden, endet auch der Zugriff aller Anwendungen auf Ihr Konto, auch hier.',
    endOthers: 'Überall sonst abmelden',
  },
  saved: 'Gespeichert.',
  profile: {
    fields: {
      given_name: 'Vorname',
      family_name: 'Nachname',
      nick_name: 'Spitzname',
      display_name: 'Anzeigename',
      preferred_language: 'Sprache der Nachrichten',
    },
    anyLanguage: 'Keine Vorgabe',
    submit: 'Speichern',
  },
  links: {
    profile: 'Profil und Sprache',
    password: 'Passwort ändern',
    passkeys: 'Passkeys',
    applications: 'Anwendungen mit Zugriff',
    sessions: 'Wo Sie angemeldet sind',
  },
}
