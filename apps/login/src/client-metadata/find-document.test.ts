import type { GetDocument } from '@signet/platform/outbound-http/http-calls'
import { RateLimitedError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { expect, it } from 'vitest'
import { ClientDocumentError } from './client-document.ts'
import { createClientDocuments } from './find-document.ts'

const ID = 'https://app.example/client.json'

function setUp(cacheControl = '', status = 200) {
  let elapsedMs = 0
  let readings = 0
  const answer = { status, clientId: ID }
  const getDocument: GetDocument = async (url) => {
    readings += 1
    await Promise.resolve()
    const document = {
      client_id: answer.clientId === ID ? url : answer.clientId,
      redirect_uris: ['https://app.example/cb'],
    }
    return {
      status: answer.status,
      mediaType: 'application/json',
      cacheControl,
      text: JSON.stringify(document),
    }
  }
  const documents = createClientDocuments({
    getDocument,
    elapsed: () => elapsedMs,
    now: () => new Date(elapsedMs),
  })
  return {
    documents,
    answer,
    readings: () => readings,
    pass: (seconds: number) => {
      elapsedMs += seconds * 1_000
    },
  }
}

it('reads a document once for concurrent calls', async () => {
  const { documents, readings } = setUp()
  await Promise.all(Array.from({ length: 20 }, () => documents.find(ID)))
  expect(readings()).toBe(1)
})

it.each([
  ['', 300],
  ['max-age=0', 30],
  ['no-store', 30],
  ['public, max-age=600', 600],
  ['max-age=86400', 3_600],
])('keeps a document with Cache-Control "%s" for %i seconds', async (cacheControl, seconds) => {
  const { documents, readings, pass } = setUp(cacheControl)
  await documents.find(ID)
  pass(seconds - 1)
  await documents.find(ID)
  expect(readings()).toBe(1)
  pass(1)
  await documents.find(ID)
  expect(readings()).toBe(2)
})

it('keeps a refusal for ten seconds', async () => {
  const { documents, answer, pass } = setUp('max-age=3600', 500)
  await expect(documents.find(ID)).rejects.toThrow(ClientDocumentError)
  answer.status = 200
  await expect(documents.find(ID)).rejects.toThrow(ClientDocumentError)
  pass(10)
  expect((await documents.find(ID)).clientId).toBe(ID)
})

it('reads the document of another network while one reads all that it may', async () => {
  const getDocument: GetDocument = (url) =>
    url === ID ? Promise.reject(new Error('away')) : new Promise(() => undefined)
  const documents = createClientDocuments({ getDocument, elapsed: () => 0, now: () => new Date(0) })
  const count = (at: number) => () => documents.count(`${ID}${at}`, '203.0.113.1')
  let begun = 0
  for (; begun < 100; begun += 1) {
    try {
      count(begun)()
    } catch {
      break
    }
    void documents.find(`${ID}${begun}`).catch(() => undefined)
  }
  expect(begun).toBe(20)
  await expect(documents.find(ID)).rejects.toThrow('could not be read')
})

it('reads at most 64 documents at once', async () => {
  const { documents } = setUp()
  const found = await Promise.allSettled(Array.from({ length: 68 }, (_, at) => documents.find(`${ID}${at}`)))
  const refused = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  expect(refused).toHaveLength(4)
  for (const error of refused) expect(error).toBeInstanceOf(TemporarilyUnavailableError)
})

it('limits what one network has it read, except known documents', async () => {
  const { documents, pass } = setUp('max-age=3600')
  await documents.find(ID)
  const count =
    (at: number, address = '203.0.113.1') =>
    () =>
      documents.count(`${ID}${at}`, address)
  for (let at = 0; at < 20; at += 1) count(at)()
  expect(count(20)).toThrow(RateLimitedError)
  expect(() => documents.count(ID, '203.0.113.1')).not.toThrow()
  expect(count(20, '203.0.113.2')).not.toThrow()
  pass(60)
  expect(count(21)).not.toThrow()
})
