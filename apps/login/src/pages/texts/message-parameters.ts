/**
 * The parameters of the messages that have some, by the path of the message. The texts are JSON, whose types say nothing of
 * them; a test compares this table with the English texts.
 */
export const MESSAGE_PARAMETERS = {
  throttled: {
    account: {
      seconds: ['count'],
      minutes: ['count'],
    },
    network: {
      seconds: ['count'],
      minutes: ['count'],
    },
  },
  login: {
    intro: ['application'],
  },
  upstream: {
    with: ['provider'],
    declined: ['provider'],
    refused: ['provider', 'id'],
    switchedOff: ['id'],
    unavailable: ['provider', 'id'],
    forbidden: ['provider', 'id'],
  },
  unlinked: {
    intro: ['account', 'provider'],
  },
  linkAccount: {
    asks: ['account', 'provider'],
    meaning: ['provider'],
    refused: ['account', 'provider'],
  },
  providerTest: {
    intro: ['provider'],
  },
  impersonation: {
    asks: ['administrator', 'loginName', 'organization'],
    reason: ['reason'],
    banner: ['administrator', 'loginName'],
    session: ['administrator', 'reason'],
  },
  links: {
    added: ['day'],
    used: ['day'],
    delete: ['provider'],
  },
  register: {
    intro: ['application'],
    passwordLength: ['characters'],
  },
  totp: {
    intro: ['application'],
    trust: ['duration'],
  },
  enrolment: {
    intro: ['application'],
  },
  newPassword: {
    intro: ['application'],
  },
  recovery: {
    linkAccount: ['loginName'],
    linkOrganization: ['organization'],
    linkApplication: ['application'],
    askedByNamed: ['name'],
  },
  accounts: {
    intro: ['application'],
  },
  consent: {
    account: ['loginName'],
    asks: ['application'],
    host: ['host'],
    unregistered: ['host'],
    loopback: ['host'],
    owner: ['organization'],
    reserved: {
      project: ['project', 'organization'],
      unknownProject: ['projectId'],
    },
  },
  device: {
    throttled: {
      seconds: ['count'],
      minutes: ['count'],
    },
    asks: ['application'],
    asker: ['address', 'time'],
  },
  offeredRoles: {
    asks: ['organization'],
    asksForProject: ['organization', 'project'],
  },
  applications: {
    end: ['application'],
  },
  passkeys: {
    added: ['day', 'use', 'backup'],
    used: ['day'],
    rename: ['name'],
    delete: ['name'],
  },
  confirm: {
    account: ['loginName'],
  },
  factors: {
    codesLeft: ['count'],
    trustSince: ['time'],
    trustEndOne: ['name', 'time'],
  },
  account: {
    sessions: {
      began: ['time'],
      used: ['time'],
      end: ['time'],
    },
    email: {
      confirm: ['address'],
      signInFirst: ['address'],
    },
    deletion: {
      confirm: ['loginName'],
    },
  },
  logout: {
    application: ['application'],
  },
  first: {
    intro: ['issuer'],
    signedIn: ['loginName'],
  },
  rejected: {
    code: ['code'],
    requestId: ['id'],
  },
  expired: {
    continue: ['application'],
  },
} as const

/** The parameters that are numbers; all others are text. */
export type NumberParameter = 'count' | 'characters'
