const SAYS_WHY = ['fix', 'perf', 'refactor']

export default {
  extends: ['@commitlint/config-conventional'],
  plugins: [
    {
      rules: {
        'body-says-why': ({ type, body }) => [
          !SAYS_WHY.includes(type) || Boolean(body?.trim()),
          `a ${type} commit has a body that says why, for perf with the measurement`,
        ],
      },
    },
  ],
  rules: {
    'header-max-length': [2, 'always', 72],
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
    'body-says-why': [2, 'always'],
  },
}
