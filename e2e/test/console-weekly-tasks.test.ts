// Weekly tasks of an administrator in the console, as the owner of an organization. Each begins at the page of home, with the
// keyboard and the mouse alone, and its clicks and filled fields are counted. apps/cli/test/weekly-tasks.test.ts does
// the same by commands.
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAs, serveConsole, system } from './console-environment.ts'

serveConsole({ mailbox: () => undefined })
beforeAll(async () => {
  const role = await system.manage('POST', '/projects/portal/roles', { key: 'buyer', displayName: 'Buyer' })
  expect(role.status).toBe(201)
  // The document of the tests hides it.
  const login = await system.manage('PATCH', '/organizations/acme/policies/login', {
    hidePasswordReset: false,
  })
  expect(login.status).toBe(200)
  const query = new URLSearchParams({
    ...{ client_id: 'web', redirect_uri: 'https://app.example.com/callback' },
    ...{ response_type: 'code', scope: 'openid' },
  })
  const browser = system.newBrowser()
  const page = await browser.open(`/oauth/v2/authorize?${query}`)
  await browser.submit(page, { login_name: 'carol', password: 'wrong' })
  expect((await system.manage('PATCH', '/users/carol', { state: 'locked' })).status).toBe(200)
})

/** The acts of a person on a page, which are counted. */
class Hands {
  readonly page: Page
  clicks = 0
  fields = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  async press(name: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    await this.click(within.getByRole('button', { name, exact: typeof name === 'string' }))
  }

  async fill(label: string | RegExp, value: string, within: Page | Locator = this.page): Promise<void> {
    this.fields += 1
    await within
      .getByLabel(label, { exact: typeof label === 'string' })
      .first()
      .fill(value)
  }

  async choose(label: string, value: string, within: Page | Locator = this.page): Promise<void> {
    this.fields += 1
    await within.getByLabel(label, { exact: true }).selectOption(value)
  }

  async open(place: string): Promise<void> {
    await this.click(this.page.getByRole('navigation').getByRole('link', { name: place, exact: true }))
    await this.page.getByRole('heading', { level: 1, name: place }).waitFor()
  }

  /** Presses the button of an act, then that of its dialog. */
  async confirm(name: string): Promise<void> {
    await this.press(name)
    await this.press(name, this.dialog)
    await this.dialog.waitFor({ state: 'detached' })
  }

