import { expect, it } from 'vitest'
import { applicationStart } from './application-start.ts'

const ISSUER = 'https://id.example'

it.each([
  [null, null, undefined],
  ['https://shop.example/', null, 'https://shop.example/'],
  [null, 'https://shop.example/login', 'https://shop.example/login?iss=https%3A%2F%2Fid.example'],
  [
    'https://shop.example/home',
    'https://shop.example/login?tenant=1',
    'https://shop.example/login?tenant=1&iss=https%3A%2F%2Fid.example&target_link_uri=https%3A%2F%2Fshop.example%2Fhome',
  ],
  [null, 'https://shop.example/login?iss=other', 'https://shop.example/login?iss=https%3A%2F%2Fid.example'],
])(
  'an application with the home page %s and initiateLoginUri %s begins at %s',
  (homePage, initiateLoginUri, start) => {
    expect(applicationStart({ homePage, initiateLoginUri }, ISSUER)).toBe(start)
  },
)
