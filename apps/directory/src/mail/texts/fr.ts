import type { MailTexts } from './mail-texts.ts'

/** The texts of all messages in French. */
export const fr: MailTexts = {
  password_reset: {
    subject: 'Réinitialisation de votre mot de passe',
    title: 'Réinitialisation de votre mot de passe',
    greeting: 'Bonjour,',
    text: 'Quelqu’un a demandé la réinitialisation du mot de passe de votre compte {{.PreferredLoginName}}. Le lien ci-dessous fonctionne une seule fois, pendant une heure.',
    buttonText: 'Choisir un nouveau mot de passe',
    codeText: 'Vous pouvez aussi saisir ce code sur la page qui le demande, dans les dix minutes :',
    footerText:
      'Si vous n’êtes pas à l’origine de cette demande, ignorez ce message : votre mot de passe ne change pas.',
  },
  email_verification: {
    subject: 'Confirmez votre adresse e-mail',
    title: 'Confirmez votre adresse e-mail',
    greeting: 'Bonjour,',
    text: 'Cette adresse e-mail a été indiquée pour un compte. Confirmez qu’elle est bien la vôtre. Le lien ci-dessous fonctionne une seule fois, pendant une heure.',
    buttonText: 'Confirmer l’adresse',
    codeText:
      'Vous pouvez aussi ouvrir la page du lien sur un autre appareil et y saisir ce code, dans les dix minutes :',
    footerText: 'Si vous n’avez pas de compte de ce genre, ignorez ce message.',
  },
  invitation: {
    subject: 'Vous avez reçu une invitation',
    title: 'Votre nouveau compte',
    greeting: 'Bonjour,',
    text: 'Un compte a été créé pour vous : {{.PreferredLoginName}}. Pour commencer, choisissez son mot de passe. Le lien ci-dessous fonctionne une seule fois, pendant sept jours.',
    buttonText: 'Choisir un mot de passe',
    codeText: '',
    footerText: 'Si vous n’attendiez pas cette invitation, ignorez ce message.',
  },
  password_changed: {
    subject: 'Votre mot de passe a été changé',
    title: 'Votre mot de passe a été changé',
    greeting: 'Bonjour,',
    text: 'Le mot de passe de votre compte {{.PreferredLoginName}} a été changé le {{.Time}}. Toutes ses sessions ouvertes ont pris fin.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si vous n’êtes pas à l’origine de ce changement, prévenez immédiatement un administrateur de votre organisation.',
  },
  email_change: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    title: 'Confirmez votre nouvelle adresse e-mail',
    greeting: 'Bonjour,',
    text: 'Cette adresse doit devenir l’adresse e-mail d’un compte. Ouvrez le lien dans le navigateur où vous en avez fait la demande. Il fonctionne une seule fois, pendant une heure.',
    buttonText: 'Confirmer l’adresse',
    codeText: 'Vous pouvez aussi saisir ce code sur la page de votre compte, dans les dix minutes :',
    footerText: 'Si vous n’avez rien demandé, ignorez ce message.',
  },
  email_changed: {
    subject: 'Votre adresse e-mail a été changée',
    title: 'Votre adresse e-mail a été changée',
    greeting: 'Bonjour,',
    text: 'Votre compte {{.PreferredLoginName}} a désormais une autre adresse e-mail. Ses messages ne seront plus envoyés à celle-ci.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si vous n’êtes pas à l’origine de ce changement, prévenez immédiatement un administrateur de votre organisation.',
  },
  account_deleted: {
    subject: 'Votre compte a été supprimé',
    title: 'Votre compte a été supprimé',
    greeting: 'Bonjour,',
    text: 'Votre compte {{.PreferredLoginName}} a été supprimé le {{.Time}}, comme demandé sur la page du compte. Il ne peut pas être rétabli, et aucun autre message à son sujet ne sera envoyé à cette adresse.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si vous n’êtes pas à l’origine de cette suppression, prévenez immédiatement un administrateur de votre organisation.',
  },
  new_sign_in: {
    subject: 'Nouvelle connexion à votre compte',
    title: 'Nouvelle connexion à votre compte',
    greeting: 'Bonjour,',
    text: 'Quelqu’un s’est connecté à votre compte {{.PreferredLoginName}} avec votre mot de passe le {{.Time}}, dans un navigateur jamais utilisé pour ce compte.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si c’était vous, vous n’avez rien à faire. Sinon, réinitialisez votre mot de passe et prévenez un administrateur de votre organisation.',
  },
  factor_added: {
    subject: 'Un moyen de connexion a été ajouté',
    title: 'Un moyen de connexion a été ajouté',
    greeting: 'Bonjour,',
    text: 'Une clé d’accès, une application d’authentification ou des codes de récupération ont été ajoutés à votre compte {{.PreferredLoginName}} le {{.Time}}.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si ni vous ni un administrateur n’êtes à l’origine de ce changement, prévenez immédiatement un administrateur de votre organisation.',
  },
  factor_removed: {
    subject: 'Un moyen de connexion a été retiré',
    title: 'Un moyen de connexion a été retiré',
    greeting: 'Bonjour,',
    text: 'Une clé d’accès, une application d’authentification ou des codes de récupération ont été retirés de votre compte {{.PreferredLoginName}} le {{.Time}}.',
    buttonText: '',
    codeText: '',
    footerText:
      'Si ni vous ni un administrateur n’êtes à l’origine de ce changement, prévenez immédiatement un administrateur de votre organisation.',
  },
  factor_stopped: {
    subject: 'Un moyen de connexion ne compte plus',
    title: 'Un moyen de connexion ne compte plus',
    greeting: 'Bonjour,',
    text: 'une clé d’accès de votre compte {{.PreferredLoginName}} ne compte plus depuis le {{.Time}} : une copie a été utilisée, l’adresse de la page de connexion a changé, ou votre organisation n’accepte plus les clés d’accès. Le mot de passe seul n’en ajoute pas d’autre.',
    buttonText: '',
    codeText: '',
    footerText:
      'Connectez-vous avec un autre facteur ou un code de récupération, ou demandez à un administrateur de votre organisation de réinitialiser vos facteurs.',
  },
}