  /** Opens what the search of Ctrl K finds first for these words. */
  async find(words: string, shown: string): Promise<void> {
    this.clicks += 1
    await this.page.keyboard.press('Control+k')
    this.fields += 1
    await this.page.getByRole('dialog').getByRole('combobox').fill(words)
    await this.click(this.page.getByRole('option').filter({ hasText: shown }).first())
    await this.page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  async sees(words: string | RegExp): Promise<void> {
    await this.page.getByText(words).first().waitFor()
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog')
  }
}

const idOf = async (userName: string) => {
  const { items } = (await system.manage('GET', `/users?userName=${userName}`)).json
  return (items as { id: string }[])[0]?.id
}

interface Task {
  readonly task: string
  /** Login name of the administrator; the owner of the organization when left out. */
  readonly as?: string
  /** Clicks and filled fields. */
  readonly most: number
  readonly act: (hands: Hands) => Promise<void>
}

const TASKS: readonly Task[] = [
  {
    task: '1 invite a person with a role',
    most: 6,
    act: async (hands) => {
      await hands.open('People')
      await hands.click(hands.page.getByRole('link', { name: 'Invite people' }))
      await hands.fill('E-mail addresses', 'Erin Example <erin@acme.localhost>')
      await hands.fill('Project id', 'portal')
      await hands.choose('Add a role of the project', 'buyer')
      await hands.press('Invite 1 person')
      await hands.sees('1 done, 0 failed, 0 not tried')
      await hands.page.getByRole('link', { name: 'Erin Example' }).waitFor()
    },
  },
  {
    task: '2 find a person by a part of the name',
    most: 3,
    act: async (hands) => {
      await hands.find('eri', 'erin')
      await hands.sees('erin@acme.localhost')
    },
  },
  {
    task: '3 why a person cannot sign in',
    most: 3,
    act: async (hands) => {
      await hands.find('carol', 'carol')
      await hands.sees('Cannot sign in: locked after wrong passwords.')
      await hands.page.getByRole('region', { name: 'What happened' }).getByText('refused').first().waitFor()
    },
  },
  {
    task: '4 why an application refuses a person',
    most: 3,
    act: async (hands) => {
      await hands.open('Why refused')
      await hands.fill('Application (id or client_id)', 'web')
      await hands.fill('Person (id)', 'carol')
      await hands.page.keyboard.press('Enter')
      await hands.sees('The person does not get in.')
    },
  },
  {
    task: '5 a link to choose a password',
    most: 5,
    act: async (hands) => {
      await hands.find('alice', 'alice')
      await hands.confirm('Send a password reset')
    },
  },
  {
    task: '6 a lost telephone',
    most: 5,
    act: async (hands) => {
      await hands.find('alice', 'alice')
      await hands.confirm('Reset second factors')
    },
  },
  {
    task: '7 unlock',
    most: 5,
    act: async (hands) => {
      await hands.find('carol', 'carol')
      await hands.confirm('Unlock')
      await hands.sees('The account is active.')
    },
  },
  {
    task: '8 a leaver',
    most: 5,
    act: async (hands) => {
      await hands.find('carol', 'carol')
      await hands.confirm('Deactivate')
      await hands.sees('Cannot sign in: the account is deactivated.')
    },
  },
  {
    task: '9 give a role',
    most: 7,
    act: async (hands) => {
      await hands.find('bob', 'bob')
      await hands.press('Give roles')
      await hands.fill(/^projectId/, 'portal', hands.dialog)
      await hands.choose('Add a role of the project', 'buyer', hands.dialog)
      await hands.press('Give roles', hands.dialog)
      await hands.page.getByRole('region', { name: 'Roles' }).getByRole('cell', { name: 'buyer' }).waitFor()
    },
  },
  {
    task: '10 who has access to an application',
    most: 3,
    act: async (hands) => {
      await hands.find('web', 'web')
      await hands.page.getByRole('region', { name: 'People with roles' }).getByText('buyer').first().waitFor()
    },
  },
  {
    task: '11 what a token would contain',
    most: 6,
    act: async (hands) => {
      await hands.find('web', 'web')
      const tester = hands.page.getByRole('region', { name: 'Try a sign-in' })
      await hands.fill('Person', 'bob', tester)
      await hands.press('Show tokens', tester)
      await hands.click(tester.getByText('ID token'))
      await tester.locator('details pre', { hasText: '"sub"' }).first().waitFor()
    },
  },
  {
    task: '12 add an application',
    most: 7,
    act: async (hands) => {
      await hands.open('Applications')
      await hands.click(hands.page.getByRole('link', { name: 'New application' }))
      await hands.press(/^Web application/)
      await hands.fill(/^name/, 'Storefront')
      await hands.fill(/^projectId/, 'portal')
      await hands.fill('redirectUris', 'https://shop.example/callback')
      await hands.press('New application')
      await hands.sees('Storefront is created')
    },
  },
  {
    task: '13 change a redirect URI',
    most: 6,
    act: async (hands) => {
      await hands.find('Storefront', 'Storefront')
      await hands.press('Edit')
      await hands.fill(
        'redirectUris',
        'https://shop.example/callback\nhttps://shop.example/other',
        hands.dialog,
      )
      await hands.press('Edit', hands.dialog)
      await hands.dialog.waitFor({ state: 'detached' })
      await hands.sees('https://shop.example/other')
    },
  },
  {
    task: '14 rotate a secret',
    most: 5,
    act: async (hands) => {
      await hands.find('Storefront', 'Storefront')
      await hands.press('New secret')
      await hands.press('New secret', hands.dialog)
      await hands.sees('This is shown once. Keep it now.')
    },
  },
  {
    task: '16 who has no second factor',
    most: 2,
    act: async (hands) => {
      await hands.open('People')
      await hands.choose('Second factor', 'false')
      await hands.page.getByRole('link', { name: 'Erin Example' }).waitFor()
    },
  },
  {
    task: '17 the colours of a customer',
    most: 7,
    act: async (hands) => {
      await hands.find('acme', 'acme.localhost')
      await hands.click(hands.page.getByRole('link', { name: 'Branding' }))
      await hands.fill('primaryColor', '#2563eb')
      await hands.confirm('Save colours')
    },
  },
  {
    task: '18 a new organization with its administrator',
    as: 'owner',
    most: 15,
    act: async (hands) => {
      await hands.open('Organizations')
      await hands.press('New organization')
      await hands.fill(/^name/, 'Globex', hands.dialog)
      await hands.fill(/^primaryDomain/, 'globex.localhost', hands.dialog)
      await hands.press('New organization', hands.dialog)
      await hands.page.getByRole('heading', { level: 1, name: 'Globex' }).waitFor()
      await hands.click(hands.page.getByRole('link', { name: 'Invite people' }))
      await hands.fill('E-mail addresses', 'amy@globex.localhost')
      await hands.press('Invite 1 person')
      await hands.sees('1 done, 0 failed, 0 not tried')
      await hands.find('Globex', 'Globex')
      await hands.press('Add an administrator')
      await hands.fill(/^userId/, (await idOf('amy')) ?? '', hands.dialog)
      await hands.fill(/^roles/, 'ORG_OWNER', hands.dialog)
      await hands.press('Add an administrator', hands.dialog)
      await hands.page.getByRole('cell', { name: 'ORG_OWNER' }).waitFor()
    },
  },
  {
    task: '19 invite a list of people',
    most: 4,
    act: async (hands) => {
      await hands.open('People')
      await hands.click(hands.page.getByRole('link', { name: 'Invite people' }))
      await hands.fill('E-mail addresses', 'ann@acme.localhost\nBen Example <ben@acme.localhost>')
      await hands.press('Invite 2 people')
      await hands.sees('2 done, 0 failed, 0 not tried')
    },
  },
  {
    task: '20 who changed a setting',
    most: 2,
    act: async (hands) => {
      await hands.open('Audit log')
      await hands.fill('Action', 'application.update')
      await hands.page.keyboard.press('Enter')
      await hands.page.getByRole('link', { name: 'organizer' }).first().waitFor()
      await hands.sees('redirectUris')
    },
  },
  {
    task: '15 force a second factor',
    most: 6,
    act: async (hands) => {
      await hands.find('acme', 'acme.localhost')
      await hands.press('Edit', hands.page.getByRole('region', { name: 'Login policy' }))
      await hands.click(hands.dialog.getByLabel('forceMfa', { exact: true }))
      await hands.press('Edit', hands.dialog)
      await hands.dialog.waitFor({ state: 'detached' })
    },
  },
]

describe('a weekly task in the console', () => {
  it.each(TASKS)('$task', async ({ as = 'organizer', most, act }) => {
    const page = await openAs(as)
    const hands = new Hands(page)
    await act(hands)
    expect(hands.clicks + hands.fields).toBeLessThanOrEqual(most)
  })
})
