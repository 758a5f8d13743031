import { StartFailure } from '@signet/platform/process/start-failure'

/** The command was written wrongly. Its message is one line that says what to do. */
export class UsageError extends StartFailure {}
