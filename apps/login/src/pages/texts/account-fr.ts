import type { Catalogue } from './message.ts'

/** The texts of the account pages in French. */
export const account: Catalogue['account'] = {
  title: 'Votre compte',
  pages: 'Pages de votre compte',
  name: 'Nom',
  loginName: 'Identifiant',
  emailAddress: 'Adresse e‑mail',
  noEmail: 'aucune',
  verified: '(confirmée)',
  unverified: '(non confirmée)',
  others: 'Autres comptes dans ce navigateur',
  back: 'Retour à votre compte',
  password: {
    advice: 'Vous serez déconnecté partout ailleurs, et les applications devront vous reconnecter.',
    current: 'Mot de passe actuel',
    missing: 'Saisissez votre mot de passe actuel et le nouveau.',
    refused: 'Le mot de passe actuel est incorrect.',
    done: 'Votre mot de passe est changé. Vous êtes déconnecté partout ailleurs.',
  },
  sessions: {
    began: 'Connexion du {time} (UTC)',
    used: 'dernière utilisation le {time} (UTC)',
    thisDevice: 'Cet appareil',
    end: 'Fermer la session du {time}',
    othersAdvice:
      'Si vous vous déconnectez partout ailleurs, toutes les applications perdent aussi l’accès à votre compte, y compris ici.',
    endOthers: 'Se déconnecter partout ailleurs',
  },
  saved: 'Enregistré.',
  profile: {
    fields: {
      given_name: 'Prénom',
      family_name: 'Nom',
      nick_name: 'Surnom',
      display_name: 'Nom affiché',
      preferred_language: 'Langue des messages',
    },
    anyLanguage: 'Aucune préférence',
    submit: 'Enregistrer',
  },
  email: {
    intro: 'Un message est envoyé à la nouvelle adresse. Votre adresse change lorsque vous la confirmez.',
    newAddress: 'Nouvelle adresse e‑mail',
    submit: 'Envoyer le message',
    sent: 'Un message vient de partir à la nouvelle adresse. Ouvrez son lien dans ce navigateur ou saisissez son code ici.',
    confirm: 'Confirmez que la nouvelle adresse e‑mail {address} est bien la vôtre.',
    signInFirst:
      '{address} doit devenir l’adresse e‑mail d’un compte. Connectez-vous à ce compte dans ce navigateur, puis ouvrez de nouveau le lien du message.',
    problems: {
      invalid: 'Cette adresse e‑mail n’est pas acceptée ici. Vérifiez l’orthographe.',
      same: 'Votre compte utilise déjà cette adresse.',
      no_server:
        'Ce service ne peut pas vous envoyer de messages. Adressez-vous à un administrateur de votre organisation.',
      limited: 'Trop de messages ont été envoyés. Réessayez dans une heure.',
      token: 'Le lien ou le code a expiré, a déjà été utilisé ou appartient à un autre compte.',
      throttled: 'Trop de codes ont été saisis depuis votre réseau. Réessayez dans une heure.',
    },
  },
  data: {
    intro:
      'Le fichier contient votre profil, vos sessions, les applications qui ont accès, vos clés d’accès sans leurs secrets et vos cent dernières activités.',
    download: 'Télécharger le fichier (JSON)',
  },
  deletion: {
    advice:
      'Votre compte est supprimé immédiatement et définitivement, avec votre profil, vos clés d’accès et vos seconds facteurs. Vous êtes déconnecté partout et toutes les applications perdent leur accès. Les données qu’une application conserve elle-même y restent.',
    confirm: 'Pour confirmer, saisissez {loginName}',
    submit: 'Supprimer mon compte',
    refused: 'Ce n’est pas l’identifiant de ce compte.',
    forbidden:
      'Vous ne pouvez pas supprimer ce compte vous-même. Adressez-vous à un administrateur de votre organisation ; un administrateur doit d’abord renoncer à ses rôles.',
    doneTitle: 'Votre compte est supprimé',
    done: 'Vous êtes déconnecté partout.',
  },
  links: {
    deletion: 'Supprimer le compte',
    data: 'Télécharger vos données',
    email: 'Changer d’adresse e‑mail',
    profile: 'Profil et langue',
    password: 'Changer de mot de passe',
    passkeys: 'Clés d’accès',
    factors: 'Seconds facteurs',
    applications: 'Applications qui ont accès',
    sessions: 'Où vous êtes connecté',
  },
}

export const applications: Catalogue['applications'] = {
  title: 'Vos applications',
  intro:
    'Ces applications peuvent utiliser votre compte. Une application dont vous retirez l’accès devra le redemander.',
  none: 'Aucune application n’a accès.',
  end: 'Retirer l’accès de {application}',
  signInFirst:
    'Personne n’est connecté dans ce navigateur. Connectez-vous d’abord à une application, puis rouvrez cette page.',
}

