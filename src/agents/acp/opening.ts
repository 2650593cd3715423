import { isObject, type JsonObject } from '../../model/json.ts';
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

/** What the answer to `initialize` says that decides how to go on. */
export interface Greeting {
  readonly version: number | null;
  readonly preset: AcpPreset | undefined;
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** Tells which conversations it keeps. */
  readonly canList: boolean;
  readonly logins: readonly Login[];
}

interface Login {
  readonly name: string;
  readonly description: string | undefined;
}

/** `given`: the preset by which the agent was started; what the agent calls itself says more. */
export function greetingOf(answer: unknown, given: AcpPreset | undefined): Greeting {
  const version = field(answer, 'protocolVersion');
  const capabilities = field(answer, 'agentCapabilities');
  const session = field(capabilities, 'sessionCapabilities');
  return {
    version: typeof version === 'number' ? version : null,
    preset: presetOf(nonEmpty(field(field(answer, 'agentInfo'), 'name')) ?? null) ?? given,
    canResume: isObject(field(session, 'resume')),
    canLoad: field(capabilities, 'loadSession') === true,
    canList: isObject(field(session, 'list')),
    logins: objects(field(answer, 'authMethods')).flatMap((method) => {
      const name = nonEmpty(method['name']) ?? nonEmpty(method['id']);
      return name === undefined ? [] : [{ name, description: nonEmpty(method['description']) }];
    }),
  };
}

export type Opening =
  { readonly method: 'session/new' | 'session/resume' | 'session/load'; readonly params: JsonObject } | 'impossible';

/** How the conversation is begun, or gone on with: without its history where the agent can do that. */
export function openingOf(greeting: Greeting, resume: string | null, cwd: string): Opening {
  const place = { cwd, mcpServers: [] };
  if (resume === null) return { method: 'session/new', params: place };
  const params = { sessionId: resume, ...place };
  const known = greeting.preset?.quirks.resume;
  if (greeting.canResume && known !== 'load' && known !== 'none') return { method: 'session/resume', params };
  if (greeting.canLoad && known !== 'none') return { method: 'session/load', params };
  return 'impossible';
}

/** What to do about an agent that wants a login, which Vitrine never does by itself. */
export function loginAdvice({ preset, logins }: Pick<Greeting, 'preset' | 'logins'>, program: string): string {
  const offered = logins.map(({ name, description }) => (description === undefined ? name : `${name}: ${description}`));
  const run = preset?.login ?? program;
  const ways = offered.length === 0 ? '' : ` It offers: ${offered.join('; ')}.`;
  return `Log in once in a terminal (${run}), or give it a key in its environment.${ways}`;
}
