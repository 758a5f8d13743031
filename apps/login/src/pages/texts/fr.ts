import { account, applications, confirm, factors, footer, passkeys } from './account-fr.ts'
import type { Catalogue } from './message.ts'

/** Every text of the pages in French. */
export const fr: Catalogue = {
  language: 'fr',
  product: 'Signet',
  throttled: {
    account: {
      seconds:
        'Trop de tentatives de connexion à ce compte ont échoué. Patientez {count, plural, one {# seconde} other {# secondes}}, puis réessayez.',
      minutes:
        'Trop de tentatives de connexion à ce compte ont échoué. Patientez {count, plural, one {# minute} other {# minutes}}, puis réessayez.',
    },
    network: {
      seconds:
        'Trop de tentatives de connexion depuis votre réseau ont échoué. Patientez {count, plural, one {# seconde} other {# secondes}}, puis réessayez.',
      minutes:
        'Trop de tentatives de connexion depuis votre réseau ont échoué. Patientez {count, plural, one {# minute} other {# minutes}}, puis réessayez.',
    },
  },
  login: {
    title: 'Connexion',
    intro: 'pour accéder à {application}',
    loginName: 'Identifiant ou adresse e‑mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    accounts: 'Choisir un compte déjà connecté',
    register: 'Créer un compte',
    forgot: 'Mot de passe oublié ?',
    show: 'Afficher :',
    refused: 'L’identifiant ou le mot de passe est incorrect. Vérifiez-les, puis réessayez.',
    missing: 'Saisissez votre identifiant et votre mot de passe.',
    forbidden:
      'Votre organisation n’autorise pas la connexion par mot de passe. Adressez-vous à un administrateur de votre organisation.',
    unavailable: 'La connexion est impossible pour le moment. Réessayez dans un instant.',
  },
  register: {
    title: 'Créer un compte',
    intro: 'pour accéder à {application}',
    fields: {
      given_name: 'Prénom',
      family_name: 'Nom',
      email: 'Adresse e‑mail',
      user_name: 'Nom d’utilisateur',
      password: 'Mot de passe',
    },
    passwordLength: 'Au moins {characters, number} caractères ; 15 ou plus, c’est mieux.',
    passwordNeeds: {
      uppercase: 'Avec une majuscule.',
      lowercase: 'Avec une minuscule.',
      number: 'Avec un chiffre.',
      symbol: 'Avec un caractère spécial.',
    },
    passwordAdvice:
      'Choisissez plusieurs mots sans lien entre eux. Évitez votre nom, un mot suivi d’une année et tout mot de passe que vous utilisez ailleurs.',
    submit: 'Créer le compte',
    signIn: 'Se connecter avec un compte existant',
    check: 'Vérifiez les champs signalés.',
    unavailable: 'La création de compte est impossible pour le moment. Réessayez dans un instant.',
    problems: {
      required: 'Remplissez ce champ.',
      invalid: 'Cette valeur n’est pas acceptée ici. Vérifiez l’orthographe.',
      too_long: 'Cette valeur est trop longue.',
      taken: 'Cette valeur est déjà utilisée. Choisissez-en une autre.',
      address:
        'Choisissez un nom sans @. Vous pourrez aussi vous connecter avec votre adresse e-mail une fois confirmée.',
      password_too_short: 'Le mot de passe est trop court. Ajoutez des caractères.',
      password_too_long: 'Le mot de passe est trop long. Utilisez 256 caractères au maximum.',
      password_common:
        'Ce mot de passe est très répandu, il est donc facile à deviner. Choisissez-en un autre.',
      password_weak:
        'Ce mot de passe est facile à deviner. Utilisez plusieurs mots sans lien entre eux ou davantage de caractères, sans nom, sans année et sans mot courant.',
      password_breached:
        'Ce mot de passe a été publié après le piratage d’un autre service : d’autres personnes le connaissent donc. Choisissez-en un que vous n’utilisez nulle part ailleurs.',
      password_policy:
        'Le mot de passe ne respecte pas toutes les règles. Elles sont indiquées au-dessus du champ.',
      too_many_attempts: 'Il y a eu trop de tentatives. Réessayez dans une heure.',
      not_allowed: 'Il n’est pas possible de créer un compte ici.',
    },
  },
  totp: {
    title: 'Confirmez votre identité',
    intro: 'pour accéder à {application}',
    advice:
      'Ouvrez votre application d’authentification et saisissez le code qu’elle affiche pour ce compte.',
    code: 'Code',
    submit: 'Continuer',
    other: 'Se connecter avec un autre compte',
    refused: 'Le code est incorrect ou a déjà été utilisé. Attendez le suivant.',
    missing: 'Saisissez le code.',
    unavailable: 'La connexion est impossible pour le moment. Réessayez dans un instant.',
    recovery: 'Utiliser plutôt un code de récupération',
    recoveryCode: 'Code de récupération',
    stoppedWithCodes:
      'Votre second facteur ne compte plus. Utilisez un code de récupération ; vous ajouterez ensuite un nouveau facteur.',
    stopped:
      'Votre second facteur ne compte plus et vous n’avez pas de code de récupération. Demandez à un administrateur de votre organisation de réinitialiser vos facteurs.',
    recoveryRefused: 'Le code de récupération est incorrect ou a déjà été utilisé.',
    trust: 'Ne plus demander de second facteur dans ce navigateur pendant {duration}',
  },
  enrolment: {
    title: 'Ajouter un second facteur',
    intro: 'pour accéder à {application}',
    advice:
      'Un second facteur est obligatoire. Ajoutez ce compte à une application d’authentification sur votre téléphone, puis saisissez le code qu’elle affiche.',
    qr: 'QR code pour l’application d’authentification ; la clé ci-dessous contient la même information',
    key: 'Clé pour l’application',
    open: 'Ouvrir une application d’authentification sur cet appareil',
  },
  newPassword: {
    title: 'Choisir un nouveau mot de passe',
    intro: 'pour accéder à {application}',
    advice: 'Vous devez changer votre mot de passe. Vous serez déconnecté partout ailleurs.',
    password: 'Nouveau mot de passe',
    submit: 'Changer le mot de passe',
    same: 'C’est votre mot de passe actuel. Choisissez-en un autre.',
  },
  recovery: {
    forgotTitle: 'Réinitialiser le mot de passe',
    forgotIntro:
      'Saisissez votre identifiant. S’il correspond à un compte dont l’adresse e‑mail est vérifiée, un message y sera envoyé.',
    forgotSubmit: 'Envoyer le message',
    missing: 'Saisissez votre identifiant.',
    throttled: 'Trop de messages ont été demandés depuis votre réseau. Réessayez dans une heure.',
    tooManyCodes: 'Trop de codes ont été saisis depuis votre réseau. Réessayez dans une heure.',
    passwordNotAllowed:
      'Votre organisation n’autorise pas la connexion par mot de passe : il n’est donc pas possible d’en définir un. Demandez à son administrateur comment vous connecter.',
    unavailable: 'Cette action est impossible pour le moment. Réessayez dans un instant.',
    sentTitle: 'Consultez votre messagerie',
    sentIntro:
      'Si le compte existe et que son adresse e‑mail est vérifiée, un message vient de partir. Ouvrez le lien qu’il contient ou saisissez son code ici.',
    code: 'Code',
    codeSubmit: 'Continuer',
    again: 'Demander un autre message',
    back: 'Retour à la connexion',
    resetIntro: 'Vous serez déconnecté partout. Votre second facteur ne change pas.',
    invitationTitle: 'Bienvenue',
    invitationIntro: 'Choisissez le mot de passe de votre nouveau compte.',
    invitationSubmit: 'Définir le mot de passe',
    verifyTitle: 'Confirmer votre adresse e‑mail',
    verifyIntro: 'Confirmez que cette adresse est bien la vôtre.',
    verifyCodeIntro: 'Saisissez le code indiqué dans le message.',
    verifySubmit: 'Confirmer',
    linkAccount: 'Compte : {loginName}',
    linkOrganization: 'Organisation : {organization}',
    linkApplication: 'Application : {application}',
    askedByRegistration: 'Demandé par la personne qui a créé ce compte',
    askedByAdministrator: 'Demandé par un administrateur de l’organisation',
    verifySignInIntro: 'Connectez-vous à ce compte pour confirmer que l’adresse est la vôtre.',
    verifySignIn: 'Se connecter et confirmer',
    verifyNewPassword: 'Une autre personne a choisi le mot de passe de ce compte',
    verifyNewPasswordIntro:
      'Choisissez un nouveau mot de passe. Le mot de passe, les seconds facteurs, les clés d’accès, les codes de récupération et les sessions actuels du compte prennent fin, et l’adresse est confirmée. Si vous ne voulez pas de ce compte, fermez cette page : rien n’est confirmé.',
    invitationVoids:
      'Les seconds facteurs, les clés d’accès et les sessions que le compte a peut-être déjà prennent fin.',
    refusedTitle: 'Ce lien ne fonctionne pas',
    invalid: 'Le lien ou le code a expiré, a déjà été utilisé ou est incomplet.',
    doneTitle: 'C’est fait',
    passwordDone: 'Votre mot de passe est enregistré. Vous pouvez maintenant l’utiliser pour vous connecter.',
    emailDone: 'Votre adresse e‑mail est confirmée. Vous pouvez fermer cette fenêtre.',
  },
  accounts: {
    title: 'Choisir un compte',
    intro: 'pour accéder à {application}',
    other: 'Utiliser un autre compte',
  },
  consent: {
    title: 'Autoriser l’accès ?',
    account: 'Connecté en tant que {loginName}',
    asks: '{application} demande les autorisations suivantes :',
    owner: 'Cette application appartient à une autre organisation que la vôtre : {organization}.',
    allowedBefore: '(déjà autorisé)',
    allow: 'Autoriser',
    deny: 'Refuser',
    later: 'Voir les accès de vos applications et y mettre fin',
    scopes: {
      openid: 'Vous reconnaître grâce à votre compte',
      profile: 'Votre nom et les autres informations de votre profil',
      email: 'Votre adresse e‑mail',
      phone: 'Votre numéro de téléphone',
      address: 'Votre adresse postale',
      offline_access: 'Un accès qui se poursuit en votre absence',
      groups: 'Vos rôles dans cette application',
    },
    reserved: {
      organization: 'Le nom et le domaine de votre organisation',
      project: 'Agir pour vous auprès de {project}, de l’organisation {organization}',
      unknownProject: 'Agir pour vous auprès du projet {projectId}',
      api: 'Administrer ce service en votre nom, avec tous les droits que vous y avez',
      roles: 'Vos rôles',
      metadata: 'D’autres données conservées avec votre compte',
    },
  },
  offeredRoles: {
    title: 'Accepter de nouveaux rôles ?',
    asks: '{organization} vous attribue ces rôles dans son organisation :',
    asksForProject: '{organization} vous attribue ces rôles dans son projet {project} :',
    meaning:
      'Tant que vous les avez, votre propre organisation peut mettre fin à votre accès, mais ne peut pas changer seule votre mot de passe, votre second facteur ni votre adresse e‑mail.',
    accept: 'Accepter',
    refuse: 'Refuser',
    names: {
      ORG_OWNER: 'Propriétaire de l’organisation',
      ORG_OWNER_VIEWER: 'Consultation de l’organisation',
      ORG_USER_MANAGER: 'Gestion de ses utilisateurs',
      ORG_ADMIN_IMPERSONATOR: 'Action au nom de ses administrateurs et utilisateurs',
      ORG_END_USER_IMPERSONATOR: 'Action au nom de ses utilisateurs',
      PROJECT_OWNER: 'Propriétaire du projet',
      PROJECT_OWNER_VIEWER: 'Consultation du projet',
    },
  },
  applications,
  passkey: {
    signIn: 'Se connecter avec une clé d’accès',
    use: 'Utiliser une clé d’accès',
    add: 'Ajouter plutôt une clé d’accès',
    refused: 'La clé d’accès a été refusée. Réessayez ou connectez-vous avec votre mot de passe.',
    expired: 'Le délai est dépassé. Réessayez.',
    forbidden:
      'Votre organisation n’autorise pas la connexion avec une clé d’accès seule. Connectez-vous avec votre mot de passe.',
    failed: 'Aucune clé d’accès n’a été utilisée. Réessayez ou choisissez un autre moyen.',
    notMade: 'Aucune clé d’accès n’a été créée. Réessayez quand vous serez prêt.',
    known: 'Cet appareil ou ce gestionnaire de mots de passe possède déjà une clé d’accès pour ce compte.',
    advice: 'Ou confirmez avec l’une de vos clés d’accès.',
    only: 'Confirmez avec l’une de vos clés d’accès. Si ce navigateur ne peut pas l’utiliser, connectez-vous avec un autre.',
  },
  passkeys,
  confirm,
  factors,
  footer,
  offer: {
    title: 'Vous connecter plus vite la prochaine fois ?',
    advice:
      'Avec une clé d’accès, vous vous connectez en déverrouillant cet appareil : plus de mot de passe à saisir, et aucun que l’on puisse vous voler.',
    add: 'Ajouter une clé d’accès',
    skip: 'Pas maintenant',
    later: 'Vous pourrez en ajouter une à tout moment dans « Vos clés d’accès ».',
  },
  account,
  logout: {
    title: 'Déconnexion',
    question: 'Voulez-vous vous déconnecter de tous les comptes dans ce navigateur ?',
    application: '{application} demande à vous déconnecter.',
    confirm: 'Se déconnecter',
  },
  signedOut: {
    title: 'Vous êtes déconnecté',
    advice: 'Vous pouvez fermer cette fenêtre.',
  },
  formPost: {
    title: 'Un instant',
    advice: 'Vous allez revenir à l’application. Si rien ne se passe, utilisez le bouton.',
    submit: 'Continuer',
  },
  first: {
    title: 'Service de connexion',
    intro:
      'Les applications vous envoient ici lorsque vous vous y connectez. Ce service est le fournisseur OpenID {issuer}.',
    applications: 'Applications qui peuvent utiliser votre compte',
    factors: 'Vos seconds facteurs',
    passkeys: 'Vos clés d’accès',
    discovery: 'Configuration OpenID, pour les développeurs',
    reference: 'Référence de l’API de gestion, pour les administrateurs',
  },
  rejected: {
    title: 'Demande refusée',
    advice:
      'Retournez à l’application et recommencez. Si cela se reproduit, montrez cette page à son exploitant.',
    code: 'Code d’erreur : {code}',
    requestId: 'Demande : {id}',
    received: 'Reçu',
    registered: 'Enregistré',
  },
  reasons: {
    rate_limited: 'Trop de demandes proviennent de votre réseau. Patientez un instant, puis réessayez.',
    client_unknown: 'client_id n’est pas l’identifiant d’une application active de ce service.',
    client_id_missing: 'client_id est absent ou a été envoyé plusieurs fois.',
    redirect_uri_missing: 'redirect_uri est absent ou a été envoyé plusieurs fois.',
    redirect_uri_unregistered:
      'redirect_uri ne figure pas parmi les redirectUris de cette application. Il doit être identique à l’un d’eux, caractère par caractère.',
    parameter_repeated: 'Un paramètre a été envoyé plusieurs fois.',
    parameter_zero_character: 'Un paramètre contient un caractère nul.',
    storage_limited:
      'Trop de connexions ont été commencées depuis cette adresse réseau. Réessayez plus tard.',
  },
  expired: {
    title: 'Cette page n’est plus utile',
    continue: 'Continuer vers {application}',
    reason: 'Cette page a expiré, a déjà été utilisée ou a été ouverte dans un autre navigateur.',
    advice: 'Retournez à l’application et connectez-vous de nouveau à partir de là.',
  },
  cookies: {
    reason: 'Votre navigateur n’a pas envoyé le cookie de cette page.',
    advice: 'Autorisez les cookies pour ce site, puis retournez à l’application et recommencez.',
  },
  staleForm: {
    reason: 'Cette page n’est plus à jour : ce navigateur a reçu un autre cookie depuis son ouverture.',
    advice: 'Ouvrez la page à nouveau et recommencez. Rien n’a été modifié.',
  },
  foreign: {
    reason: 'Un autre site a envoyé cette requête.',
    advice: 'Ouvrez la page vous-même et saisissez-y les valeurs.',
  },
  signOut: {
    reason:
      'L’application a envoyé une demande de déconnexion qui ne peut pas aboutir. Vous êtes toujours connecté et ne pouvez pas y être renvoyé.',
    advice: 'Vous pouvez vous déconnecter ici.',
  },
  notFound: {
    title: 'Page introuvable',
    advice: 'Retournez à l’application que vous voulez utiliser et connectez-vous à partir de là.',
  },
  unavailable: {
    title: 'Indisponible pour le moment',
    advice: 'Le service est actuellement injoignable. Rechargez cette page dans quelques secondes.',
  },
  failure: {
    title: 'Une erreur s’est produite',
    advice: 'L’erreur vient de nous et a été enregistrée. Retournez à l’application et réessayez.',
  },
}
