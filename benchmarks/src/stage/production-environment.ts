import { childEnvironment } from '@signet/testkit/child-environment'

/** What measured processes are given: nothing that a container would not have. */
export function productionEnvironment(): Readonly<Record<string, string>> {
  return { PATH: childEnvironment().PATH, NODE_ENV: 'production' }
}
