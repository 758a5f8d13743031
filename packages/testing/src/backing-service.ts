/** A server that tests use. */
export interface BackingService {
  readonly url: string
  /** Ends the server if this run started it. */
  stop(): Promise<void>
}
