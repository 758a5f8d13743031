/** Where the time comes from; handed to everything that asks for it, so that tests can set it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()
