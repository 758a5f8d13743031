/** Something that waits for a person's decision in one browser. */
export interface PendingStore<T> {
  /** Keeps a request under its id for the time its keyspace names. */
  create(requestId: string, pending: T): Promise<void>
  /** The request, or undefined when it is gone, finished, or another browser's. */
  load(requestId: string | undefined, browserId: string | undefined): Promise<T | undefined>
  /**
   * Changes a waiting request of this browser, and does not prolong its life; false when it has none. `change` is called
   * again with the new request when another writer was faster.
   */
  change(requestId: string, browserId: string | undefined, change: (pending: T) => T): Promise<boolean>
  /** Ends the request. Of any number of concurrent calls exactly one gets true. */
  finish(requestId: string): Promise<boolean>
}

/** Passes the parameters of a cross-site POST, which carries no cookie, on to a GET, which does. */
export interface PostedParameters {
  keep(parameters: Readonly<Record<string, string>>): Promise<string>
  /** The parameters under a handle; a second call for the same handle gets undefined. */
  take(handle: string): Promise<Readonly<Record<string, string>> | undefined>
}
