import { describe, expect, it } from 'vitest'
import { readPeople, readPerson } from './listed-people.ts'

describe('readPerson', () => {
  it.each([
    ['erin@acme.example', 'erin', 'Erin', 'Erin'],
    ['erin.example@acme.example', 'erin.example', 'Erin', 'Example'],
    ['Erin Example <e@acme.example>', 'e', 'Erin', 'Example'],
    ['"Erin van Example" <e@acme.example>,', 'e', 'Erin van', 'Example'],
    ['Erin <e@acme.example>', 'e', 'Erin', 'Erin'],
  ])('reads %s', (text, userName, givenName, familyName) => {
    expect(readPerson(text)).toMatchObject({ userName, givenName, familyName })
  })

  it.each(['erin', 'erin@', '<erin>', 'Erin <erin@acme.example> and more'])(
    'reads no address in %s',
    (text) => {
      expect(readPerson(text)).toBeUndefined()
    },
  )
})

describe('readPeople', () => {
  it('passes over empty lines, comments and repeated addresses', () => {
    const { people } = readPeople(
      '\n# staff\r\nerin@acme.example\r\n\nErin <ERIN@acme.example>\nbob@acme.example',
    )
    expect(people.map(({ address }) => address)).toEqual(['erin@acme.example', 'bob@acme.example'])
  })

  it('names the lines that are no address', () => {
    const { people, problems } = readPeople('erin@acme.example\nnobody\n\n@')
    expect(people).toHaveLength(1)
    expect(problems).toEqual([
      { line: 2, text: 'nobody' },
      { line: 4, text: '@' },
    ])
  })
})
