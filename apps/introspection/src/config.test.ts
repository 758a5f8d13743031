import { expect, it } from 'vitest'
import { toleratedMs } from './config.ts'

it.each([
  ['10', 30_000],
  ['30', 30_000],
  ['300', 300_000],
])(
  'stays ready without PostgreSQL while it may answer for %s seconds, and for 30 at least',
  (seconds, ms) => {
    const env = { SIGNET_ISSUER: 'https://id.example.com', SIGNET_REVOCATION_STALENESS_SECONDS: seconds }
    expect(toleratedMs(env)).toBe(ms)
  },
)
