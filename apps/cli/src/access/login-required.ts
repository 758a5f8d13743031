import { StartFailure } from '@signet/platform/process/start-failure'

/** Nobody has signed in, or what was stored opens nothing any more. */
export class LoginRequired extends StartFailure {}
