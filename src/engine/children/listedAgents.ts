import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../model/agent/agent.ts';
import type { Origin } from '../../model/transcript/entry.ts';
import type { Session } from '../../model/session/session.ts';
import type { Log } from '../api.ts';
import type { Blueprint } from '../blueprints/load.ts';
import { EngineFailure, failures } from '../failures/failures.ts';
import { writeWhole } from '../files/writeFiles.ts';
import { worded, type Wording } from '../failures/wording.ts';

const fileName = 'seen-agents.json';
/** File with the hash of the last agent for which the session was refused, until someone resumes it. */
const refusedName = 'refused-agent';

/** Hashes of agents by their names. */
const agentHashesSchema = z.record(z.string(), z.string());
type AgentHashes = z.infer<typeof agentHashesSchema>;

interface SeenAgentsDeps {
  readonly load: (folder: string) => Promise<readonly Blueprint[]>;
  /** Folder of a session's record; deleting it also deletes these files. */
  readonly folderOf: (sessionId: string) => string;
  readonly log: Log;
}

/**
 * Hashes of agent files as of a person's last message to a session, or to the ancestor that started it. Otherwise an
 * agent that can write to its folder could change an agent file and start any program without approval. Stored beside
 * the record; without that file, no agent counts as seen.
 */
export class ListedAgents {
  readonly #deps: SeenAgentsDeps;

  constructor(deps: SeenAgentsDeps) {
    this.#deps = deps;
  }

  /** Call before a run of the session starts. Never rejects: if saving fails, the agents count as not seen. */
  async addSession(
    { session_id: id, parent_session_id: parent, project_dir: dir = '' }: Session,
    by: Origin,
  ): Promise<void> {
    const { load, log } = this.#deps;
    try {
      if (by === 'human') await this.#write(id, hashes(await load(dir)));
      else if (by === 'subagent' && parent !== undefined) {
        const seenByParent = await this.#read(parent);
        if (seenByParent !== null) await this.#write(id, seenByParent);
      }
    } catch (error) {
      log.warn(`${id}: could not save which agents were seen: ${String(error)}`);
    }
  }

  /** `agent` is `null` if it has no file. @throws EngineFailure if the user has not seen this version of the agent */
  async check({ session_id: id }: Pick<Session, 'session_id'>, name: string, agent: Agent | null): Promise<void> {
    const seen = await this.#read(id);
    if (isSeen(seen, name, agent)) return;
    if (seen === null) {
      throw new EngineFailure('child_refused', {
        message: unverifiedMessage(name),
        detail: worded`The user must start the agent or send a message to this session.`,
      });
    }
    throw failures.childRefused(
      worded`The file for agent "${name}" changed after the user’s last message to this session. The user must start the agent or send a message to this session.`,
    );
  }

  /** As `check`, for the session's own agent. */
  async checkOwn({ session_id: id, agent_name: name }: Session, agent: Agent | null): Promise<void> {
    if (name === undefined) return;
    const seen = await this.#read(id);
    if (isSeen(seen, name, agent)) return;
    throw new EngineFailure('child_refused', {
      message:
        seen === null
          ? unverifiedMessage(name)
          : worded`The file for agent "${name}" was changed or deleted after the user’s last message to this session.`,
      detail:
        agent === null
          ? worded`Vitrine does not send automatic messages to changed agents. Check why the agent’s file is missing, then send a message yourself.`
          : worded`Vitrine does not send automatic messages to changed agents. Review ${agent.file}, then send a message yourself.`,
    });
  }

  /** Whether the refusal for this version of the agent was already reported. Never rejects. */
  async wasRefused({ session_id: id }: Session, agent: Agent | null): Promise<boolean> {
    const refused = await readFile(this.#file(id, refusedName), 'utf8').catch(() => null);
    return refused === refusedVersion(agent);
  }

  /** Saves that the refusal was reported. Never rejects: if saving fails, it is reported again. */
  async saveRefusal({ session_id: id }: Session, agent: Agent | null): Promise<void> {
    await writeWhole(this.#file(id, refusedName), [refusedVersion(agent)]).catch((error: unknown) =>
      this.#deps.log.warn(`${id}: could not record that its agent was refused: ${String(error)}`),
    );
  }

  async #read(id: string): Promise<AgentHashes | null> {
    try {
      return agentHashesSchema.parse(JSON.parse(await readFile(this.#file(id), 'utf8')));
    } catch (error) {
      this.#deps.log.debug(`${id}: could not read which agents were seen: ${String(error)}`);
      return null;
    }
  }

  async #write(id: string, seen: AgentHashes): Promise<void> {
    await writeWhole(this.#file(id), [JSON.stringify(seen)]);
    await rm(this.#file(id, refusedName), { force: true });
  }

  #file(id: string, name = fileName): string {
    return path.join(this.#deps.folderOf(id), name);
  }
}

const unverifiedMessage = (name: string): Wording =>
  worded`Could not verify that the file for agent "${name}" has not changed since the user last reviewed it.`;

const refusedVersion = (agent: Agent | null): string => (agent === null ? 'removed' : hashOf(agent));

function isSeen(seen: AgentHashes | null, name: string, agent: Agent | null): boolean {
  const before = seen !== null && Object.hasOwn(seen, name) ? seen[name] : undefined;
  return seen !== null && before === (agent === null ? undefined : hashOf(agent));
}

function hashes(found: readonly Blueprint[]): AgentHashes {
  return Object.fromEntries(found.flatMap(({ name, agent }) => (agent === null ? [] : [[name, hashOf(agent)]])));
}

/** Checks that this machine's agent file equals the one on the parent's machine. @throws EngineFailure if they differ */
export function assertSameAgent(agent: Agent, hash: string): void {
  if (hashOf(agent) === hash) return;
  throw failures.childRefused(
    worded`The file for agent "${agent.name}" on ${hostname()} differs from the one on the parent’s machine. Update ${agent.file} on ${hostname()}.`,
  );
}

/** Hash of the agent's content, without the place and times of its file. */
export function hashOf(agent: Agent): string {
  const comparedFields = { ...agent, name: '', file: '', created_at: '', modified_at: '' };
  return createHash('sha256').update(JSON.stringify(comparedFields)).digest('hex');
}
