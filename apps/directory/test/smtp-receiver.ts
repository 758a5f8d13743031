import type { AddressInfo, Socket } from 'node:net'
import { simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** A message as the server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  readonly headers: readonly string[]
}

/** How the server treats the next messages: an SMTP reply code at a command, silence, or a cut after the last byte. */
export type Behaviour =
  | { readonly at: 'rcpt' | 'data' | 'mail'; readonly code: number }
  | 'accept'
  | 'silent'
  | 'dies_after_data'

/** A real SMTP server on loopback. */
export async function startSmtpReceiver(
  options: { readonly key?: string; readonly cert?: string; readonly auth?: readonly [string, string] } = {},
) {
  const received: ReceivedMail[] = []
  let behaviour: Behaviour = 'accept'
  let connections = 0
  const sockets = new Set<Socket>()
  const refusal = (code: number) => Object.assign(new Error('refused by the test'), { responseCode: code })
  const answer = (at: 'rcpt' | 'data' | 'mail', done: (error?: Error) => void) =>
    typeof behaviour === 'object' && behaviour.at === at ? done(refusal(behaviour.code)) : done()
  const server = new SMTPServer({
    authOptional: options.auth === undefined,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    ...(options.key !== undefined && { key: options.key, cert: options.cert }),
    closeTimeout: 100,
    onConnect(_session, done) {
      connections += 1
      if (behaviour !== 'silent') done()
    },
    onAuth({ username, password }, _session, done) {
      const [name, secret] = options.auth ?? []
      if (username === name && password === secret) done(null, { user: username })
      else done(new Error('wrong user or password'))
    },
    onMailFrom: (_address, _session, done) => answer('mail', done),
    onRcptTo: (_address, _session, done) => answer('rcpt', done),
    async onData(stream, session, done) {
      const parsed = await simpleParser(stream)
      if (typeof behaviour === 'object' && behaviour.at === 'data') return done(refusal(behaviour.code))
      received.push({
        from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
        to: session.envelope.rcptTo.map(({ address }) => address),
        subject: parsed.subject ?? '',
        text: parsed.text ?? '',
        html: parsed.html || '',
        messageId: parsed.messageId ?? '',
        headers: parsed.headerLines.map(({ line }) => line),
      })
      if (behaviour === 'dies_after_data') for (const socket of sockets) socket.destroy()
      else done()
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    received,
    connections: () => connections,
    behave(next: Behaviour) {
      behaviour = next
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export type SmtpReceiver = Awaited<ReturnType<typeof startSmtpReceiver>>
