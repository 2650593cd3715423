import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { McpServers } from '../../model/agent/mcpServer.ts';
import { field, nonEmpty, objects } from '../shared/guards.ts';
import { presetOf, type AcpPreset } from './presets.ts';

/** The only version of the protocol that is spoken here. */
export const protocolVersion = 1;

/** Told to the agent when it is greeted; `preset`: what is known of it by then. */
export function initializeParams(clientVersion: string, preset: AcpPreset | undefined): JsonObject {
  const files = preset?.quirks.clientFiles ?? true;
  return {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: files, writeTextFile: files }, terminal: true },
    clientInfo: { name: 'vitrine', title: 'Vitrine', version: clientVersion },
  };
}

/** What the answer to `initialize` says that decides how to continue. */
export interface Greeting {
  readonly version: number | null;
  readonly preset: AcpPreset | undefined;
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** Speaks with MCP servers over HTTP. */
  readonly canHttpServers: boolean;
  /** Tells which conversations it keeps. */
  readonly canList: boolean;
  readonly logins: readonly Login[];
}

interface Login {
  readonly name: string;
  readonly description: string | undefined;
}

/** `sessionOfArgument`: the preset by which the agent was started; what the agent calls itself says more. */
export function greetingOf(answer: unknown, given: AcpPreset | undefined): Greeting {
  const version = field(answer, 'protocolVersion');
  const capabilities = field(answer, 'agentCapabilities');
  const session = field(capabilities, 'sessionCapabilities');
  return {
    version: typeof version === 'number' ? version : null,
    preset: presetOf(nonEmpty(field(field(answer, 'agentInfo'), 'name')) ?? null) ?? given,
    canResume: isObject(field(session, 'resume')),
    canLoad: field(capabilities, 'loadSession') === true,
    canHttpServers: field(field(capabilities, 'mcpCapabilities'), 'http') === true,
    canList: isObject(field(session, 'list')),
    logins: objects(field(answer, 'authMethods')).flatMap((method) => {
      const name = nonEmpty(method['name']) ?? nonEmpty(method['id']);
      return name === undefined ? [] : [{ name, description: nonEmpty(method['description']) }];
    }),
  };
}

export type Opening =
  { readonly method: 'session/new' | 'session/resume' | 'session/load'; readonly params: JsonObject } | 'impossible';

/** How the conversation is begun, or resumed: without its history where the agent can do that. */
export function openingOf(greeting: Greeting, resume: string | null, cwd: string, servers: McpServers = {}): Opening {
  const place = { cwd, mcpServers: takenServers(greeting, servers) };
  if (resume === null) return { method: 'session/new', params: place };
  const params = { sessionId: resume, ...place };
  const known = greeting.preset?.quirks.resume;
  if (greeting.canResume && known !== 'load' && known !== 'none') return { method: 'session/resume', params };
  if (greeting.canLoad && known !== 'none') return { method: 'session/load', params };
  return 'impossible';
}

/** As the protocol says them. Every agent speaks over stdio, some over HTTP. */
function takenServers({ canHttpServers }: Greeting, servers: McpServers): readonly JsonObject[] {
  const pairs = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).map(([name, value]) => ({ name, value }));
  return Object.entries(servers).flatMap(([name, server]): JsonObject[] => {
    if (server.type === 'stdio') {
      return [{ name, command: server.command, args: server.args, env: pairs(server.env) }];
    }
    return canHttpServers ? [{ type: 'http', name, url: server.url, headers: pairs(server.headers) }] : [];
  });
}

/** Names of the servers that this agent cannot be given. */
export function refusedServers({ canHttpServers }: Greeting, servers: McpServers): readonly string[] {
  return canHttpServers ? [] : Object.keys(servers).filter((name) => servers[name]?.type === 'http');
}

/** What to do about an agent that wants a login, which Vitrine never does on its own. */
export function loginAdvice({ preset, logins }: Pick<Greeting, 'preset' | 'logins'>, program: string): string {
  const offered = logins.map(({ name, description }) => (description === undefined ? name : `${name}: ${description}`));
  const run = preset?.login ?? program;
  const ways = offered.length === 0 ? '' : ` It offers: ${offered.join('; ')}.`;
  return `Log in once in a terminal (${run}), or give it a key in its environment.${ways}`;
}
