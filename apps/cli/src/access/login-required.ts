import { StartFailure } from '@signet/service-runtime/start-failure'

/** Nobody has signed in, or what was stored opens nothing any more. */
export class LoginRequired extends StartFailure {}
