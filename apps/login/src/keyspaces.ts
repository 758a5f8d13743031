import { defineKeyspaces } from '@signet/platform/redis/keyspaces'
import { DEVICE_LIFETIME_SECONDS } from '@signet/protocol/device-authorization'

/** Every Redis key of this service. A lost key costs a sign-in or its restart; it grants nothing. */
export const keyspaces = defineKeyspaces('login', {
  browserSessions: {
    pattern: 'sessions:{cookieHash}',
    ttlSeconds: 'caller',
    holds:
      'the sessions of one browser, with its name, system and network address; {cookieHash} is the SHA-256 of its session cookie',
  },
  browsersOfUser: {
    pattern: 'browsers:{userId}',
    ttlSeconds: 'caller',
    holds:
      'the browsers that a user is signed in to, for administrators; lost, they show again when they are used next',
  },
  browsersOfUpstream: {
    pattern: 'upstream:{identityHash}',
    ttlSeconds: 'caller',
    holds:
      'the browsers in which a person of an identity provider is signed in, under a hash of what the provider calls the sign-in; lost, a sign-out there ends none of these sessions',
  },
  endedUpstream: {
    pattern: 'upstream-ended:{identityHash}',
    ttlSeconds: 30 * 60,
    holds: 'until when sign-ins by an identity provider ended there; lost, one that was under way goes on',
  },
  usedLogoutToken: {
    pattern: 'used-logout:{tokenHash}',
    ttlSeconds: 'caller',
    holds:
      'that a logout token of an identity provider was used; lost, it ends the sessions of before once more',
  },
  logoutReturn: {
    pattern: 'logout-return:{handle}',
    ttlSeconds: 10 * 60,
    holds:
      'where a person who signed out here goes on after the sign-out at an identity provider, under a hash of browser and state; lost, the person sees the last page of a sign-out',
  },
  pendingAuthorization: {
    pattern: 'authorization:{requestId}',
    ttlSeconds: 30 * 60,
    holds: 'the parameters of an authorization request whose person is signing in, bound to one browser',
  },
  failedAttempts: {
    pattern: 'attempts:{subject}',
    ttlSeconds: 'caller',
    holds:
      'failed and current sign-ins of one account, one browser of it, one second factor or one network; lost, the next tries are free',
  },
  usedChallenge: {
    pattern: 'used-challenge:{challengeHash}',
    ttlSeconds: 5 * 60,
    holds: 'that a challenge of a passkey was used; lost, the same browser could use its response once more',
  },
  postedParameters: {
    pattern: 'posted:{handle}',
    ttlSeconds: 2 * 60,
    holds:
      'the known parameters of an authorization request, or of a response of an identity provider, that came by POST, read once by the GET that follows it',
  },
  pushedRequest: {
    pattern: 'pushed:{handle}',
    ttlSeconds: 90,
    holds: 'the parameters of a pushed authorization request (RFC 9126), bound to its client',
  },
  deviceRequest: {
    pattern: 'device:{codeId}',
    ttlSeconds: DEVICE_LIFETIME_SECONDS,
    holds:
      'the request of a device (RFC 8628) under a MAC of the code that its person types; lost, the device begins again',
  },
  usedPushedRequest: {
    pattern: 'pushed-used:{handle}',
    // An opening in the last second may wait for its person as long as a pending request does.
    ttlSeconds: 90 + 30 * 60 + 60,
    holds:
      'the opening of a pushed request that gets its response; lost, another opening of it could get a response too',
  },
})
