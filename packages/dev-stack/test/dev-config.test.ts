import { expect, it } from 'vitest'
import { passedOn, readDevConfig } from '../src/dev/start-dev.ts'

it('npm run dev reads the issuer, which others reach only with a bootstrap file', () => {
  expect(readDevConfig({ SIGNET_PORT: '9000' }, []).issuer).toBe('http://localhost:9000')
  expect(readDevConfig({ SIGNET_ISSUER: 'http://127.0.0.1:9000' }, []).issuer).toBe('http://127.0.0.1:9000')
  const env = { SIGNET_ISSUER: 'https://id.example.com' }
  expect(() => readDevConfig(env, [])).toThrow('SIGNET_BOOTSTRAP_FILE: is required for the issuer')
  const config = readDevConfig({ ...env, SIGNET_BOOTSTRAP_FILE: 'acme.yaml' }, [])
  expect(config.issuer).toBe('https://id.example.com')
})

it('npm run dev passes on the settings that services know, without its own', () => {
  const env = {
    PATH: '/bin',
    SIGNET_RATE_LIMIT_SIGN_IN: '0',
    SIGNET_SMTP_URL_FILE: '/run/smtp',
    SIGNET_RPC_CONNECTION_AGE_SECONDS: '60',
    SIGNET_PORT: '9000',
    SIGNET_POSTGRES_URL_FILE: '/run/postgres',
    SIGNET_TEST_SIZE: 'soak',
    npm_config_x: '1',
  }
  expect(passedOn(env)).toEqual({
    PATH: '/bin',
    SIGNET_RATE_LIMIT_SIGN_IN: '0',
    SIGNET_SMTP_URL_FILE: '/run/smtp',
    SIGNET_RPC_CONNECTION_AGE_SECONDS: '60',
  })
})

it.each([
  ['SIGNET_RATE_LIMIT_SIGNIN', 'is not a setting; did you mean SIGNET_RATE_LIMIT_SIGN_IN?'],
  ['SIGNET_HTTP_PORT', 'cannot be set for npm run dev, which chooses it for each process; remove it'],
  ['SIGNET_KEYS_MASTER_KEY_FILE', 'cannot be set for npm run dev'],
  ['SIGNET_POSTGRES_TOKEN_PASSWORD', 'cannot be set for npm run dev'],
])('npm run dev refuses %s', (name, problem) => {
  expect(() => readDevConfig({ [name]: '1' }, [])).toThrow(`${name}: ${problem}`)
})