export const passkeys: Catalogue['passkeys'] = {
  title: 'Vos clés d’accès',
  intro:
    'Avec une clé d’accès, vous vous connectez en déverrouillant votre appareil au lieu de saisir un mot de passe. Gardez-en plusieurs, au cas où vous perdriez un appareil.',
  none: 'Ce compte n’a pas de clé d’accès.',
  added: 'Ajoutée le {day}, {use} ; {backup}.',
  used: 'dernière utilisation le {day}',
  unused: 'pas encore utilisée',
  synced: 'synchronisée entre vos appareils',
  syncable: 'synchronisable, mais pas encore synchronisée',
  deviceBound: 'sur un seul appareil',
  cloned:
    'Bloquée : il existe peut-être une copie de cette clé d’accès. Supprimez-la et vérifiez ce qui s’est passé dans votre compte.',
  name: 'Nom',
  rename: 'Renommer {name}',
  delete: 'Supprimer {name}',
  add: 'Ajouter une clé d’accès',
  addNeedsScript:
    'Pour ajouter une clé d’accès, il faut un navigateur avec JavaScript qui prend en charge les clés d’accès.',
  notAllowed: 'Aucune autre clé d’accès ne peut être ajoutée à ce compte.',
  confirmFirst: 'Pour ajouter ou supprimer une clé d’accès, confirmez votre identité.',
  refused: 'La clé d’accès n’a pas pu être ajoutée. Réessayez.',
  nameInvalid: 'Un nom comporte de 1 à 100 caractères.',
}

export const confirm: Catalogue['confirm'] = {
  title: 'Confirmez votre identité',
  account: 'Connecté en tant que {loginName}',
  password: 'Mot de passe',
  code: 'Code de votre application d’authentification',
  anyCode: 'Code de votre application d’authentification ou code de récupération',
  submit: 'Confirmer',
  passkey: 'Utiliser une clé d’accès',
  back: 'Retour',
  refused:
    'La confirmation a échoué. Vérifiez votre mot de passe et votre code, ou utilisez une autre clé d’accès.',
  passkeyNeedsScript:
    'Pour confirmer avec une clé d’accès, il faut un navigateur avec JavaScript qui prend en charge les clés d’accès.',
}

export const footer: Catalogue['footer'] = {
  terms: 'Conditions d’utilisation',
  privacy: 'Politique de confidentialité',
  help: 'Aide',
  docs: 'La documentation',
  support: 'Nous contacter',
  newTab: '(s’ouvre dans un nouvel onglet)',
  registration: 'S’appliquent au nouveau compte :',
}

export const factors: Catalogue['factors'] = {
  title: 'Vos seconds facteurs',
  intro: 'Un second facteur protège votre compte même si quelqu’un connaît votre mot de passe.',
  confirmFirst: 'Pour modifier vos seconds facteurs, confirmez votre identité.',
  refused: 'Cette modification est impossible. Consultez la liste et réessayez.',
  totp: 'Application d’authentification',
  totpSet: 'La connexion avec votre mot de passe demande un code de votre application d’authentification.',
  totpNotSet: 'Ce compte n’a pas d’application d’authentification.',
  totpAdd: 'Ajouter une application d’authentification',
  totpDelete: 'Retirer l’application d’authentification',
  totpAdvice:
    'Scannez le QR code avec une application d’authentification sur votre téléphone ou saisissez-y la clé. Saisissez ensuite le code qu’elle affiche.',
  codes: 'Codes de récupération',
  codesLeft:
    '{count, plural, one {Il vous reste # code de récupération inutilisé.} other {Il vous reste # codes de récupération inutilisés.}}',
  noCodes:
    'Vous n’avez pas de codes de récupération. Ils vous permettent de vous connecter si vous perdez votre second facteur.',
  codesNeedFactor: 'Les codes de récupération nécessitent un second facteur. Ajoutez-en d’abord un.',
  codesMake: 'Créer des codes de récupération',
  removalAdvice: 'Il ne permettra plus de vous connecter, et les sessions qui en dépendent prennent fin.',
  removalOthers: 'Se déconnecter partout ailleurs',
  removalEnded: 'La suppression est faite. Vous vous étiez connecté ainsi, cette session a donc pris fin.',
  codesRenewAdvice:
    'Vos codes précédents ne fonctionnent plus, même imprimés. Les sessions ouvertes ailleurs avec l’un d’eux prennent fin.',
  codesRenew: 'Créer de nouveaux codes de récupération',
  codesAdvice:
    'Chaque code remplace une fois votre second facteur. Imprimez-les ou conservez-les dans un gestionnaire de mots de passe : ils ne seront plus affichés, et les précédents ne sont plus valables.',
  codesKept: 'J’ai conservé les codes',
  trust: 'Navigateurs dispensés',
  trusted: 'Certains navigateurs ne demandent pas votre second facteur à chaque connexion.',
  notTrusted: 'Tous les navigateurs demandent votre second facteur.',
  trustEnd: 'Demander de nouveau dans tous les navigateurs',
  trustUnknown: 'Un navigateur inconnu',
  trustSince: 'approuvé depuis le {time} (UTC)',
  trustEndOne: 'Redemander : {name}, {time}',
  back: 'Retour à vos seconds facteurs',
}
