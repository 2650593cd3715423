import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { McpServers } from '../../model/agent/mcpServer.ts';
import { field, nonEmpty, objects } from '../shared/guards.ts';
import { presetOf, type AcpPreset } from './presets.ts';

/** The only supported version of the protocol. */
export const protocolVersion = 1;

/** Sent in `initialize`; `preset`: what is known of the agent so far. */
export function initializeParams(clientVersion: string, preset: AcpPreset | undefined): JsonObject {
  const files = preset?.quirks.offersFileAccess ?? true;
  return {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: files, writeTextFile: files }, terminal: true },
    clientInfo: { name: 'vitrine', title: 'Vitrine', version: clientVersion },
  };
}

/** The parts of the answer to `initialize` that decide how to continue. */
export interface Greeting {
  readonly version: number | null;
  readonly preset: AcpPreset | undefined;
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** Supports MCP servers over HTTP. */
  readonly canHttpServers: boolean;
  /** Can copy a conversation as it is now, and continue the copy. */
  readonly canFork: boolean;
  /** Can list its conversations. */
  readonly canList: boolean;
  readonly logins: readonly Login[];
}

interface Login {
  readonly name: string;
  readonly description: string | undefined;
}

/** `startedPreset`: the preset that started the agent; its own name takes precedence. */
export function greetingOf(answer: unknown, startedPreset: AcpPreset | undefined): Greeting {
  const version = field(answer, 'protocolVersion');
  const capabilities = field(answer, 'agentCapabilities');
  const session = field(capabilities, 'sessionCapabilities');
  return {
    version: typeof version === 'number' ? version : null,
    preset: presetOf(nonEmpty(field(field(answer, 'agentInfo'), 'name')) ?? null) ?? startedPreset,
    canResume: isObject(field(session, 'resume')),
    canLoad: field(capabilities, 'loadSession') === true,
    canHttpServers: field(field(capabilities, 'mcpCapabilities'), 'http') === true,
    canFork: supportsFork(capabilities),
    canList: isObject(field(session, 'list')),
    logins: objects(field(answer, 'authMethods')).flatMap((method) => {
      const name = nonEmpty(method['name']) ?? nonEmpty(method['id']);
      return name === undefined ? [] : [{ name, description: nonEmpty(method['description']) }];
    }),
  };
}

/** Whether an agent with these `agentCapabilities` offers `session/fork`, which is not a stable part of the protocol yet. */
export function supportsFork(capabilities: unknown): boolean {
  return isObject(field(field(capabilities, 'sessionCapabilities'), 'fork'));
}

/** The agent's id of a conversation to resume, or to continue in a copy; `null`: a new conversation. */
export type OpenedConversation = { readonly resume: string } | { readonly fork: string } | null;

export type OpeningRequest =
  | {
      readonly method: 'session/new' | 'session/resume' | 'session/load' | 'session/fork';
      readonly params: JsonObject;
    }
  | 'impossible';

/** Starts, resumes or forks the conversation, without its history if the agent supports that. */
export function openingOf(
  greeting: Greeting,
  conversation: OpenedConversation,
  cwd: string,
  servers: McpServers = {},
): OpeningRequest {
  const place = { cwd, mcpServers: takenServers(greeting, servers) };
  if (conversation === null) return { method: 'session/new', params: place };
  if ('fork' in conversation) {
    const { fork } = conversation;
    return greeting.canFork ? { method: 'session/fork', params: { sessionId: fork, ...place } } : 'impossible';
  }
  const { resume } = conversation;
  const params = { sessionId: resume, ...place };
  const known = greeting.preset?.quirks.resume;
  if (greeting.canResume && known !== 'load' && known !== 'none') return { method: 'session/resume', params };
  if (greeting.canLoad && known !== 'none') return { method: 'session/load', params };
  return 'impossible';
}

/** As the protocol defines them. Every agent supports stdio, some HTTP. */
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

/** Names of the servers that this agent does not support. */
export function unsupportedServers({ canHttpServers }: Greeting, servers: McpServers): readonly string[] {
  return canHttpServers ? [] : Object.keys(servers).filter((name) => servers[name]?.type === 'http');
}

/** What to do if an agent requires a login; Vitrine never logs in on its own. */
export function loginAdvice({ preset, logins }: Pick<Greeting, 'preset' | 'logins'>, program: string): string {
  const offered = logins.map(({ name, description }) => (description === undefined ? name : `${name}: ${description}`));
  const run = preset?.login ?? program;
  const offeredText = offered.length === 0 ? '' : ` It offers: ${offered.join('; ')}.`;
  return `Log in once in a terminal (${run}), or set its API key in the environment.${offeredText}`;
}
