/** The list under which what an organization says of itself is staged. */
export const ORGANIZATION = 'organization'
