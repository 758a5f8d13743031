import { ConfigurationError } from '@signet/platform/config/settings'

/** A file that is refused; each problem names a path in it. */
export class InvalidFile extends ConfigurationError {}
