import { expect, it } from 'vitest'
import { readDevConfig } from '../src/dev/start-dev.ts'

it('npm run dev reads the issuer, which others reach only with a bootstrap file', () => {
  expect(readDevConfig({ SIGNET_PORT: '9000' }, []).issuer).toBe('http://localhost:9000')
  expect(readDevConfig({ SIGNET_ISSUER: 'http://127.0.0.1:9000' }, []).issuer).toBe('http://127.0.0.1:9000')
  const env = { SIGNET_ISSUER: 'https://id.example.com' }
  expect(() => readDevConfig(env, [])).toThrow('SIGNET_BOOTSTRAP_FILE: is required for the issuer')
  const config = readDevConfig({ ...env, SIGNET_BOOTSTRAP_FILE: 'acme.yaml' }, [])
  expect(config.issuer).toBe('https://id.example.com')
})
