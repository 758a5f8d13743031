import { inject } from 'vitest'
import type { TestSize } from './provided-context.ts'

interface Sizes extends Partial<Record<TestSize, number>> {
  readonly small: number
}

/**
 * How much a heavy test does: `small` keeps `npm test` within minutes, `full` is for every day, and `soak` shows the promised
 * figures. A test without an own `full` size does as much there as in `npm test`.
 */
const SIZES = {
  /** Parallel attempts at something that exactly one may win. */
  contenders: { small: 20, soak: 500 },
  /** Codes that a hundred calls redeem at once. */
  racedCodes: { small: 3, soak: 1_000 },
  /** Refresh families that fifty calls rotate at once. */
  racedFamilies: { small: 3, soak: 1_000 },
  /** Seeded orders of redeeming, refreshing and ending. */
  interleavings: { small: 40, soak: 10_000 },
  /** Sequences of steps of the model of endings; three of four have a fault, and each of the fifteen must occur. */
  endingSequences: { small: 20, soak: 3_000 },
  /** Tokens that are revoked and asked for on every replica. */
  revocations: { small: 50, soak: 10_000 },
  /** Endings that a reader loads. */
  liveEndings: { small: 20_000, soak: 1_000_000 },
  /** Endings of which a reader may hold a fifth, so that PostgreSQL answers. */
  endingsBeyondBound: { small: 20_000, soak: 5_000_000 },
  /** Random seeds by which Redis loses its data meanwhile. */
  faultSeeds: { small: 1, soak: 5 },
  /** Flows that go through the modules of the certification plans: the basic, implicit and form-post ones, and all. */
  certificationFlows: { small: 6, soak: 9 },
  /** Malformed requests to each endpoint. */
  malformedRequests: { small: 10, full: 20, soak: 5_000 },
  /** Malformed requests to the operations of the JSON APIs, all together. */
  malformedOperations: { small: 100, full: 300, soak: 200_000 },
  /** Tries of each kind of refused sign-in that are timed; never repeated for a better result. */
  signInTries: { small: 40, soak: 1_000 },
  /** Days of rotation that are simulated with restarts, cut streams and emergencies. */
  rotationDays: { small: 60, soak: 400 },
  /** Rotations at some step of which a replica of keys is killed. */
  killedRotations: { small: 3, soak: 40 },
  /** Seconds under load without PostgreSQL; cached clients in use are valid for thirty. */
  outageSeconds: { small: 4, soak: 25 },
  /** Hashes of other programs with which an imported person signs in; apps/directory/test/verify-password.test.ts has all. */
  importedHashes: { small: 12, full: 1_000, soak: 1_000 },
  /** Organizations with random values in every member that are moved from one instance to another. */
  generatedOrganizations: { small: 8, soak: 150 },
  /** Mebibytes of a hostile document that is read as far as a limit lets it. */
  hostileMebibytes: { small: 64, soak: 1_024 },
  /** Users of an export of another product that is converted. */
  convertedUsers: { small: 10_000, soak: 200_000 },
  /** People among whom lists and searches are timed. */
  searchedPeople: { small: 20_000, soak: 1_000_000 },
  /** Users of an import that is disturbed. */
  importedUsers: { small: 1_000, full: 6_000, soak: 200_000 },
  /** How often it is disturbed. */
  importKills: { small: 2, full: 3, soak: 20 },
  /** Random imports that are taken back after random changes. */
  undoneImports: { small: 4, full: 6, soak: 200 },
  /** How often the undo of an import is disturbed. */
  undoKills: { small: 2, full: 4, soak: 20 },
  /** States of the directory that the search for unentitled roles goes on from, for each caller. */
  searchedStates: { small: 2, soak: 250 },
  /** Number of the 1,650 calls that the search tries with the rights of each caller before anything changed. */
  searchedFirstCalls: { small: 100, full: 400, soak: 100_000 },
  /** Calls that it tries in each of the others. */
  searchedCalls: { small: 10, full: 40, soak: 1_000 },
  /**
   * Languages beside English in which each page is checked in a browser. With fewer than all, pages take turns with them, and with
   * the dark colours.
   */
  pageLanguages: { small: 1, full: 4, soak: 4 },
  /** Pages of the login service that a browser reaches step by step, for axe-core and for a screen of 320 pixels. */
  accessiblePages: { small: 18, full: 1_000, soak: 1_000 },
  /** Pages of the login service with different parts that axe-core looks at, besides those of `accessible-pages.test.ts`. */
  axePages: { small: 20, full: 1_000, soak: 1_000 },
  /** Pages, and as many dialogs, of the console that axe-core looks at. It takes most of the time of their tests. */
  consoleAxePages: { small: 6, full: 1_000, soak: 1_000 },
} as const satisfies Record<string, Sizes>

/** The size of a heavy test in this run, by the environment variable `SIGNET_TEST_SIZE`: `small`, `full` or `soak`. */
export function size(name: keyof typeof SIZES): number {
  const sizes: Sizes = SIZES[name]
  return sizes[inject('testSize')] ?? sizes.small
}
