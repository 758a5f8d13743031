import { describe, expect, it } from 'vitest'
import { isRegisteredRedirectUri, portRuleOf } from './redirect-uri.ts'

const web = (requested: string, ...registered: string[]) =>
  isRegisteredRedirectUri(requested, registered, 'registered')
const native = (requested: string, ...registered: string[]) =>
  isRegisteredRedirectUri(requested, registered, 'any of a loopback address')
const onLocalhost = (requested: string, ...registered: string[]) =>
  isRegisteredRedirectUri(requested, registered, 'any of a loopback address or localhost')

describe('redirect URIs', () => {
  it('RFC 9700 section 2.1: only a byte-for-byte equal one is registered', () => {
    const registered = 'https://app.example/cb'
    expect(web(registered, 'https://other.example/cb', registered)).toBe(true)
    for (const near of [
      'https://app.example/cb/',
      'https://app.example/CB',
      'https://app.example:443/cb',
      'https://app.example/cb?x=1',
      'https://app.example/cb#x',
      'https://app.example/%63b',
      'https://app.example/cb/../cb',
      'http://app.example/cb',
      ' https://app.example/cb',
      '',
    ]) {
      expect(web(near, registered)).toBe(false)
      expect(native(near, registered)).toBe(false)
    }
  })

  it('RFC 8252 section 7.3: a native application may use any port of a loopback address', () => {
    for (const host of ['127.0.0.1', '[::1]']) {
      expect(native(`http://${host}:51004/cb?x=1`, `http://${host}/cb?x=1`)).toBe(true)
      expect(native(`http://${host}/cb`, `http://${host}:8080/cb`)).toBe(true)
      expect(web(`http://${host}:51004/cb`, `http://${host}/cb`)).toBe(false)
    }
  })

  it('RFC 9700 section 2.1: a native application may use any port of localhost, unless it gives that up', () => {
    const registered = 'http://localhost:8000/cb'
    expect(onLocalhost('http://localhost:51004/cb', registered)).toBe(true)
    expect(onLocalhost('http://localhost/cb', registered)).toBe(true)
    expect(onLocalhost('http://127.0.0.1:51004/cb', 'http://127.0.0.1/cb')).toBe(true)
    expect(native('http://localhost:51004/cb', registered)).toBe(false)
    for (const near of [
      'http://127.0.0.1:51004/cb',
      'http://localhost:51004/cb2',
      'https://localhost:51004/cb',
      'http://app.localhost:51004/cb',
      'http://localhost.evil.example/cb',
      'http://localhost:51004@evil.example/cb',
      'http://LOCALHOST:51004/cb',
      'http://localhost:99999/cb',
    ]) {
      expect(onLocalhost(near, registered)).toBe(false)
    }
    const rules = (type: string, exactLocalhostPort: boolean) => portRuleOf({ type, exactLocalhostPort })
    expect(rules('native', false)).toBe('any of a loopback address or localhost')
    expect(rules('native', true)).toBe('any of a loopback address')
    expect(rules('web', false)).toBe('registered')
  })

  it('RFC 8252 section 7.3: everything but the port still has to be equal', () => {
    for (const near of [
      'http://127.0.0.1:51004/cb2',
      'http://127.0.0.1:51004',
      'http://[::1]:51004/cb',
      'http://localhost:51004/cb',
      'https://127.0.0.1:51004/cb',
      'http://127.0.0.1:51004@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://127.0.0.1:99999/cb',
      'http://127.0.0.1:0/cb',
      'http://127.0.0.1:/cb',
    ]) {
      expect(native(near, 'http://127.0.0.1/cb')).toBe(false)
    }
  })
})
