import type { McpServer, McpServers } from '../../model/agent/mcpServer.ts';

/** First measured version that forwards variables by name and supports servers over HTTP. */
export const serversSince = '0.77.0';

interface CodexServers {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Variables with a meaning for Codex or every program: they cannot be set for a single server. */
const reservedVariables =
  /^(?:PATH|HOME|USER|SHELL|TMPDIR|LANG|LC_.*|LD_.*|DYLD_.*|NODE_.*|SSL_.*|https?_proxy|no_proxy|all_proxy|OPENAI_.*|CODEX_.*|RUST_.*)$/i;

/**
 * Codex accepts servers as configuration values. All users of the machine can read arguments, so variables and headers are
 * passed in the environment if their names permit it.
 */
export function codexServers(servers: McpServers): CodexServers {
  const args: string[] = [];
  const variables = new Map<string, string>();
  const set = (name: string, key: string, value: unknown): void => {
    args.push('-c', `mcp_servers.${name}.${key}=${toml(value)}`);
  };
  for (const [name, server] of Object.entries(servers)) {
    if (server.type === 'stdio') stdio(server, variables, (key, value) => set(name, key, value));
    else setHttpServer(server, variables, (key, value) => set(name, key, value));
  }
  return { args, variables: Object.fromEntries(variables) };
}

type SetValue = (key: string, value: unknown) => void;
type ServerOfType<T extends McpServer['type']> = Extract<McpServer, { type: T }>;

function stdio({ command, args, env }: ServerOfType<'stdio'>, variables: Map<string, string>, set: SetValue): void {
  set('command', command);
  if (args.length > 0) set('args', args);
  const forwarded: string[] = [];
  const inline = new Map<string, string>();
  for (const [key, value] of Object.entries(env)) {
    const other = variables.get(key);
    if (reservedVariables.test(key) || (other !== undefined && other !== value)) inline.set(key, value);
    else {
      variables.set(key, value);
      forwarded.push(key);
    }
  }
  if (forwarded.length > 0) set('env_vars', forwarded);
  if (inline.size > 0) set('env', Object.fromEntries(inline));
}

function setHttpServer({ url, headers }: ServerOfType<'http'>, variables: Map<string, string>, set: SetValue): void {
  set('url', url);
  const names = Object.entries(headers).map(([header, value]) => {
    const variable = `VITRINE_MCP_HEADER_${variables.size}`;
    variables.set(variable, value);
    return [header, variable] as const;
  });
  if (names.length > 0) set('env_http_headers', Object.fromEntries(names));
}

/** Texts, lists of texts and tables of texts. TOML uses the escapes of JSON, except this one. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, setting]) => `${toml(key)} = ${toml(setting)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
