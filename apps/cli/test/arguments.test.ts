import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pngSample } from '@signet/testing/branding-samples'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
  for (const line of [
    'organization create --set id=globex --set name=Globex --set primaryDomain=globex.localhost',
    'project create --set id=shop --set organizationId=home --set name=Shop',
    'project-role add shop --set key=buyer',
    'project-role add shop --set key=a,b',
    'user create --set id=erin --set organizationId=home --set userName=erin --set profile.givenName=Erin --set profile.familyName=E',
  ]) {
    expect(await run(line)).toMatchObject({ code: 0, err: '' })
  }
}, 120_000)
afterAll(() => fixture.close())

const run = (line: string) => fixture.signet(...line.split(' '))
const json = async (line: string) => {
  const { code, out, err } = await run(`${line} --output json`)
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as Record<string, unknown>
}

describe('--set', () => {
  it('takes lists entry by entry, separated by commas where no entry can have one, and as JSON', async () => {
    const web = await json(
      'application create --set id=web --set projectId=shop --set name=Web --set type=web --set redirectUris=https://a.example/?x=1,2 --set redirectUris=https://b.example/ --set grantTypes=authorization_code,refresh_token --set mayCallApi=true --set accessTokenLifetimeSeconds=60',
    )
    expect(web).toMatchObject({
      redirectUris: ['https://a.example/?x=1,2', 'https://b.example/'],
      grantTypes: ['authorization_code', 'refresh_token'],
      mayCallApi: true,
      accessTokenLifetimeSeconds: 60,
    })
    const none = await json(
      'application update web --set postLogoutRedirectUris= --set accessTokenLifetimeSeconds=null',
    )
    expect(none).toMatchObject({ postLogoutRedirectUris: [], accessTokenLifetimeSeconds: null })
    const roles = ['--set', 'roles=["buyer","a,b"]', '--output', 'json']
    const grant = await fixture.signet('user-grant', 'create', 'shop', '--set', 'userId=erin', ...roles)
    expect(JSON.parse(grant.out)).toMatchObject({ roles: ['a,b', 'buyer'] })
  })

  it('adds entries to a stored list and takes them away', async () => {
    const uris = async (change: string) =>
      (await json(`application update web --set redirectUris${change}`)).redirectUris
    expect(await uris('=https://a.example/')).toEqual(['https://a.example/'])
    expect(await uris('+=https://b.example/')).toEqual(['https://a.example/', 'https://b.example/'])
    expect(await uris('+=https://b.example/ --set redirectUris-=https://a.example/')).toEqual([
      'https://b.example/',
    ])
    expect(await run('application update web --set redirectUris-=https://c.example/')).toMatchObject({
      code: 6,
      err: '--set redirectUris-=: https://c.example/ is not in the list; there are https://b.example/\n',
    })
    await json('organization-member set home erin --set roles+=ORG_OWNER_VIEWER')
    expect(await json('organization-member set home erin --set roles+=ORG_USER_MANAGER')).toMatchObject({
      roles: expect.arrayContaining(['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']),
    })
  })

  it('changes a list of a policy from the entries in force', async () => {
    const kinds = ['SECOND_FACTOR_TYPE_OTP', 'SECOND_FACTOR_TYPE_U2F']
    const inForce = async () => {
      const { effective } = await json('login-policy read home')
      return (effective as { secondFactors: { value: string[] } }).secondFactors.value.toSorted()
    }
    expect(await inForce()).toEqual(kinds)
    await json('login-policy update home --set secondFactors-=SECOND_FACTOR_TYPE_U2F')
    expect(await inForce()).toEqual(kinds.slice(0, 1))
    await json('login-policy update home --set secondFactors+=SECOND_FACTOR_TYPE_U2F')
    expect(await inForce()).toEqual(kinds)
    expect((await run('login-policy reset home')).code).toBe(0)
  })

  it('takes a field in Base64 from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signet-arguments-'))
    const file = join(folder, 'logo.png')
    await writeFile(file, pngSample())
    expect(await json(`label-policy-file set home logo --set content=@${file}`)).toMatchObject({
      mediaType: 'image/png',
      sizeBytes: pngSample().length,
    })
    expect(await json(`label-policy-file list home`)).toMatchObject({ files: [{ kind: 'logo' }] })
    expect(await run(`label-policy-file set home logo --set content=@${file}.not`)).toEqual({
      ...{ code: 2, out: '' },
      err: `--set content: ${file}.not cannot be read (ENOENT)\n`,
    })
    expect((await run('label-policy-file set --help')).out).toMatch(/content \(required\) +base64 or @file/)
    await rm(folder, { recursive: true })
  })

  it('takes a document in XML as the file, as the value of a field, and from standard input', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signet-arguments-'))
    const file = join(folder, 'idp.xml')
    await writeFile(file, `\ufeff<?xml version="1.0"?>\n${await exampleMetadata()}`)
    const of = `--set organizationId=home --set type=saml --set clientId=urn:signet`
    const issuer = 'https://idp.acme.example'
    expect(await json(`identity-provider create --file ${file} --set id=a --set name=A ${of}`)).toMatchObject(
      { issuer },
    )
    const named = await json(`identity-provider create --set metadata=@${file} --set id=b --set name=B ${of}`)
    expect(named).toMatchObject({ issuer, ssoUrl: `${issuer}/sso` })
    const plan = await json(`identity-provider import-metadata b --file ${file} --set dryRun=true`)
    expect(plan).toMatchObject({ applied: false, changes: [], certificates: [{ state: 'kept' }] })
    expect((await run('identity-provider import-metadata --help')).out).toMatch(/metadata +XML or @file/)
    await rm(folder, { recursive: true })
  })

  it('keeps the entry that another caller adds in between', async () => {
    let between = 1
    const other = `${fixture.system.issuer}/management/v1/applications/web`
    const racing: typeof fetch = async (url, init) => {
      if (init?.method === 'PATCH' && between-- > 0) {
        await fetch(other, {
          ...init,
          headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ redirectUris: ['https://b.example/', 'https://other.example/'] }),
        })
      }
      return fetch(url, init)
    }
    const add = ['application', 'update', 'web', '--set', 'redirectUris+=https://ours.example/']
    expect(await fixture.signetWith({ fetch: racing }, ...add)).toMatchObject({ code: 0 })
    expect(await json('application read web')).toMatchObject({
      redirectUris: ['https://b.example/', 'https://other.example/', 'https://ours.example/'],
    })
    between = 1
    const { err } = await run('application read web --show-etag')
    const etag = ['--if-match', err.replace('etag: ', '').trim()]
    expect(await fixture.signetWith({ fetch: racing }, ...add, ...etag)).toMatchObject({ code: 6 })
  })

  it.each([
    ['application update web --set mayCallApi=yes', '--set mayCallApi: must be true or false'],
    [
      'application rotate-secret web --set overlapSeconds=soon',
      '--set overlapSeconds: must be a whole number',
    ],
    ['application update web --set name+=x', '--set name+=: name is not a list; use name=value'],
    [
      'application update web --set redirectUri=x',
      /redirectUri: is not a field; did you mean redirectUris\?/,
    ],
    ['user update erin --set profile.givenname=x', /did you mean profile.givenName\?/],
    [
      'user create --set organizationId=home --set email=erin@home.example',
      '--set email: has fields, such as --set email.address=VALUE',
    ],
    ['organization create --name Globex', '--name is no option; use --set name=Globex'],
    ['user set-password erin --password abc', '--password is no option; use --set password=VALUE'],
    ['organization create --set name+=x', /name is not a list/],
    ['user-grant create shop --set userId=erin --set roles+=x', /no stored list to change; use roles=/],
    ['login-policy set home --set secondFactors+=SECOND_FACTOR_TYPE_OTP', /no stored list to change/],
    [
      'application create natve --project shop',
      /there are web, spa, native, api, cli, console; did you mean native\?/,
    ],
    ['application create web --project shop', /^give --redirect-uri, such as https:/],
    ['application create api --project shop --redirect-uri https://a.example/', /has no sign-in/],
    ['organization create home', /signet organization create takes no argument but options/],
  ])('%s is refused with one line', async (line, message) => {
    const { code, out, err } = await run(line)
    expect([code, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1])
    if (typeof message === 'string') expect(err).toBe(`${message}\n`)
    else expect(err.trim()).toMatch(message)
  })

  it('a role that the project does not have is refused with where to look', async () => {
    expect(await run('user-grant create shop --set userId=erin --set roles=admin')).toMatchObject({
      code: 7,
      err: 'roles[0]: must be the key of a role of the project: create the role first, or read its list of roles (400)\n',
    })
  })

  it('shows the type of each field and the roles that a member may have', async () => {
    const { out } = await run('organization-member set --help')
    expect(out).toMatch(/^Usage: signet organization-member set <organizationId> <userId> \[options\]\n/)
    expect(out).toMatch(/roles \(required\) +list a,b +Any of ORG_OWNER, ORG_OWNER_VIEWER, /)
    expect(out).toContain('--set roles+=c adds an entry')
    const help = (await run('application update --help')).out
    expect(help).toMatch(/ redirectUris +list\n/)
    expect(help).toMatch(/ mayCallApi +true\/false +Tokens of people/)
    expect(help).not.toMatch(/\n\n\n/)
  })
})

