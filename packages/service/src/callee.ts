import { grpcTransport } from '@signet/grpc/grpc-transport'
import { tracedTransport } from '@signet/grpc/traced-transport'
import type { RpcTransport } from '@signet/grpc/transport'
import { readSettings } from '@signet/platform/config/settings'
import type { Resource } from './resource.ts'

const ADDRESS_SETTINGS = {
  directory: 'SIGNET_RPC_DIRECTORY_ADDRESS',
  token: 'SIGNET_RPC_TOKEN_ADDRESS',
  keys: 'SIGNET_RPC_KEYS_ADDRESS',
  login: 'SIGNET_RPC_LOGIN_ADDRESS',
} as const
const TRANSFER_SETTING = 'SIGNET_RPC_TRANSFER_ADDRESS'

/** Another service over gRPC. It need not run when this one starts: calls fail or streams reopen until it does. */
export function callee(name: keyof typeof ADDRESS_SETTINGS): Resource<RpcTransport> {
  return transportTo(name, ADDRESS_SETTINGS[name])
}

/** The port of the directory whose connections last as long as their calls. */
export function transferCallee(): Resource<RpcTransport> {
  return transportTo('directory', TRANSFER_SETTING)
}

function transportTo(
  name: keyof typeof ADDRESS_SETTINGS,
  setting: (typeof ADDRESS_SETTINGS)[keyof typeof ADDRESS_SETTINGS] | typeof TRANSFER_SETTING,
): Resource<RpcTransport> {
  return (env) => {
    const address = readSettings(env, [setting])[setting]
    return ({ service, tls, tracing }) => {
      const transport = grpcTransport({ address, caller: service, callee: name, ...(tls && { tls }) })
      return {
        value: tracing ? tracedTransport(transport, tracing) : transport,
        close: () => transport.close(),
      }
    }
  }
}
