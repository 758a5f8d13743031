import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

const address = (value: string) =>
  readSettings({ SIGNET_RPC_KEYS_ADDRESS: value }, ['SIGNET_RPC_KEYS_ADDRESS']).SIGNET_RPC_KEYS_ADDRESS

describe('settings of one service', () => {
  it.each([
    ['keys-grpc.signet.svc.cluster.local:9090', 'keys-grpc.signet.svc.cluster.local:9090'],
    ['localhost:9090', 'localhost:9090'],
    ['10.0.0.1:9090, 10.0.0.2:9091', '10.0.0.1:9090,10.0.0.2:9091'],
    ['[::1]:1,[fd00::2]:65535', '[::1]:1,[fd00::2]:65535'],
  ])('takes the gRPC address %s', (value, expected) => {
    expect(address(value)).toBe(expected)
  })

  it.each([
    'keys',
    'keys:0',
    'keys:65536',
    ':9090',
    'http://keys:9090',
    'dns:///keys:9090',
    'a:1,b:2',
    '10.0.0.1:1,keys:2',
    '10.0.0.1:1,[::1]:2',
    ',',
  ])('refuses the gRPC address %s', (value) => {
    expect(() => address(value)).toThrow('SIGNET_RPC_KEYS_ADDRESS: must be name:port')
  })

  it('binds to an address, not to a name that may lead anywhere', () => {
    const bind = (value: string) =>
      readSettings({ SIGNET_BIND_HOST: value }, ['SIGNET_BIND_HOST']).SIGNET_BIND_HOST
    expect([bind(''), bind('::'), bind('localhost')]).toEqual(['127.0.0.1', '::', 'localhost'])
    expect(() => bind('example.com')).toThrow('must be an IP address or localhost')
  })

  it('ignores the variables of Kubernetes services named signet-http, signet-rpc or signet-rpc-keys', () => {
    const env = {
      SIGNET_HTTP_PORT: 'tcp://10.96.0.1:80',
      SIGNET_HTTP_SERVICE_HOST: '10.96.0.1',
      SIGNET_RPC_PORT: 'tcp://10.96.0.2:9090',
      SIGNET_RPC_PORT_9090_TCP_ADDR: '10.96.0.2',
      SIGNET_RPC_KEYS_PORT: 'tcp://10.96.0.3:9090',
      SIGNET_RPC_KEYS_SERVICE_PORT_GRPC: '9090',
      SIGNET_OPERATIONS_PORT: '9102',
    }
    expect(readSettings(env, ['SIGNET_HTTP_PORT', 'SIGNET_RPC_PORT', 'SIGNET_OPERATIONS_PORT'])).toEqual({
      SIGNET_HTTP_PORT: 8080,
      SIGNET_RPC_PORT: 9090,
      SIGNET_OPERATIONS_PORT: 9102,
    })
  })
})
