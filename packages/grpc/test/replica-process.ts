import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { startGrpcServer } from '../src/grpc-server.ts'
import { rpcService } from '../src/service.ts'

// A replica as a process of its own, which a test may stop with SIGSTOP. It sends its port to the parent.
const server = await startGrpcServer({
  host: '127.0.0.1',
  port: 0,
  onFailure: (method, error) => process.stderr.write(`${method}: ${error}\n`),
  services: [
    rpcService(CredentialService, {
      findAttemptKey: async () => ({ attemptKey: String(process.pid) }),
      verifyPassword: async () => ({}),
      verifyTotp: async () => ({ accepted: true }),
      verifyRecoveryCode: async () => ({}),
      verifyPasskey: async () => ({}),
    }),
  ],
})
process.send?.(server.port)
process.on('disconnect', () => process.exit(0))
