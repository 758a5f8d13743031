import { runOnce } from '@signet/service-runtime/run-once'
import { prepareInstallation } from './prepare-installation.ts'

await runOnce({ name: 'migrate', env: process.env, run: prepareInstallation })
