import type { AgentAdapter } from '../../agents/adapter.ts';
import type { DialogueFactory } from '../../agents/dialogue.ts';
import { AcpHttpDialogue } from '../../agents/acp-http/dialogue.ts';
import { AcpHttpClient, type AcpHttpAgent } from './client.ts';
import { AcpHttpFailure } from './failures.ts';
import { startAcpHttpRun } from './run.ts';
import type { AgentLauncher } from '../launch/agentLauncher.ts';
import type { AcpHttpProfile, AgentReport, EngineSettings } from '../api.ts';
import { EngineFailure, failures } from '../failures/failures.ts';

/** Short, because the user is waiting for a list. */
const timeoutMs = 10_000;
const defaultGraceMs = 5000;

interface AcpHttpDeps {
  readonly adapter: AgentAdapter;
  readonly settings: EngineSettings;
  readonly clock: () => number;
  readonly graceMs?: number | undefined;
}

/** A server from the settings and one of its agents. */
interface Place {
  readonly profile: AcpHttpProfile;
  readonly agent: string | undefined;
}

/** `profile`: the id of a profile, or `<id>/<agent>`. @throws EngineFailure */
function placeOf({ acpHttp = [] }: EngineSettings, profile: string | undefined): Place {
  if (profile === undefined) {
    const [profile] = acpHttp;
    if (profile === undefined) throw failures.serverUnknown(undefined);
    return { profile, agent: profile.agent };
  }
  const exact = acpHttp.find(({ id }) => id === profile);
  if (exact !== undefined) return { profile: exact, agent: exact.agent };
  const [longest] = acpHttp.filter(({ id }) => profile.startsWith(`${id}/`)).sort((a, b) => b.id.length - a.id.length);
  if (longest === undefined) throw failures.serverUnknown(profile);
  return { profile: longest, agent: profile.slice(longest.id.length + 1) };
}

async function clientOf({ id, baseUrl, headers }: AcpHttpProfile, settings: EngineSettings): Promise<AcpHttpClient> {
  const token = await settings.acpHttpToken?.(id);
  const bearer = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
  return new AcpHttpClient({ baseUrl, headers: { ...headers, ...bearer }, timeoutMs });
}

/** Launches one agent of an Agent Communication Protocol server. Its runs are HTTP streams, not processes. */
export function acpHttpLauncher(requestedProfile: string | undefined, deps: AcpHttpDeps): AgentLauncher {
  const { adapter, settings, clock } = deps;
  const { profile, agent } = placeOf(settings, requestedProfile);
  const label = agent === undefined || agent === profile.agent ? profile.label : `${agent} (${profile.label})`;
  return {
    label,
    recording: false,
    resumesById: true,
    createNormalizer: (context) => adapter.createNormalizer(context),
    prepare: async () => {
      const { client, agents } = await connected(profile, settings);
      const found = agent === undefined ? agents[0] : agents.find(({ name }) => name === agent);
      if (found === undefined) throw failures.notOnServer(label, agent, profile.baseUrl, names(agents));
      return {
        canLaunch: () => true,
        notes: () => [],
        launch: async ({ prompt, interactive }, resume) => {
          const process = await translateErrors(
            label,
            startAcpHttpRun({
              client,
              agent: found.name,
              prompt,
              ...(resume !== null && { sessionId: resume }),
              clock,
              graceMs: deps.graceMs ?? defaultGraceMs,
              canAskUser: interactive,
            }),
          );
          const dialogue = interactive ? { dialogue: dialogueWith } : {};
          return { process, sessionId: null, program: profile.baseUrl, version: null, ...dialogue };
        },
      };
    },
  };
}

const dialogueWith: DialogueFactory = (host) => new AcpHttpDialogue(host);

/** Reports the agents of every server in the settings. A server that cannot be queried is reported with its problem. */
export async function acpHttpReports(
  profile: AcpHttpProfile,
  { adapter, settings }: AcpHttpDeps,
): Promise<AgentReport[]> {
  const { type, capabilities } = adapter;
  const environment = { removed: [], added: Object.keys(profile.headers ?? {}).sort() };
  const common = { type, recording: false, capabilities, environment } as const;
  const { id, label, baseUrl } = profile;
  try {
    const { agents } = await connected(profile, settings);
    const program = { path: baseUrl, version: null, tried: [] };
    if (profile.agent === undefined) {
      return agents.map(({ name }) => ({ ...common, profile: `${id}/${name}`, label: `${name} (${label})`, program }));
    }
    const found = agents.some(({ name }) => name === profile.agent);
    const missing = failures.notOnServer(label, profile.agent, baseUrl, names(agents));
    return [{ ...common, profile: id, label, program: found ? program : missing }];
  } catch (error) {
    if (!EngineFailure.is(error)) throw error;
    return [{ ...common, profile: id, label, program: error }];
  }
}

async function connected(
  profile: AcpHttpProfile,
  settings: EngineSettings,
): Promise<{ readonly client: AcpHttpClient; readonly agents: readonly AcpHttpAgent[] }> {
  const ask = async () => {
    const client = await clientOf(profile, settings);
    return { client, agents: await client.agents() };
  };
  return translateErrors(profile.label, ask());
}

/** @throws EngineFailure for problems of the server or the connection */
async function translateErrors<T>(label: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (AcpHttpFailure.is(error)) throw failures.serverFailed(label, error);
    throw error;
  }
}

const names = (agents: readonly AcpHttpAgent[]): readonly string[] => agents.map(({ name }) => name);
