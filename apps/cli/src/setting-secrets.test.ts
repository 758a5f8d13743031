import { SETTINGS } from '@signet/platform/config/known-settings'
import { isSecret } from '@signet/platform/config/settings-fields'
import { expect, it } from 'vitest'
import { replacementOf } from './setting-secrets.ts'

/** Settings of the command line and of the migration Job, which have no metrics. */
const NOT_OF_SERVICES = /^SIGNET_(TOKEN|WORKLOAD_TOKEN)$/

it('says what replaces the secret of each setting of a service', () => {
  const names = Object.entries(SETTINGS).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []))
  expect(
    names.filter((name) => !NOT_OF_SERVICES.test(name) && replacementOf(name) === 'nothing yet'),
  ).toEqual([])
  expect(replacementOf('SIGNET_KEYS_MASTER_KEY')).toContain('signet secrets wrap')
})
