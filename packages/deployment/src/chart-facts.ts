import { SERVICE_NAMES } from '@signet/platform/process/service'
import { COMPONENTS } from './components.ts'
import { routeGroups } from './route-groups.ts'

/** `files/suite.json` of the chart: the lists that its templates range over. */
export function chartFacts(): string {
  return `${JSON.stringify({ services: SERVICE_NAMES, components: COMPONENTS, routeGroups: routeGroups() }, null, 2)}\n`
}
