import { openSuite } from './access/suite-access.ts'
import { bodyOf } from './api/suite.ts'
import { type AddCommand, type CommandContext, createReadFailure, textOf } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption } from './output.ts'

interface KeySet {
  readonly keys: never[]
}

/** The options of a platform by their names in camel case, such as `serviceAccount`. */
type Given = Readonly<Record<string, string | undefined>>

interface Platform {
  readonly needs: readonly string[]
  readonly takes: readonly string[]
  trust(given: Given): {
    readonly issuer: string
    readonly subject: string
    readonly claims?: Readonly<Record<string, string | undefined>>
  }
}

/** The claims by which the tokens of a platform name their workload. Names that others can take over are never enough. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  kubernetes: {
    needs: ['issuer', 'namespace', 'serviceAccount'],
    takes: ['keySet'],
    trust: ({ issuer = '', namespace, serviceAccount }) => ({
      issuer,
      subject: `system:serviceaccount:${namespace}:${serviceAccount}`,
    }),
  },
  github: {
    needs: ['owner', 'repositoryId'],
    takes: ['environment', 'workflow'],
    trust: ({ owner, repositoryId, environment, workflow }) => ({
      issuer: 'https://token.actions.githubusercontent.com',
      subject: `repo:${owner}/*`,
      claims: { repository_id: repositoryId, environment, job_workflow_ref: workflow },
    }),
  },
  gitlab: {
    needs: ['group', 'projectId'],
    takes: ['issuer', 'environment'],
    trust: ({ issuer = 'https://gitlab.com', group, projectId, environment }) => ({
      issuer,
      subject: `project_path:${group}/*`,
      claims: { project_id: projectId, environment },
    }),
  },
  spiffe: {
    needs: ['issuer', 'spiffeId'],
    takes: ['keySet'],
    trust: ({ issuer = '', spiffeId = '' }) => ({ issuer, subject: spiffeId }),
  },
  oidc: {
    needs: ['issuer', 'subject'],
    takes: ['keySet'],
    trust: ({ issuer = '', subject = '' }) => ({ issuer, subject }),
  },
}

/** `trust add` lets a service user or an application authenticate with the token that its platform gives it. */
export function addTrustCommand(add: AddCommand, context: CommandContext): void {
  add('trust add')
    .description('lets a service user or an application authenticate with the token of its platform')
    .argument('<platform>', Object.keys(PLATFORMS).join(', '))
    .option('--user <user>', 'the service user that trusts the platform')
    .option('--application <application>', 'the application that trusts it, instead of a service user')
    .option('--id <id>', 'the id of the trust; generated when left out')
    .option('--issuer <url>', 'iss of the tokens, character by character')
    .option(
      '--key-set <file>',
      'the key set of an issuer that Signet cannot reach, or a SPIFFE bundle; - for standard input',
    )
    .option('--namespace <name>', 'kubernetes: the namespace of the service account')
    .option('--service-account <name>', 'kubernetes: the service account of the pods')
    .option('--owner <name>', 'github: the owner of the repository')
    .option('--repository-id <number>', 'github: the id of the repository, which nobody else can have')
    .option(
      '--workflow <ref>',
      'github: the workflow, such as acme/shop/.github/workflows/x.yml@refs/heads/main',
    )
    .option('--group <path>', 'gitlab: the group of the project')
    .option('--project-id <number>', 'gitlab: the id of the project')
    .option('--environment <name>', 'github, gitlab: the environment of the job')
    .option('--spiffe-id <uri>', 'spiffe: the id of the workload')
    .option('--subject <text>', 'oidc: sub of the tokens')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
  signet trust add kubernetes --user orders --issuer https://kubernetes.example.com \\
    --namespace shop --service-account orders
  signet trust add github --application shop --owner acme --repository-id 123456789 --environment production

The audience of the tokens is the issuer of Signet. docs/guides/workloads.md has what else they must say.`,
    )
    .action(async (name, { user, application, id, output, ...given }) => {
      const { issuer, subject, claims = {} } = trustOf(name, given)
      if ((user === undefined) === (application === undefined))
        throw new UsageError('give --user or --application')
      const body = {
        ...(id !== undefined && { id }),
        issuer,
        subject,
        claims: Object.fromEntries(
          Object.entries(claims).flatMap(([claim, value]) => (value === undefined ? [] : [[claim, value]])),
        ),
        keySet: given.keySet === undefined ? null : keysOf(name, await keySetOf(given.keySet, context)),
      }
      const { management } = await openSuite(context)
      const { userId, applicationId } = await withIds(
        { userId: user ?? '', applicationId: application ?? '' },
        management,
        context,
      )
      const made =
        user === undefined
          ? await management.POST('/management/v1/applications/{applicationId}/trusted-issuers', {
              params: { path: { applicationId } },
              body,
            })
          : await management.POST('/management/v1/users/{userId}/trusted-issuers', {
              params: { path: { userId } },
              body,
            })
      context.say(output(bodyOf(made)))
    })
}

function trustOf(name: string, given: Given) {
  const platform = Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined
  if (platform === undefined)
    throw new UsageError(`the platform must be ${Object.keys(PLATFORMS).join(', ')}`)
  const { needs, takes, trust } = platform
  const missing = needs.filter((option) => given[option] === undefined)
  if (missing.length > 0) throw new UsageError(`${name} needs ${missing.map(flagOf).join(', ')}`)
  const surplus = Object.keys(given).filter((option) => ![...needs, ...takes].includes(option))
  if (surplus.length > 0) throw new UsageError(`${name} does not take ${surplus.map(flagOf).join(', ')}`)
  return trust(given)
}

const flagOf = (option: string) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/**
 * Returns the key set that is uploaded. A SPIFFE bundle (SPIFFE Trust Domain and Bundle section 4) has the authorities of X.509-SVIDs
 * beside the keys of JWT-SVIDs, which it names by a `use` of its own.
 */
function keysOf(platform: string, given: KeySet): KeySet {
  const keys: unknown = given?.keys
  if (platform !== 'spiffe' || !Array.isArray(keys)) return given
  const isOfBundle = keys.some((key) => key?.use === 'jwt-svid' || key?.use === 'x509-svid')
  if (!isOfBundle) return given
  const ofJwt = keys.flatMap(({ use, ...key }) => (use === 'jwt-svid' ? [key as never] : []))
  if (ofJwt.length === 0) throw new UsageError('--key-set: the bundle has no key of JWT-SVIDs')
  return { keys: ofJwt }
}

async function keySetOf(file: string, context: CommandContext): Promise<KeySet> {
  const text = await textOf(file, context).catch(createReadFailure(file, '--key-set: '))
  try {
    return JSON.parse(text) as KeySet
  } catch {
    throw new UsageError(`--key-set: ${file} is no JSON`)
  }
}
