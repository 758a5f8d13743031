export { freePort } from '@signet/embedded-databases/free-port'