describe('an identifier', () => {
  it('may be a client id, a user name, a login name or a primary domain', async () => {
    await json('application create --set clientId=shopweb --set projectId=shop --set name=W --set type=web')
    const { items } = await json('application list --client-id shopweb')
    const [{ id }] = items as [{ id: string }]
    const shown = await run('application read shopweb')
    expect(shown).toMatchObject({ code: 0, err: `"shopweb" is application ${id}\n` })
    expect(shown.out).toMatch(/^clientId +shopweb$/m)
    const dana = await json(
      'user create --set organizationId=globex --set userName=dana --set profile.givenName=D --set profile.familyName=D',
    )
    for (const name of ['dana', 'DANA', 'dana@globex.localhost']) {
      expect(await run(`user read ${name}`)).toMatchObject({ code: 0, err: `"${name}" is user ${dana.id}\n` })
    }
    expect((await run('user-grant create shop --set userId=dana --set roles=buyer')).code).toBe(0)
    expect((await run('user list --organization-id globex.localhost')).out).toMatch(/^dana /m)
    expect((await run('organization read nowhere.localhost')).code).toBe(5)
    expect((await run('user read dana@home.localhost')).code).toBe(5)
  })

  it('may be the name of an application, a project or an organization, or an e-mail address', async () => {
    await json('project create --set id=till --set organizationId=globex --set name=Cash')
    expect(
      await run('application create web --project Cash --name Register --redirect-uri https://r.example/cb'),
    ).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^"Cash" is project till\nclient_id of the application /),
    })
    expect((await run('application read register')).out).toMatch(/^name +Register$/m)
    expect((await run('project read cash')).out).toMatch(/^id +till$/m)
    expect((await run('organization read Globex')).out).toMatch(/^id +globex$/m)
    await json(
      'user create --set id=mailed --set organizationId=globex --set userName=m --set profile.givenName=M --set profile.familyName=M --set email.address=m@mail.example',
    )
    expect((await run('user read M@mail.example')).out).toMatch(/^id +mailed$/m)
    expect((await run('user update m@mail.example --set state=inactive')).code).toBe(0)
    const events = (await run('audit list --target m@mail.example --action user.update')).out
    expect(events).toMatch(/^AT +ACTION +RESULT +REASON +ACTOR +TARGET .*\n.* user\.update +success +- /)
    expect((await run('audit list --target-kind project --target cash --action project.create')).out).toMatch(
      /project\/till/,
    )
  })

  it('is one word in every option, and the older one with -id still works', async () => {
    for (const option of ['--organization', '--organization-id']) {
      expect((await run(`user list ${option} Globex`)).out).toMatch(/^dana /m)
      expect((await run(`project list ${option} globex.localhost`)).out).toMatch(/^Cash /m)
    }
    expect((await run('application list --project cash')).out).toMatch(/^Register /m)
    expect((await run('user list --help')).out).not.toContain('--organization-id')
    expect((await run('user-grant create shop --user dana@globex.localhost --set roles=buyer')).code).toBe(6)
  })

  it('that is looked up leaves no refusal in the audit log', async () => {
    await run('user read nobody')
    await run('application read nothing')
    const refused = await json('audit list --result refused --all')
    const actions = (refused.items as { action: string; details: { reason: string } }[]).map(
      ({ action, details }) => `${action} ${details.reason}`,
    )
    expect(actions.filter((text) => text.includes('_unknown'))).toEqual([])
  })

  it('is an id wherever one fits, however others are called', async () => {
    for (const organization of ['home', 'globex']) {
      await json(
        `user create --set organizationId=${organization} --set id=x-${organization} --set userName=frank --set profile.givenName=F --set profile.familyName=F`,
      )
    }
    // The user name of one is the id of another.
    await json(
      'user create --set organizationId=globex --set id=impostor --set userName=erin --set profile.givenName=I --set profile.familyName=I',
    )
    expect(await run('user read erin')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^id +erin$/m),
    })
    expect(await run('user read frank')).toMatchObject({
      code: 7,
      err: expect.stringMatching(
        /^"frank" fits 2 objects of the kind user: (x-\w+ \(frank, organization \w+\)(, |; )){2}give the id\n$/,
      ),
    })
    expect(await run('user read frank@home.localhost')).toMatchObject({ code: 0 })
  })

  it('of a generated form is never looked up as a name', async () => {
    const deleted = 'agq76mhk5r3l7pezq4swdehlsq'
    await json(
      `user create --set organizationId=globex --set userName=${deleted} --set profile.givenName=I --set profile.familyName=I`,
    )
    expect((await run(`user read ${deleted}`)).code).toBe(5)
    expect((await run(`user-grant create shop --set userId=${deleted} --set roles=buyer`)).code).not.toBe(0)
  })
})

