// Checks the first line of a commit message: `type(scope): what it does`, as conventionalcommits.org defines it.
import { readFileSync } from 'node:fs'

const TYPES = 'feat|fix|perf|refactor|docs|test|build|ci|chore|revert'
const SUBJECT = new RegExp(`^(${TYPES})(\\([a-z0-9-]+\\))?!?: [a-z0-9\`].*[^.]$`)
const MAX_LENGTH = 100
// git's own, for merges and for commits that a later rebase takes up.
const WRITTEN_BY_GIT = /^(Merge|Revert|fixup!|squash!) /

const [subject = ''] = readFileSync(process.argv[2] ?? '/dev/stdin', 'utf8').split('\n')
if (!WRITTEN_BY_GIT.test(subject) && !(SUBJECT.test(subject) && subject.length <= MAX_LENGTH)) {
  console.error(
    `"${subject}" is not "type(scope): what it does", in at most ${MAX_LENGTH} characters without a full stop`,
  )
  console.error(`types: ${TYPES.replaceAll('|', ', ')}; repair it with: git commit --amend`)
  process.exit(1)
}
