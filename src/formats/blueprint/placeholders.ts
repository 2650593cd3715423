import type { McpServer, McpServers } from '../../model/agent/mcpServer.ts';

/** Values of `${env:…}`, `${workspaceFolder}` and `${input:…}` when an agent starts. */
export interface PlaceholderValues {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  /** Values entered by the user, by name. */
  readonly inputs: Readonly<Record<string, string>>;
}

const placeholder = /\$\{([^{}]*)\}/g;
const known = /^(?:workspaceFolder|env:[A-Za-z_][A-Za-z0-9_]*|input:[A-Za-z0-9][\w.-]*)$/;

/** Names of the inputs in MCP servers, without duplicates. */
export function inputsOf(servers: McpServers): readonly string[] {
  const names = texts(servers).flatMap(({ text }) =>
    [...text.matchAll(placeholder)].map(([whole]) => whole.slice(2, -1)),
  );
  return [...new Set(names.filter((name) => name.startsWith('input:')).map((name) => name.slice('input:'.length)))];
}

/** Invalid placeholders with their positions. */
export function placeholderProblems(
  servers: McpServers,
): readonly { readonly path: readonly (string | number)[]; readonly message: string }[] {
  return texts(servers).flatMap(({ path, text }) =>
    [...text.matchAll(placeholder)]
      .filter(([whole]) => !known.test(whole.slice(2, -1)))
      .map(([whole]) => ({
        path,
        message: `Unknown variable: ${whole}. Use \${env:NAME}, \${workspaceFolder} or \${input:name}.`,
      })),
  );
}

/** Fills in placeholders. `missing` lists those without a value, such as `env:TOKEN`, which become empty. */
export function fillPlaceholders(
  servers: McpServers,
  values: PlaceholderValues,
): { readonly servers: McpServers; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const valueOf = (whole: string, name: string): string => {
    if (!known.test(name)) return whole;
    const found = resolvePlaceholder(name, values);
    if (found === undefined) missing.add(name);
    return found ?? '';
  };
  const fill = (text: string): string => text.replace(placeholder, valueOf);
  const filled = Object.entries(servers).map(([name, server]) => [name, mapTexts(server, fill)] as const);
  return { servers: Object.fromEntries(filled), missing: [...missing] };
}

function resolvePlaceholder(name: string, { env, workspaceFolder, inputs }: PlaceholderValues): string | undefined {
  if (name === 'workspaceFolder') return workspaceFolder;
  const key = name.slice(name.indexOf(':') + 1);
  const from = name.startsWith('env:') ? env : inputs;
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

function mapTexts(server: McpServer, change: (text: string) => string): McpServer {
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
  return server.type === 'stdio'
    ? { ...server, command: change(server.command), args: server.args.map(change), env: all(server.env) }
    : { ...server, url: change(server.url), headers: all(server.headers) };
}

function texts(servers: McpServers): readonly { readonly path: readonly (string | number)[]; readonly text: string }[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    const values = (field: 'env' | 'headers', record: Readonly<Record<string, string>>) =>
      Object.entries(record).map(([key, text]) => ({ path: [name, field, key], text }));
    if (server.type === 'http')
      return [{ path: [name, 'url'], text: server.url }, ...values('headers', server.headers)];
    const args = server.args.map((text, at) => ({ path: [name, 'args', at], text }));
    return [{ path: [name, 'command'], text: server.command }, ...args, ...values('env', server.env)];
  });
}
