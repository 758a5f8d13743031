import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { explainReason } from './refusal-reasons.ts'

it.each([
  'https://shop.example/callback',
  'https://shop.example/$(id)`id`',
  "https://shop.example/';id;'",
  'https://shop.example/?…&id|id\n#\\',
  '',
])('writes a cure whose value %j a shell reads as one word', (received) => {
  const { cure = '' } = explainReason('redirect_uri_unregistered', { received, application: 'shop' }) ?? {}
  const read = execFileSync('sh', ['-c', cure.replace('signet', "printf '%s\\0'")]).toString()
  expect(read.split('\0')).toEqual([
    ...['application', 'update', 'shop', '--set', `redirectUris+=${received}`],
    '',
  ])
})
