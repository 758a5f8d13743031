// The folders of an app import each other in one direction. Tests and the packages are not looked at: a test may start a whole app.
import modules from './.dependency-cruiser.mjs'

export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      severity: 'error',
      comment:
        'A feature imports the ground and the features below it; only the files at the root of an app import all.',
      scope: 'folder',
      from: { path: '^apps/[^/]+/src' },
      to: { circular: true },
    },
  ],
  options: modules.options,
}
