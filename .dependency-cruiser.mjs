/**
 * The layers of ARCHITECTURE.md and the ban on import cycles, as rules of dependency-cruiser (`npm run lint:imports`).
 * Every import counts: static, `import()`, re-exports and types.
 */

const effects = ['fs', 'fs/promises', 'child_process', 'cluster', 'net', 'http', 'https', 'http2', 'worker_threads'];
const pure = ['text', 'model', 'agents', 'insight', 'formats', 'coordinator'];

/**
 * Per layer: the other `layers`, `packages` and `node` built-ins that it may import, and `types` for what it may import
 * as types only. `*` is everything that is not in `except`.
 */
const layers = {
  text: { packages: ['marked'] },
  model: { packages: ['zod'] },
  agents: { layers: ['model', 'text'], packages: ['zod', 'eventsource-parser'] },
  insight: { layers: ['model', 'text'], packages: ['zod'] },
  formats: { layers: ['model', 'text'], packages: ['zod', 'marked', 'yaml'] },
  coordinator: { layers: ['model'], packages: ['zod'] },
  protocol: { layers: ['model', 'coordinator'], packages: ['zod'] },
  pages: { layers: ['protocol', 'model', 'insight', 'text'], packages: ['zod'] },
  engine: { layers: pure, packages: '*', node: '*', except: ['vscode'] },
  transport: { packages: ['zod', 'vscode-jsonrpc'], node: '*' },
  team: { layers: pure, packages: ['zod', 'pg', 'node-pg-migrate'], node: '*' },
  daemon: {
    layers: ['client', 'engine', 'team', 'transport', 'protocol', ...pure],
    packages: ['zod', 'vscode-jsonrpc'],
    node: '*',
  },
  client: { layers: ['transport', 'protocol', 'coordinator', 'model'], packages: ['zod', 'vscode-jsonrpc'], node: '*' },
  cli: { layers: ['client', 'engine', 'team', 'protocol', ...pure], packages: '*', node: '*', except: ['vscode'] },
  vscode: {
    layers: ['client', 'engine', 'protocol', 'pages', ...pure],
    packages: '*',
    node: '*',
    except: ['execa', ...effects],
  },
  extension: {
    folder: '^src/extension[.]ts$',
    layers: ['vscode', 'engine', 'protocol', ...pure],
    packages: ['vscode'],
    node: ['path'],
  },
  webview: {
    folder: '^webview/(?!exported/)',
    layers: ['protocol', 'text'],
    types: ['model', 'zod'],
    packages: '*',
    except: ['vscode', 'zod', 'execa'],
  },
  exported: {
    folder: '^webview/exported/',
    layers: ['webview', 'pages', 'protocol'],
    types: ['model'],
    packages: ['lit', 'zod'],
  },
};

const folderOf = (layer) => layers[layer].folder ?? `^src/${layer}/`;
const builtin = (names) => `^(?:node:)?(?:${names.join('|')})$`;
const packaged = (names) => `(?:^|node_modules/)(?:@types/)?(?:${names.join('|')})(?:/|$)`;

/** Also one that is not installed. */
const anyPackage = '^(?!(?:src|webview|test|bench)/)';

function rulesOf([layer, { layers: others = [], types = [], packages, node = [], except = [] }]) {
  const from = { path: folderOf(layer) };
  const own = (names) => names.filter((name) => name in layers).map(folderOf);
  const foreign = (names) => names.filter((name) => !(name in layers));
  const allPackages = packages === '*';
  const allBuiltins = node === '*';
  const mayImport = [
    folderOf(layer),
    ...own([...others, ...types]),
    allPackages ? anyPackage : packaged([...packages, ...foreign(types)]),
    builtin(allBuiltins ? ['[a-z0-9_/]+'] : node),
  ];
  const forbidden = [{ name: `${layer}-may-not-import`, severity: 'error', from, to: { pathNot: mayImport } }];
  const runtime = [...own(types), ...(types.length > 0 ? [packaged(foreign(types))] : [])];
  if (runtime.length > 0) {
    const to = { path: runtime, dependencyTypesNot: ['type-only', 'type-import'] };
    forbidden.push({ name: `${layer}-may-import-types-only`, severity: 'error', from, to });
  }
  const banned = except.filter((name) => !types.includes(name));
  if (banned.length > 0) {
    const to = { path: [packaged(banned), builtin(banned)] };
    forbidden.push({ name: `${layer}-may-not-import-effects`, severity: 'error', from, to });
  }
  return forbidden;
}

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Move what both files need into a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'file-belongs-to-no-layer',
      comment: 'Every file under src is in a folder of ARCHITECTURE.md.',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(layers).map(folderOf) },
      to: {},
    },
    ...Object.entries(layers).flatMap(rulesOf),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    builtInModules: { add: ['vscode'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
};
