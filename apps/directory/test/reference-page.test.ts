import { afterAll, beforeAll, expect, it } from 'vitest'
import { OPERATIONS } from '../src/http/operations/all-operations.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
})
afterAll(() => management?.stop())

it('the page tells of every operation, loads its stylesheet only and needs no bearer', async () => {
  const { status, headers, text } = await management.open('/management/v1/reference')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'",
  )
  for (const { id, path } of OPERATIONS) {
    expect(text).toContain(`id="${id}"`)
    expect(text).toContain(path)
  }
  const loaded = [...text.matchAll(/(?:src|href)="([^#"][^"]*)"/g)].map(([, url]) => url)
  expect(loaded).toEqual(['/management/v1/reference.css', 'openapi.json'])
  expect(text).not.toContain('<script')
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor)
  for (const anchor of new Set(links)) expect(text).toContain(`id="${anchor}"`)
})

it('the stylesheet is served', async () => {
  const { status, headers } = await management.open('/management/v1/reference.css')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
})
