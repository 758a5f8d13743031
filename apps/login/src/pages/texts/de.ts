import { account, applications, confirm, factors, footer, passkeys } from './account-de.ts'
import type { Catalogue } from './message.ts'

/** Every text of the pages in German. */
export const de: Catalogue = {
  language: 'de',
  product: 'Signet',
  throttled: {
    account: {
      seconds:
        'Zu viele fehlgeschlagene Anmeldungen bei diesem Konto. Warten Sie {count, plural, one {eine Sekunde} other {# Sekunden}} und versuchen Sie es dann erneut.',
      minutes:
        'Zu viele fehlgeschlagene Anmeldungen bei diesem Konto. Warten Sie {count, plural, one {eine Minute} other {# Minuten}} und versuchen Sie es dann erneut.',
    },
    network: {
      seconds:
        'Zu viele fehlgeschlagene Anmeldungen aus Ihrem Netzwerk. Warten Sie {count, plural, one {eine Sekunde} other {# Sekunden}} und versuchen Sie es dann erneut.',
      minutes:
        'Zu viele fehlgeschlagene Anmeldungen aus Ihrem Netzwerk. Warten Sie {count, plural, one {eine Minute} other {# Minuten}} und versuchen Sie es dann erneut.',
    },
  },
  login: {
    title: 'Anmelden',
    intro: 'weiter zu {application}',
    loginName: 'Anmeldename oder E-Mail',
    password: 'Passwort',
    submit: 'Anmelden',
    accounts: 'Ein angemeldetes Konto wählen',
    register: 'Konto erstellen',
    forgot: 'Passwort vergessen?',
    show: 'Anzeigen:',
    refused:
      'Anmeldename oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es erneut; nach mehreren Fehlversuchen warten Sie vorher etwas.',
    missing: 'Geben Sie Anmeldename und Passwort ein.',
    forbidden:
      'Ihre Organisation erlaubt keine Anmeldung mit Passwort. Wenden Sie sich an eine Administratorin oder einen Administrator Ihrer Organisation.',
    unavailable: 'Die Anmeldung ist gerade nicht möglich. Versuchen Sie es gleich noch einmal.',
  },
  register: {
    title: 'Konto erstellen',
    intro: 'weiter zu {application}',
    fields: {
      given_name: 'Vorname',
      family_name: 'Nachname',
      email: 'E-Mail',
      user_name: 'Benutzername',
      password: 'Passwort',
    },
    passwordLength: 'Mindestens {characters, number} Zeichen; 15 oder mehr sind besser.',
    passwordNeeds: {
      uppercase: 'Mit einem Großbuchstaben.',
      lowercase: 'Mit einem Kleinbuchstaben.',
      number: 'Mit einer Ziffer.',
      symbol: 'Mit einem Sonderzeichen.',
    },
    passwordAdvice:
      'Gut sind mehrere Wörter, die nicht zusammengehören. Nicht Ihr Name, nicht ein Wort mit einer Jahreszahl und keines, das Sie anderswo verwenden.',
    submit: 'Konto erstellen',
    signIn: 'Mit einem vorhandenen Konto anmelden',
    check: 'Prüfen Sie die markierten Felder.',
    unavailable: 'Gerade lassen sich keine Konten erstellen. Versuchen Sie es gleich noch einmal.',
    problems: {
      required: 'Füllen Sie dieses Feld aus.',
      invalid: 'Das ist hier nicht möglich. Prüfen Sie die Schreibweise.',
      too_long: 'Das ist zu lang.',
      taken: 'Das ist schon vergeben. Wählen Sie etwas anderes.',
      address:
        'Wählen Sie einen Namen ohne @. Mit einer bestätigten E-Mail-Adresse können Sie sich ebenfalls anmelden.',
      password_too_short: 'Das Passwort ist zu kurz. Fügen Sie Zeichen hinzu.',
      password_too_long: 'Das Passwort ist zu lang. Verwenden Sie höchstens 256 Zeichen.',
      password_common:
        'Dieses Passwort verwenden viele, es ist daher leicht zu erraten. Wählen Sie ein anderes.',
      password_weak:
        'Das Passwort ist leicht zu erraten. Verwenden Sie mehrere Wörter, die nicht zusammengehören, oder mehr Zeichen, ohne Namen, Jahreszahlen und häufige Wörter.',
      password_breached:
        'Dieses Passwort wurde nach einem Einbruch bei einem anderen Dienst veröffentlicht, andere kennen es also. Wählen Sie eines, das Sie nirgends sonst verwenden.',
      password_policy: 'Dem Passwort fehlt etwas, das verlangt ist. Die Regeln stehen über dem Feld.',
      too_many_attempts: 'Das waren zu viele Versuche. Versuchen Sie es in einer Stunde wieder.',
      not_allowed: 'Hier lassen sich keine Konten erstellen.',
    },
  },
  totp: {
    title: 'Identität bestätigen',
    intro: 'weiter zu {application}',
    advice: 'Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für dieses Konto zeigt.',
    code: 'Code',
    submit: 'Weiter',
    other: 'Mit einem anderen Konto anmelden',
    refused:
      'Der Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten, nach mehreren Fehlversuchen etwas länger.',
    missing: 'Geben Sie den Code ein.',
    unavailable: 'Die Anmeldung ist gerade nicht möglich. Versuchen Sie es gleich noch einmal.',
    recovery: 'Stattdessen einen Wiederherstellungscode verwenden',
    recoveryCode: 'Wiederherstellungscode',
    stoppedWithCodes:
      'Ihr zweiter Faktor zählt nicht mehr. Verwenden Sie einen Wiederherstellungscode; danach fügen Sie einen neuen Faktor hinzu.',
    stopped:
      'Ihr zweiter Faktor zählt nicht mehr, und Sie haben keinen Wiederherstellungscode. Bitten Sie die Verwaltung Ihrer Organisation, Ihre Faktoren zurückzusetzen.',
    recoveryRefused: 'Der Wiederherstellungscode stimmt nicht oder wurde schon verwendet.',
    trust: 'In diesem Browser {duration} lang nicht nach einem zweiten Faktor fragen',
  },
  enrolment: {
    title: 'Zweiten Faktor hinzufügen',
    intro: 'weiter zu {application}',
    advice:
      'Ein zweiter Faktor ist erforderlich. Fügen Sie dieses Konto einer Authenticator-App auf Ihrem Telefon hinzu und geben Sie dann den Code ein, den die App zeigt.',
    qr: 'QR-Code für die Authenticator-App; der Schlüssel darunter enthält dasselbe',
    key: 'Schlüssel für die App',
    open: 'Authenticator-App auf diesem Gerät öffnen',
  },
  newPassword: {
    title: 'Neues Passwort wählen',
    intro: 'weiter zu {application}',
    advice: 'Ihr Passwort muss geändert werden. Überall sonst werden Sie abgemeldet.',
    password: 'Neues Passwort',
    submit: 'Passwort ändern',
    same: 'Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.',
  },
  recovery: {
    forgotTitle: 'Passwort zurücksetzen',
    forgotIntro:
      'Geben Sie Ihren Anmeldenamen ein. Gehört er zu einem Konto mit bestätigter E-Mail-Adresse, geht dorthin eine Nachricht.',
    forgotSubmit: 'Nachricht senden',
    missing: 'Geben Sie Ihren Anmeldenamen ein.',
    throttled:
      'Aus Ihrem Netz wurden zu viele Nachrichten angefordert. Versuchen Sie es in einer Stunde wieder.',
    tooManyCodes: 'Aus Ihrem Netz wurden zu viele Codes eingegeben. Versuchen Sie es in einer Stunde wieder.',
    passwordNotAllowed:
      'Ihre Organisation erlaubt keine Anmeldung mit Passwort, daher lässt sich keines setzen. Fragen Sie deren Verwaltung, wie Sie sich anmelden.',
    unavailable: 'Das ist gerade nicht möglich. Versuchen Sie es gleich noch einmal.',
    sentTitle: 'Sehen Sie in Ihre E-Mails',
    sentIntro:
      'Gibt es das Konto und hat es eine bestätigte E-Mail-Adresse, ist eine Nachricht unterwegs. Öffnen Sie ihren Link oder geben Sie hier ihren Code ein.',
    code: 'Code',
    codeSubmit: 'Weiter',
    again: 'Noch eine Nachricht anfordern',
    back: 'Zurück zur Anmeldung',
    resetIntro: 'Sie werden überall abgemeldet. Ein zweiter Faktor bleibt bestehen.',
    invitationTitle: 'Willkommen',
    invitationIntro: 'Wählen Sie das Passwort Ihres neuen Kontos.',
    invitationSubmit: 'Passwort setzen',
    verifyTitle: 'E-Mail-Adresse bestätigen',
    verifyIntro: 'Bestätigen Sie, dass diese Adresse Ihre ist.',
    verifyCodeIntro: 'Geben Sie den Code aus der Nachricht ein.',
    verifySubmit: 'Bestätigen',
    linkAccount: 'Konto: {loginName}',
    linkOrganization: 'Organisation: {organization}',
    linkApplication: 'Anwendung: {application}',
    askedByRegistration: 'Angefordert von der Person, die dieses Konto registriert hat',
    askedByAdministrator: 'Angefordert von der Verwaltung der Organisation',
    verifySignInIntro: 'Melden Sie sich bei diesem Konto an, um zu bestätigen, dass die Adresse Ihre ist.',
    verifySignIn: 'Anmelden und bestätigen',
    verifyNewPassword: 'Das Passwort dieses Kontos hat eine andere Person gewählt',
    verifyNewPasswordIntro:
      'Wählen Sie ein neues Passwort. Passwort, zweite Faktoren, Passkeys, Wiederherstellungscodes und Sitzungen, die das Konto jetzt hat, gelten danach nicht mehr, und die Adresse ist bestätigt. Wollen Sie dieses Konto nicht, schließen Sie diese Seite: Nichts wird bestätigt.',
    invitationVoids:
      'Zweite Faktoren, Passkeys und Sitzungen, die das Konto bisher hat, gelten danach nicht mehr.',
    refusedTitle: 'Dieser Link gilt nicht',
    invalid: 'Der Link oder der Code ist abgelaufen, wurde schon benutzt oder ist unvollständig.',
    doneTitle: 'Fertig',
    passwordDone: 'Ihr Passwort ist gesetzt. Sie können sich jetzt damit anmelden.',
    emailDone: 'Ihre E-Mail-Adresse ist bestätigt. Sie können dieses Fenster schließen.',
  },
  accounts: {
    title: 'Konto wählen',
    intro: 'weiter zu {application}',
    other: 'Ein anderes Konto verwenden',
  },
  consent: {
    title: 'Zugriff erlauben?',
    account: 'Angemeldet als {loginName}',
    asks: '{application} möchte:',
    owner: 'Sie gehört einer anderen Organisation als Sie: {organization}.',
    allowedBefore: '(bereits erlaubt)',
    allow: 'Erlauben',
    deny: 'Ablehnen',
    later: 'Zugriffe Ihrer Anwendungen ansehen und beenden',
    scopes: {
      openid: 'Sie an Ihrem Konto erkennen',
      profile: 'Ihren Namen und die übrigen Angaben Ihres Profils',
      email: 'Ihre E-Mail-Adresse',
      phone: 'Ihre Telefonnummer',
      address: 'Ihre Postanschrift',
      offline_access: 'Zugriff, der auch in Ihrer Abwesenheit gilt',
      groups: 'Ihre Rollen in dieser Anwendung',
    },
    reserved: {
      organization: 'Name und Domain Ihrer Organisation',
      project: 'Für Sie gegenüber {project} der Organisation {organization} handeln',
      unknownProject: 'Für Sie gegenüber dem Projekt {projectId} handeln',
      api: 'Diesen Dienst in Ihrem Namen verwalten, mit allen Rechten, die Sie darin haben',
      roles: 'Ihre Rollen',
      metadata: 'Weitere Daten, die bei Ihrem Konto stehen',
    },
  },
  offeredRoles: {
    title: 'Neue Rollen annehmen?',
    asks: '{organization} gibt Ihnen diese Rollen in der eigenen Organisation:',
    asksForProject: '{organization} gibt Ihnen diese Rollen im eigenen Projekt {project}:',
    meaning:
      'Solange Sie sie haben, kann Ihre eigene Organisation Ihren Zugang beenden, aber Ihr Passwort, Ihren zweiten Faktor und Ihre E-Mail-Adresse nicht allein ändern.',
    accept: 'Annehmen',
    refuse: 'Ablehnen',
    names: {
      ORG_OWNER: 'Inhaber der Organisation',
      ORG_OWNER_VIEWER: 'Einsicht in die Organisation',
      ORG_USER_MANAGER: 'Verwaltung ihrer Benutzer',
      ORG_ADMIN_IMPERSONATOR: 'Handeln für ihre Administratoren und Benutzer',
      ORG_END_USER_IMPERSONATOR: 'Handeln für ihre Benutzer',
      PROJECT_OWNER: 'Inhaber des Projekts',
      PROJECT_OWNER_VIEWER: 'Einsicht in das Projekt',
    },
  },
  applications,
  passkey: {
    signIn: 'Mit einem Passkey anmelden',
    use: 'Passkey verwenden',
    add: 'Stattdessen einen Passkey hinzufügen',
    refused:
      'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut oder melden Sie sich mit Ihrem Passwort an.',
    expired: 'Das hat zu lange gedauert. Versuchen Sie es erneut.',
    forbidden:
      'Ihre Organisation erlaubt keine Anmeldung allein mit einem Passkey. Melden Sie sich mit Ihrem Passwort an.',
    failed: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut oder wählen Sie einen anderen Weg.',
    notMade: 'Es wurde kein Passkey erstellt. Versuchen Sie es erneut, wenn Sie bereit sind.',
    known: 'Dieses Gerät oder dieser Passwortmanager hat schon einen Passkey für dieses Konto.',
    advice: 'Oder bestätigen Sie mit einem Ihrer Passkeys.',
    only: 'Bestätigen Sie mit einem Ihrer Passkeys. Wenn dieser Browser ihn nicht verwenden kann, melden Sie sich mit einem anderen an.',
  },
  passkeys,
  confirm,
  factors,
  footer,
  offer: {
    title: 'Beim nächsten Mal schneller anmelden?',
    advice:
      'Mit einem Passkey melden Sie sich mit der Bildschirmsperre dieses Geräts an: kein Passwort zum Tippen und keines, das gestohlen werden kann.',
    add: 'Passkey hinzufügen',
    skip: 'Nicht jetzt',
    later: 'Unter „Ihre Passkeys“ können Sie jederzeit einen hinzufügen.',
  },
  account,
  logout: {
    title: 'Abmelden',
    question: 'Möchten Sie sich in diesem Browser von allen Konten abmelden?',
    application: '{application} möchte Sie abmelden.',
    confirm: 'Abmelden',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    advice: 'Sie können dieses Fenster schließen.',
  },
  formPost: {
    title: 'Einen Moment',
    advice: 'Sie kehren zur Anwendung zurück. Wenn nichts geschieht, verwenden Sie die Schaltfläche.',
    submit: 'Weiter',
  },
  first: {
    title: 'Anmeldedienst',
    intro:
      'Anwendungen leiten Sie hierher, wenn Sie sich bei ihnen anmelden. Dieser Dienst ist der OpenID-Provider {issuer}.',
    applications: 'Anwendungen, die Ihr Konto verwenden können',
    factors: 'Ihre zweiten Faktoren',
    passkeys: 'Ihre Passkeys',
    discovery: 'OpenID-Konfiguration, für Entwickler',
    reference: 'Referenz der Management-API, für Administratoren',
  },
  rejected: {
    title: 'Anfrage abgelehnt',
    advice:
      'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn. Geschieht das wieder, zeigen Sie diese Seite deren Betreiber.',
    code: 'Fehlercode: {code}',
    requestId: 'Anfrage: {id}',
    received: 'Erhalten',
    registered: 'Eingetragen',
  },
  reasons: {
    rate_limited:
      'Aus Ihrem Netzwerk kommen zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es dann erneut.',
    client_unknown: 'client_id gehört zu keiner aktiven Anwendung dieses Dienstes.',
    client_id_missing: 'client_id fehlt oder kommt mehrfach vor.',
    redirect_uri_missing: 'redirect_uri fehlt oder kommt mehrfach vor.',
    redirect_uri_unregistered:
      'redirect_uri steht nicht in den redirectUris dieser Anwendung. Sie muss Zeichen für Zeichen einer davon gleichen.',
    parameter_repeated: 'Ein Parameter kommt mehrfach vor.',
    parameter_zero_character: 'Ein Parameter enthält ein Nullzeichen.',
    storage_limited:
      'Von dieser Netzadresse wurden zu viele Anmeldungen begonnen. Versuchen Sie es später wieder.',
  },
  expired: {
    title: 'Diese Seite brauchen Sie nicht mehr',
    continue: 'Weiter zu {application}',
    reason: 'Diese Seite ist abgelaufen, wurde schon verwendet oder in einem anderen Browser geöffnet.',
    advice: 'Kehren Sie zur Anwendung zurück und melden Sie sich von dort erneut an.',
  },
  cookies: {
    reason: 'Ihr Browser hat das Cookie dieser Seite nicht gesendet.',
    advice:
      'Erlauben Sie Cookies für diese Seite, kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  },
  staleForm: {
    reason: 'Diese Seite ist veraltet: Dieser Browser hat seit dem Öffnen ein anderes Cookie erhalten.',
    advice: 'Öffnen Sie die Seite neu und wiederholen Sie Ihre Eingabe. Es wurde nichts geändert.',
  },
  foreign: {
    reason: 'Eine andere Website hat diese Anfrage gesendet.',
    advice: 'Öffnen Sie die Seite selbst und geben Sie die Werte dort ein.',
  },
  signOut: {
    reason:
      'Die Anwendung hat eine Abmeldung angefordert, die so nicht möglich ist. Sie sind noch angemeldet und können nicht zu ihr zurückgeleitet werden.',
    advice: 'Sie können sich hier abmelden.',
  },
  notFound: {
    title: 'Seite nicht gefunden',
    advice: 'Kehren Sie zu der Anwendung zurück, die Sie verwenden möchten, und melden Sie sich von dort an.',
  },
  unavailable: {
    title: 'Zurzeit nicht verfügbar',
    advice: 'Der Dienst ist gerade nicht erreichbar. Laden Sie diese Seite in einigen Sekunden neu.',
  },
  failure: {
    title: 'Etwas ist schiefgegangen',
    advice:
      'Der Fehler liegt bei uns und wurde aufgezeichnet. Kehren Sie zur Anwendung zurück und versuchen Sie es erneut.',
  },
}
