import { ConfigurationError } from '@signet/platform/config/settings'
import { describe, expect, it } from 'vitest'
import { readStandaloneConfig } from './config.ts'

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readStandaloneConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

describe('the settings of npm start', () => {
  it('are all optional: the issuer is this machine, and only this machine reaches the port', () => {
    const config = readStandaloneConfig({})
    expect(config).toMatchObject({ issuer: `http://localhost:${config.port}`, host: '127.0.0.1' })
    expect(config).not.toHaveProperty('postgresUrl')
    expect(config).not.toHaveProperty('bootstrapFile')
  })

  it('listen on every interface for an issuer that others reach', () => {
    const env = { SIGNET_ISSUER: 'https://id.example.com', SIGNET_BOOTSTRAP_FILE: 'acme.yaml' }
    expect(readStandaloneConfig(env).host).toBe('::')
  })

  it('refuse the sample with its known passwords for an issuer that others reach', () => {
    expect(problemsOf({ SIGNET_ISSUER: 'https://id.example.com' })).toEqual([
      expect.stringMatching(/^SIGNET_BOOTSTRAP_FILE: is required/),
    ])
  })

  it.each([
    [{ SIGNET_TLS_CERT: 'tls.crt' }, 'SIGNET_TLS_KEY: is required'],
    [{ SIGNET_TLS_KEY: 'tls.key' }, 'SIGNET_TLS_CERT: is required'],
    [{ SIGNET_TLS_CERT: '/none.crt', SIGNET_TLS_KEY: '/none.key' }, 'SIGNET_TLS_CERT: cannot read /none.crt'],
    [{ SIGNET_PORT: 'eighty' }, 'SIGNET_PORT: '],
    [{ SIGNET_PROT: '80' }, 'SIGNET_PROT: '],
  ])('names the setting in the problem of %o', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)])
  })
})
