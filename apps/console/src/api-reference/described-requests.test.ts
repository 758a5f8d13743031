import { describe, expect, it } from 'vitest'
import { admittedRequest } from './described-requests.ts'
import type { FrameRequest } from './messages.ts'

const ORIGIN = 'https://id.example'
const description = {
  paths: {
    '/management/v1/users': { get: {}, post: {} },
    '/management/v1/users/{userId}/tokens/{tokenId}': { delete: {} },
  },
}
const request = (changes: Partial<FrameRequest>): FrameRequest => ({
  ...{ id: 1, method: 'GET', url: `${ORIGIN}/management/v1/users?limit=5`, headers: [], body: undefined },
  ...changes,
})
const admit = (changes: Partial<FrameRequest>) => admittedRequest(request(changes), description, ORIGIN)

describe('a request of the API reference', () => {
  it('is admitted with its query, and with a segment for each parameter of its path', () => {
    expect(admit({})?.url.search).toBe('?limit=5')
    const url = `${ORIGIN}/management/v1/users/a%2Fb/tokens/c`
    expect(admit({ method: 'DELETE', url })).toMatchObject({ method: 'DELETE', hasToken: false })
  })

  it.each([
    ['of another origin', { url: 'https://other.example/management/v1/users' }],
    ['of another port', { url: `${ORIGIN}:8443/management/v1/users` }],
    ['with credentials in its address', { url: 'https://a:b@id.example/management/v1/users' }],
    ['of a path that is not described', { url: `${ORIGIN}/oauth/v2/authorize?response_type=code` }],
    ['of a path below a described one', { url: `${ORIGIN}/management/v1/users/alice` }],
    [
      'that leaves a described path',
      { url: `${ORIGIN}/management/v1/users/x/../../../../oauth/v2/authorize` },
    ],
    ['of a path without its parameter', { method: 'DELETE', url: `${ORIGIN}/management/v1/users//tokens/c` }],
    ['of a method that the path has not', { method: 'DELETE' }],
    ['of no address', { url: 'users' }],
    ['of the document of the browser', { url: 'data:text/plain,a' }],
  ] as const)('is refused %s', (_, changes) => {
    expect(admit(changes)).toBeUndefined()
  })

  it('keeps the headers of the API, and no other', () => {
    const headers = [
      ['Content-Type', 'application/json'],
      ['If-Match', '"1"'],
      ['DPoP', 'proof'],
      ['Cookie', 'a=b'],
      ['X-Forwarded-For', '10.0.0.1'],
    ] as const
    expect(admit({ headers })?.headers).toEqual({ 'content-type': 'application/json', 'if-match': '"1"' })
  })

  it('has a token where the person gave one', () => {
    const given = admit({ headers: [['Authorization', 'Bearer sgpt_1']] })
    expect([given?.hasToken, given?.headers.authorization]).toEqual([true, 'Bearer sgpt_1'])
    for (const value of ['', 'Bearer', 'Bearer ', 'DPoP sgat_1', 'Basic YTpi']) {
      const { hasToken, headers } = admit({ headers: [['Authorization', value]] }) ?? {}
      expect([hasToken, headers], value).toEqual([false, {}])
    }
  })

  it('knows the methods of the description alone, and which reads give secrets away', () => {
    expect(admit({ method: 'CONSTRUCTOR' })).toBeUndefined()
    expect(admit({})?.isPlainRead).toBe(true)
    const paths = { '/admin/v1/jobs/{jobId}': { get: {} }, '/admin/v1/jobs/{jobId}/document': { get: {} } }
    const job = (path: string) =>
      admittedRequest(
        { id: 1, method: 'GET', url: `${ORIGIN}/admin/v1/jobs/${path}`, headers: [], body: undefined },
        { paths },
        ORIGIN,
      )
    expect([job('j1')?.isPlainRead, job('j1/document')?.isPlainRead]).toEqual([true, false])
  })
})
