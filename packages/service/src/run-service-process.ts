import type { Environment } from '@signet/platform/config/settings'
import { runService } from '@signet/platform/process/run-service'
import type { Resources } from './resource.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/** The whole of a service's `main.ts`: runs it until SIGTERM or SIGINT, then drains it and exits. */
export async function runServiceProcess<Config, R extends Resources>(
  definition: ServiceProcess<Config, R> & { readonly env: Environment },
): Promise<void> {
  await runService({
    name: definition.name,
    env: definition.env,
    start: (env, aborted) => startServiceProcess(definition, env, aborted),
  })
}
