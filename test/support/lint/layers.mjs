/**
 * The layers of ARCHITECTURE.md as a table, and the lint rule that holds every import against it.
 * A rule of our own, because `no-restricted-imports` sees neither `import()` nor where a relative path leads.
 */
import path from 'node:path';

const effects = ['fs', 'fs/promises', 'child_process', 'cluster', 'net', 'http', 'https', 'http2', 'worker_threads'];
const pure = ['text', 'model', 'agents', 'insight', 'formats', 'coordinator'];

/**
 * Per layer: `layers` it may import (beside itself), `types` it may import as types only, `packages` (`*` is any but the
 * `except`ed ones), `node` built-ins (`*` is any but the `except`ed ones).
 */
const table = {
  text: { dir: 'src/text', packages: ['marked'] },
  model: { dir: 'src/model', packages: ['zod'] },
  agents: { dir: 'src/agents', layers: ['model', 'text'], packages: ['zod', 'eventsource-parser'] },
  insight: { dir: 'src/insight', layers: ['model', 'text'], packages: ['zod'] },
  formats: { dir: 'src/formats', layers: ['model', 'text'], packages: ['zod', 'marked', 'yaml'] },
  coordinator: { dir: 'src/coordinator', layers: ['model'], packages: ['zod'] },
  protocol: { dir: 'src/protocol', layers: ['model'], packages: ['zod'] },
  engine: { dir: 'src/engine', layers: pure, packages: ['*'], node: ['*'], except: ['vscode'] },
  transport: { dir: 'src/transport', packages: ['zod', 'vscode-jsonrpc'], node: ['*'] },
  daemon: {
    dir: 'src/daemon',
    layers: ['engine', 'transport', 'protocol', ...pure],
    packages: ['zod', 'vscode-jsonrpc'],
    node: ['*'],
  },
  client: {
    dir: 'src/client',
    layers: ['transport', 'protocol', 'model'],
    packages: ['zod', 'vscode-jsonrpc'],
    node: ['*'],
  },
  cli: {
    dir: 'src/cli',
    layers: ['client', 'engine', 'protocol', ...pure],
    packages: ['*'],
    node: ['*'],
    except: ['vscode'],
  },
  vscode: {
    dir: 'src/vscode',
    layers: ['client', 'engine', 'protocol', ...pure],
    packages: ['*'],
    node: ['*'],
    except: ['execa', ...effects],
  },
  extension: {
    dir: 'src/extension.ts',
    layers: ['vscode', 'engine', 'protocol', ...pure],
    packages: ['vscode'],
    node: ['path'],
  },
  webview: {
    dir: 'webview',
    layers: ['protocol', 'text'],
    types: ['model', 'zod'],
    packages: ['*'],
    except: ['vscode', 'zod', 'execa'],
  },
};

function layerOf(file) {
  return Object.keys(table).find((name) => file === table[name].dir || file.startsWith(`${table[name].dir}/`));
}

const listed = (list, name, except = []) => list?.includes(name) || (list?.includes('*') && !except.includes(name));

/** Why `from` may not import `specifier`, or undefined if it may. */
function objection(root, from, specifier, typeOnly) {
  const layer = layerOf(path.posix.relative(root, from));
  if (layer === undefined) return 'this file belongs to no layer';
  const rule = table[layer];
  if (!specifier.startsWith('.')) {
    const builtin = specifier.startsWith('node:');
    const name = builtin
      ? specifier.slice('node:'.length)
      : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    if (listed(builtin ? rule.node : rule.packages, name, rule.except)) return undefined;
    if (typeOnly && rule.types?.includes(name)) return undefined;
    return `${layer} may not import ${specifier}`;
  }
  const target = path.posix.relative(root, path.posix.resolve(path.posix.dirname(from), specifier));
  const other = layerOf(target);
  if (other === layer || rule.layers?.includes(other)) return undefined;
  if (rule.types?.includes(other)) {
    return typeOnly ? undefined : `${layer} may import ${other} as types only`;
  }
  return `${layer} may not import ${other ?? target}`;
}

function isTypeOnly(node) {
  if (node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType') return true;
  const named = node.specifiers ?? [];
  return named.length > 0 && named.every((each) => each.importKind === 'type' || each.exportKind === 'type');
}

const layersRule = {
  meta: { type: 'problem', docs: { description: 'Imports follow the layers.' }, schema: [] },
  create(context) {
    const slashes = (name) => name.split(path.sep).join('/');
    const check = (node, source) => {
      if (typeof source?.value !== 'string') return;
      const message = objection(slashes(context.cwd), slashes(context.filename), source.value, isTypeOnly(node));
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal),
    };
  },
};

export const vitrine = { rules: { layers: layersRule } };
