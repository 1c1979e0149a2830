import { defineConfig, type OxlintOverride } from 'oxlint'

/**
 * The direction of imports, enforced: kernel ← domain ← contract ← application ← edges ← server.
 * An adapter imports the port it fills; only the composition root (packages/server) knows adapters by name.
 * A workspace that is not named here (server, test) may import everything.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'packages/kernel': [],
  'packages/domain': ['kernel'],
  'packages/contract': ['kernel', 'domain'],
  'packages/application': ['kernel', 'domain', 'contract'],
  'packages/http': ['kernel', 'domain', 'contract', 'application', 'client', 'mcp'],
  'packages/client': [],
  'packages/mcp': ['kernel', 'contract', 'client'],
  'packages/console': ['client'],
  'packages/cli': ['kernel', 'contract', 'client', 'mcp'],
  'packages/event-store': ['kernel', 'application'],
  'packages/artifacts': ['kernel', 'application'],
  'packages/embedder': ['kernel', 'application'],
  'packages/messaging': ['kernel', 'domain', 'contract', 'application'],
  'packages/providers': ['kernel', 'application'],
  'packages/understanding': ['kernel', 'application', 'embedder'],
  'packages/read-model': ['kernel', 'domain', 'contract', 'application'],
  workflows: ['kernel', 'domain', 'contract', 'application'],
  projections: ['kernel', 'domain', 'contract', 'application'],
}
const PURE = ['packages/kernel', 'packages/domain']

const boundaries: OxlintOverride[] = Object.entries(MAY_IMPORT).map(([folder, allowed]) => {
  const own = folder.replace('packages/', '')
  const patterns: { group?: string[]; regex?: string; message: string }[] = [
    {
      group: [
        '@medialog/*',
        ...[own, ...allowed].flatMap((name) => [`!@medialog/${name}`, `!@medialog/${name}/*`]),
      ],
      message: `${folder} may import ${allowed.join(', ') || 'no other workspace'} only: see oxlint.config.ts.`,
    },
    {
      group: ['**/packages/**', '**/workflows/**', '**/projections/**'],
      message: 'Import other workspaces by name.',
    },
  ]
  if (PURE.includes(folder))
    patterns.push({ regex: '^([a-z]|@[^m])', message: `${folder} is pure: no platform and no library.` })
  return {
    files: [`${folder}/src/**/*.{ts,tsx}`],
    excludeFiles: ['**/*.test.ts', '**/testing/**'],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  }
})

export default defineConfig({
  jsPlugins: ['./oxlint.names.js'],
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-non-null-assertion': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/require-module-specifiers': 'off',
    'typescript/consistent-return': 'off',
    // Does not see what an awaited callback changes.
    'eslint/no-unmodified-loop-condition': 'off',
    'eslint/no-shadow': 'off',
    'eslint/no-await-in-loop': 'off',
    'eslint/no-underscore-dangle': 'off',
    'eslint/prefer-const': 'error',
    'eslint/eqeqeq': 'error',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'medialog/no-object-as-map': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-disabled-tests': 'error',
    'vitest/expect-expect': [
      'error',
      { assertFunctionNames: ['expect', 'expect*', 'fc.assert', 'given', 'run', 'check'] },
    ],
    // In a loop over what was found, a condition picks what the expectation is about.
    'vitest/no-conditional-expect': 'off',
    // The second argument says what was expected, where a failure would not.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
  },
  overrides: [
    ...boundaries,
    // What tests look up by a name, they name themselves.
    {
      files: ['test/**', '**/*.test.ts', '**/testing/**'],
      rules: { 'medialog/no-object-as-map': 'off' },
    },
    // Hooks in a fixed order, and what assistive technology can use.
    {
      files: ['packages/console/src/**'],
      plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest', 'react', 'jsx-a11y'],
      rules: {
        'react/rules-of-hooks': 'error',
        'react/jsx-key': 'error',
        'jsx-a11y/alt-text': 'error',
        'jsx-a11y/anchor-is-valid': 'error',
        'jsx-a11y/aria-props': 'error',
        'jsx-a11y/aria-proptypes': 'error',
        'jsx-a11y/aria-role': 'error',
        'jsx-a11y/click-events-have-key-events': 'error',
        'jsx-a11y/label-has-associated-control': 'error',
        'jsx-a11y/no-static-element-interactions': 'error',
        'jsx-a11y/role-has-required-aria-props': 'error',
        'jsx-a11y/role-supports-aria-props': 'error',
        'jsx-a11y/tabindex-no-positive': 'error',
      },
    },
    // Tables of what tests do: each entry is run by one.
    { files: ['test/src/contract/shown-*.ts'], rules: { 'vitest/no-standalone-expect': 'off' } },
  ],
  ignorePatterns: ['node_modules', 'test/fixtures', 'data', '**/vendor/**'],
})
