/*
 * The linter of the page: what tsc does not see. `make test` runs it where node
 * and eslint are (tests/interop/test_view_browser.py).
 */
import { createRequire } from 'node:module';

const { env } = globalThis.process;
const js = createRequire(env.ESLINT_HOME ?? import.meta.url)('@eslint/js');

export default [
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      /* tsc knows which names there are. */
      'no-undef': 'off',
      /* Names of files are cleaned by patterns with such characters. */
      'no-control-regex': 'off',
      'no-var': 'error',
      'prefer-const': 'error',
      'eqeqeq': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-self-compare': 'error',
      'no-throw-literal': 'error',
      'no-unused-expressions': ['error', { allowShortCircuit: true,
        allowTernary: true }],
      'no-use-before-define': ['error', { functions: false, classes: false,
        variables: false }],
      'no-shadow': 'error',
      'no-constant-binary-expression': 'error',
      'no-unmodified-loop-condition': 'error',
      'max-len': ['error', { code: 82, ignoreRegExpLiterals: true,
        ignoreStrings: false, ignoreTemplateLiterals: false }],
      'complexity': ['error', 20],
      'max-depth': ['error', 4],
      /* Text from files is never markup. */
      'no-restricted-properties': ['error',
        { property: 'innerHTML' }, { property: 'outerHTML' },
        { property: 'insertAdjacentHTML' },
        { object: 'document', property: 'write' }],
    },
  },
];
