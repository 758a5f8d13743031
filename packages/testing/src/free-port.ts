// biome-ignore lint/performance/noBarrelFile: tests import testing, not the development stack.
export { freePort } from '@signet/dev-stack/databases/free-port'
