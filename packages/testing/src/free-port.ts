export { freePort } from '@signet/dev-stack/databases/free-port'