describe('a command that destroys', () => {
  it('needs --yes where no terminal can be asked', async () => {
    await json('organization create --set id=gone --set name=Gone --set primaryDomain=gone.localhost')
    expect(await run('organization delete gone')).toEqual({
      code: 2,
      out: '',
      err: 'Deletes an organization: gone. With its users, projects and applications; every token and session of theirs ends before the answer. One with more than 500 users or grants is then in state `deleting` until the server has deleted its rows, and answers 404 afterwards; meanwhile it takes no users and projects, and its ids and domains are not free. Add --yes to do it.\n',
    })
    expect((await run('organization read gone')).code).toBe(0)
    expect(await run('organization delete gone --yes')).toEqual({ code: 0, out: '', err: '' })
    expect((await run('organization read gone')).code).toBe(5)
    for (const words of [
      'keys revoke none',
      'identity-provider delete none',
      'identity-link delete none link',
    ])
      expect(await run(words)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  })

  it('asks on a terminal, with the name of the object, and does nothing without a yes', async () => {
    await json('organization create --set id=asked --set name=Asked --set primaryDomain=asked.localhost')
    const questions: string[] = []
    const answering = (answer: boolean) => ({
      confirm: async (question: string) => {
        questions.push(question)
        return answer
      },
    })
    const words = ['organization', 'delete', 'asked']
    expect(await fixture.signetWith(answering(false), ...words)).toEqual({
      code: 13,
      out: '',
      err: 'nothing was changed\n',
    })
    expect(questions).toEqual([
      expect.stringMatching(/^Deletes an organization: asked \(Asked\)\. .* Do it\?$/),
    ])
    expect((await run('organization read asked')).code).toBe(0)
    expect((await fixture.signetWith(answering(true), ...words)).code).toBe(0)
    expect((await run('organization read asked')).code).toBe(5)
  })

  it('includes a rotation without overlap, while one has a day of overlap by default', async () => {
    const before = Date.now()
    const { previousValidUntil } = await json('application rotate-secret web')
    expect(Date.parse(String(previousValidUntil)) - before).toBeGreaterThan(86_000_000)
    const now = 'application rotate-secret web --set overlapSeconds=0'
    expect(await run(now)).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') })
    expect((await run(`${now} --yes`)).code).toBe(0)
  })
})

describe('application create', () => {
  it.each([
    [
      'web --redirect-uri https://w.example/cb',
      { type: 'web', name: 'web', authMethod: 'client_secret_basic', clientSecret: expect.any(String) },
    ],
    [
      'spa --name Portal --redirect-uri https://Spa.example:443/cb --redirect-uri http://localhost:5173/cb',
      {
        type: 'userAgent',
        name: 'Portal',
        authMethod: 'none',
        allowedOrigins: ['https://spa.example', 'http://localhost:5173'],
        grantTypes: ['authorization_code', 'refresh_token'],
      },
    ],
    ['native --redirect-uri http://127.0.0.1/cb', { type: 'native', authMethod: 'none', mayCallApi: false }],
    ['api', { type: 'api', authMethod: 'client_secret_basic', grantTypes: [] }],
    [
      'native --redirect-uri http://127.0.0.1/cb --set firstParty=true --set name=Own',
      { firstParty: true, name: 'Own' },
    ],
  ])('%s has the settings of its kind', async (line, settings) => {
    expect(await json(`application create ${line} --project shop`)).toMatchObject({
      projectId: 'shop',
      ...settings,
    })
  })
})

it('policies show the values in force and their source', async () => {
  const { out } = await run('password-complexity-policy read home')
  expect(out).toMatch(/^effective\.minLength +8 \(instance\)$/m)
  await json('password-complexity-policy set home --set minLength=12')
  expect((await run('password-complexity-policy read home')).out).toMatch(
    /^effective\.minLength +12 \(organization\)$/m,
  )
})

/** The document that the description of the API has as an example. */
async function exampleMetadata(): Promise<string> {
  const text = await readFile(new URL('../../directory/openapi.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(text)
  const { requestBody } = paths['/management/v1/identity-providers/{providerId}/metadata'].post
  return requestBody.content['application/json'].example.metadata
}
