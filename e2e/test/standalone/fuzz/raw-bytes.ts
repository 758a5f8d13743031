import { connect } from 'node:net'

/** Bytes that are no HTTP request, or one that proxies and servers have parsed differently. */
export const RAW_BYTES: Readonly<Record<string, string>> = {
  'nothing but noise': '\u0000\u0001\u0002\r\n\r\n',
  'the start of a TLS handshake': '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  'a request line without end': `GET /${'a'.repeat(100_000)}`,
  'an address of 100,000 characters': `GET /ui/login?${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'a header of 100,000 characters': `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(100_000)}\r\n\r\n`,
  'ten thousand headers': `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
  'two lengths':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\na',
  'a length beside chunks':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a negative length': 'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'a chunk without a size':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'no host': 'GET /oauth/v2/keys HTTP/1.1\r\n\r\n',
  'another protocol': 'GET / SPDY/3\r\nHost: x\r\n\r\n',
  'an absolute address of somebody else':
    'GET http://evil.example/oauth/v2/keys HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  'an upgrade': 'GET /oauth/v2/keys HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  'a tunnel': 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
}

/** Sends bytes and answers the status lines that came back before the connection ended. */
export function exchange(origin: string, bytes: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.end(bytes, 'latin1'))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // A server that has heard enough may cut the connection.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(received.match(/^HTTP\/1\.1 \d{3}/gm) ?? []))
  })
}
