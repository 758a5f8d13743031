/**
 * Of the process that runs all services. The default of Node.js for the young generation depends on the memory of the
 * machine; on a large one an import of many users would take half as much memory again.
 */
export const STANDALONE_NODE_OPTIONS = ['--max-semi-space-size=16']
