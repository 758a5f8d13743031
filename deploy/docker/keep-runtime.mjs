// node keep-runtime.mjs FOLDER
//
// Copies into FOLDER what Node.js needs of the image that this runs in: the program, its shared libraries, certificate
// authorities, time zones and the user. The final image has nothing else: no shell, npm or apt.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'

const [folder = ''] = process.argv.slice(2)
const output = (...[program, ...args]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function placeFor(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  return join(folder, path)
}
const write = (path, content) => writeFileSync(placeFor(path), content)
/** A link becomes the file that it leads to. */
const copy = (path) => copyFileSync(path, placeFor(path))

const libraries = output('ldd', process.execPath).matchAll(/(\/\S+) \(0x/g)
const needed = [process.execPath, ...[...libraries].map(([, path]) => path)]
/** Native add-ons need other libraries of the C library's package than Node.js does, such as librt. */
const ofC = output('dpkg-query', '--listfiles', 'libc6').match(/^\/.*\/lib[^/]*\.so\.\d+$/gm) ?? []
const files = [...new Set([...needed, ...ofC])]
for (const path of files) copy(path)

const ZONES = '/usr/share/zoneinfo'
if (existsSync(ZONES)) cpSync(ZONES, join(folder, ZONES), { recursive: true, verbatimSymlinks: true })

// The authorities that Node.js trusts by itself, for settings that name a file.
write('/etc/ssl/certs/ca-certificates.crt', `${rootCertificates.join('\n')}\n`)
write('/etc/passwd', 'root:x:0:0:root:/:/sbin/nologin\nsignet:x:65532:65532:signet:/:/sbin/nologin\n')
write('/etc/group', 'root:x:0:\nsignet:x:65532:\n')
write('/etc/nsswitch.conf', 'hosts: files dns\n')
mkdirSync(join(folder, 'tmp'))
chmodSync(join(folder, 'tmp'), 0o1777)

// One file for each Debian package that a copied file is from: scanners of images read this folder.
const owners = files.flatMap((path) => [path, realpathSync(path)]).map(ownerOf)
for (const name of new Set([...owners, ...(existsSync(ZONES) ? ['tzdata'] : [])].filter(Boolean)))
  write(`/var/lib/dpkg/status.d/${name}`, output('dpkg-query', '--status', name))
copy('/etc/os-release')

/** The Debian package of a file, with or without the /usr that a merged file system puts before it. */
function ownerOf(path) {
  for (const name of [path, path.replace(/^\/usr/, ''), `/usr${path}`]) {
    try {
      return output('dpkg-query', '--search', name).split(':')[0]
    } catch {
      // Not a name that dpkg knows the file by.
    }
  }
  return undefined
}
