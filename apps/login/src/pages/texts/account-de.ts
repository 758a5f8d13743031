import type { Catalogue } from './message.ts'

/** The texts of the account pages in German. */
export const account: Catalogue['account'] = {
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
    began: 'Angemeldet am {time} (UTC)',
    used: 'zuletzt verwendet am {time} (UTC)',
    thisDevice: 'Dieses Gerät',
    end: 'Sitzung vom {time} abmelden',
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
    confirm: 'Bestätigen Sie, dass die neue E-Mail-Adresse {address} Ihre ist.',
    signInFirst:
      '{address} soll die E-Mail-Adresse eines Kontos werden. Melden Sie sich in diesem Browser bei diesem Konto an und öffnen Sie dann den Link der Nachricht noch einmal.',
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
    confirm: 'Zur Bestätigung {loginName} eingeben',
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

export const applications: Catalogue['applications'] = {
  title: 'Ihre Anwendungen',
  intro:
    'Diese Anwendungen können Ihr Konto verwenden. Beenden Sie den Zugriff, muss die Anwendung neu fragen.',
  none: 'Keine Anwendung hat Zugriff.',
  end: 'Zugriff von {application} beenden',
  signInFirst:
    'In diesem Browser ist niemand angemeldet. Melden Sie sich erst bei einer Anwendung an und öffnen Sie diese Seite dann noch einmal.',
}

export const passkeys: Catalogue['passkeys'] = {
  title: 'Ihre Passkeys',
  intro:
    'Mit einem Passkey melden Sie sich mit der Bildschirmsperre Ihres Geräts statt mit einem Passwort an. Behalten Sie mehr als einen, falls Sie ein Gerät verlieren.',
  none: 'Dieses Konto hat keinen Passkey.',
  added: 'Hinzugefügt am {day}, {use}; {backup}.',
  used: 'zuletzt verwendet am {day}',
  unused: 'noch nicht verwendet',
  synced: 'zwischen Ihren Geräten synchronisiert',
  syncable: 'synchronisierbar, aber noch nicht synchronisiert',
  deviceBound: 'nur auf einem Gerät',
  cloned:
    'Gesperrt: Von diesem Passkey gibt es vielleicht eine Kopie. Löschen Sie ihn und prüfen Sie, was in Ihrem Konto geschehen ist.',
  name: 'Name',
  rename: '{name} umbenennen',
  delete: '{name} löschen',
  add: 'Passkey hinzufügen',
  addNeedsScript:
    'Um einen Passkey hinzuzufügen, brauchen Sie einen Browser mit JavaScript, der Passkeys unterstützt.',
  notAllowed: 'Diesem Konto kann kein weiterer Passkey hinzugefügt werden.',
  confirmFirst: 'Um einen Passkey hinzuzufügen oder zu löschen, bestätigen Sie, dass Sie es sind.',
  refused: 'Der Passkey konnte nicht hinzugefügt werden. Versuchen Sie es erneut.',
  nameInvalid: 'Ein Name hat 1 bis 100 Zeichen.',
}

export const confirm: Catalogue['confirm'] = {
  title: 'Bestätigen Sie, dass Sie es sind',
  account: 'Angemeldet als {loginName}',
  password: 'Passwort',
  code: 'Code Ihrer Authenticator-App',
  anyCode: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
  submit: 'Bestätigen',
  passkey: 'Passkey verwenden',
  back: 'Zurück',
  refused: 'Das wurde nicht angenommen. Prüfen Sie Passwort und Code oder nehmen Sie einen anderen Passkey.',
  passkeyNeedsScript:
    'Mit einem Passkey zu bestätigen erfordert einen Browser mit JavaScript, der Passkeys unterstützt.',
}

export const footer: Catalogue['footer'] = {
  terms: 'Nutzungsbedingungen',
  privacy: 'Datenschutzerklärung',
  help: 'Hilfe',
  docs: 'Dokumentation',
  support: 'Kontakt',
  newTab: '(öffnet einen neuen Tab)',
  registration: 'Für das neue Konto gelten:',
}

export const factors: Catalogue['factors'] = {
  title: 'Ihre zweiten Faktoren',
  intro: 'Ein zweiter Faktor schützt Ihr Konto auch dann, wenn jemand Ihr Passwort kennt.',
  confirmFirst: 'Um Ihre zweiten Faktoren zu ändern, bestätigen Sie, dass Sie es sind.',
  refused: 'Diese Änderung ist nicht möglich. Sehen Sie in die Liste und versuchen Sie es noch einmal.',
  totp: 'Authenticator-App',
  totpSet: 'Die Anmeldung mit Ihrem Passwort erfordert einen Code Ihrer Authenticator-App.',
  totpNotSet: 'Dieses Konto hat keine Authenticator-App.',
  totpAdd: 'Authenticator-App hinzufügen',
  totpDelete: 'Authenticator-App entfernen',
  totpAdvice:
    'Scannen Sie den QR-Code mit einer Authenticator-App auf Ihrem Telefon oder tippen Sie den Schlüssel dort ein. Geben Sie dann den Code ein, den die App zeigt.',
  codes: 'Wiederherstellungscodes',
  codesLeft:
    '{count, plural, one {Ein unbenutzter Wiederherstellungscode ist übrig.} other {# unbenutzte Wiederherstellungscodes sind übrig.}}',
  noCodes:
    'Sie haben keine Wiederherstellungscodes. Mit einem können Sie sich anmelden, wenn Sie Ihren zweiten Faktor verlieren.',
  codesNeedFactor:
    'Wiederherstellungscodes setzen einen zweiten Faktor voraus. Fügen Sie zuerst einen hinzu.',
  codesMake: 'Wiederherstellungscodes erstellen',
  removalAdvice: 'Damit können Sie sich nicht mehr anmelden, und die Sitzungen, die darauf beruhen, enden.',
  removalOthers: 'Überall sonst abmelden',
  removalEnded: 'Das wurde entfernt. Sie hatten sich damit angemeldet, deshalb ist diese Sitzung beendet.',
  codesRenewAdvice:
    'Ihre bisherigen Codes gelten nicht mehr, auch die gedruckten. Sitzungen, die anderswo mit einem davon begannen, enden.',
  codesRenew: 'Neue Wiederherstellungscodes erstellen',
  codesAdvice:
    'Jeder Code ersetzt Ihren zweiten Faktor einmal. Drucken Sie sie aus oder bewahren Sie sie in einem Passwortmanager auf: Sie werden nicht noch einmal gezeigt, und frühere gelten nicht mehr.',
  codesKept: 'Ich habe die Codes aufbewahrt',
  trust: 'Browser, die nicht fragen',
  trusted: 'Einige Browser fragen nicht bei jeder Anmeldung nach Ihrem zweiten Faktor.',
  notTrusted: 'Jeder Browser fragt nach Ihrem zweiten Faktor.',
  trustEnd: 'Wieder in allen Browsern fragen',
  trustUnknown: 'Ein unbekannter Browser',
  trustSince: 'vertraut seit {time} (UTC)',
  trustEndOne: 'Wieder fragen: {name}, {time}',
  back: 'Zurück zu Ihren zweiten Faktoren',
}
