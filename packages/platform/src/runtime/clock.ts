/** The source of the time, an argument of all code that needs it, so that tests can set it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()
