/** Who acts for the subject of a token (RFC 8693 section 4.1), and whom that one acts for. */
export interface Actor {
  readonly iss: string
  readonly sub: string
  readonly act?: Actor
}

/** How many actors one token can name: a chain of exchanges must not let tokens grow without end. */
export const LONGEST_ACTOR_CHAIN = 5

/** The chain with `earlier` at its far end; undefined when neither is there. */
export function joinActors(latest: Actor | undefined, earlier: Actor | undefined): Actor | undefined {
  if (latest === undefined || earlier === undefined) return latest ?? earlier
  return { ...latest, act: joinActors(latest.act, earlier) ?? earlier }
}

export function chainLength(actor: Actor | undefined): number {
  return actor === undefined ? 0 : 1 + chainLength(actor.act)
}
