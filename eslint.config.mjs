import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { textKeys } from './test/support/lint/textKeys.mjs';

const pureFolders = ['text', 'model', 'agents', 'insight', 'formats', 'coordinator', 'protocol'].map(
  (folder) => `src/${folder}/**/*.ts`,
);

const zodForm = {
  selector:
    "ImportDeclaration[source.value=/^zod/] > :matches(ImportSpecifier[importKind!='type'], ImportDefaultSpecifier)",
  message: "Write `import * as z from 'zod'`: the other forms bundle five times as much.",
};
const barrel = { selector: 'ExportAllDeclaration', message: 'No barrel files: import from where it is defined.' };
const clock = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'No clock in pure code: take the time as an argument.',
  },
  {
    selector: ":matches(NewExpression, CallExpression)[callee.name='Date'][arguments.length=0]",
    message: 'No clock in pure code: take the time as an argument.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'No randomness in pure code: take the value as an argument.',
  },
];
const focusedTest = {
  selector: 'MemberExpression[object.name=/^(describe|it|suite|test)$/][property.name=/^(only|skip)$/]',
  message: 'No focused or silenced tests: a test that cannot run here calls this.skip() after saying why.',
};

export default defineConfig(
  { ignores: ['dist/', '.vscode-test/', 'test-results/', 'test/sample-workspace/'] },
  // A rule that is wrong is changed here, for everyone; there are no exceptions in the code.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: ['tsconfig.lint.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unsafe-type-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'max-lines': ['error', { max: 400 }],
      'no-console': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-restricted-syntax': ['error', zodForm, barrel],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'webview/**/*.ts'],
    plugins: { vitrine: { rules: { 'text-keys': textKeys } } },
    rules: { 'vitrine/text-keys': 'error' },
  },
  { files: pureFolders, rules: { 'no-restricted-syntax': ['error', zodForm, barrel, ...clock] } },
  { files: ['src/cli/**/*.ts', 'test/support/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-type-assertion': 'off',
      'no-restricted-syntax': ['error', zodForm, barrel, focusedTest],
    },
  },
);
