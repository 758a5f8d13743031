/** A problem of a bootstrap file and its path: `organizations[0].users[1].email`. */
export interface FileProblem {
  readonly path: string
  readonly rule: string
}

export function problemText({ path, rule }: FileProblem): string {
  return `${path}: ${rule}`
}
