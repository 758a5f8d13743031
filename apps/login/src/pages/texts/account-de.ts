import type { Texts } from './en.ts'

/** The texts of the account pages in German. */
export const account: Texts['account'] = {
  title: 'Ihr Konto',
  pages: 'Seiten zu Ihrem Konto',
  name: 'Name',
  loginName: 'Anmeldename',
  emailAddress: 'E-Mail',
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
  email: {
    intro: 'Eine Nachricht geht an die neue Adresse. Ihre Adresse ändert sich, sobald Sie sie bestätigen.',
    newAddress: 'Neue E-Mail-Adresse',
    submit: 'Nachricht senden',
    sent: 'Eine Nachricht geht an die neue Adresse. Öffnen Sie ihren Link in diesem Browser oder geben Sie hier ihren Code ein.',
    confirm: 'Bestätigen Sie, dass die neue E-Mail-Adresse Ihre ist.',
    problems: {
      invalid: 'Diese E-Mail-Adresse ist hier nicht möglich. Prüfen Sie die Schreibweise.',
      same: 'Ihr Konto hat diese Adresse schon.',
      no_server:
        'Dieser Dienst kann Ihnen keine Nachrichten senden. Wenden Sie sich an die Verwaltung Ihrer Organisation.',
      limited: 'Es wurden zu viele Nachrichten gesendet. Versuchen Sie es in einer Stunde wieder.',
      token: 'Der Link oder der Code ist abgelaufen, schon verwendet oder von einem anderen Konto.',
      throttled: 'Aus Ihrem Netz wurden zu viele Codes eingegeben. Versuchen Sie es in einer Stunde wieder.',
    },
  },
  data: {
    intro:
      'Die Datei enthält Ihr Profil, Ihre Sitzungen, die Anwendungen mit Zugriff, Ihre Passkeys ohne Geheimnisse und Ihre letzten hundert Aktivitäten.',
    download: 'Datei herunterladen (JSON)',
  },
  deletion: {
    advice:
      'Ihr Konto wird sofort und endgültig gelöscht, mit Profil, Passkeys und zweiten Faktoren. Sie werden überall abgemeldet, und alle Anwendungen verlieren den Zugriff. Was eine Anwendung selbst speichert, bleibt dort.',
    confirm: (loginName) => `Zur Bestätigung ${loginName} eingeben`,
    submit: 'Mein Konto löschen',
    refused: 'Das ist nicht der Anmeldename dieses Kontos.',
    forbidden:
      'Sie können dieses Konto nicht selbst löschen. Wenden Sie sich an die Verwaltung Ihrer Organisation; wer selbst verwaltet, muss zuerst die Rollen abgeben.',
    doneTitle: 'Ihr Konto ist gelöscht',
    done: 'Sie sind überall abgemeldet.',
  },
  links: {
    deletion: 'Konto löschen',
    data: 'Ihre Daten herunterladen',
    email: 'E-Mail-Adresse ändern',
    profile: 'Profil und Sprache',
    password: 'Passwort ändern',
    passkeys: 'Passkeys',
    factors: 'Zweite Faktoren',
    applications: 'Anwendungen mit Zugriff',
    sessions: 'Wo Sie angemeldet sind',
  },
}
