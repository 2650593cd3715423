import type * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { choiceOf, isAgentName, rememberable } from './runChoice.ts';
import type { RunChoice } from '../../agents/withChoice.ts';

/** Identifies an agent: an executor, and a profile if it has several. */
export interface AgentName {
  readonly agent: ExecutorType;
  readonly profile?: string;
}

const keyOf = ({ agent, profile }: AgentName): string => (profile === undefined ? agent : `${agent}/${profile}`);

/** Commands of the user's for races; empty: none. */
export interface RaceCommands {
  readonly check: string;
  readonly setup: string;
}

const maxModels = 5;
const maxSessions = 200;
const keys = {
  last: 'lastAgent',
  choices: 'runChoices',
  models: 'recentModels',
  sessions: 'sessionChoices',
  race: 'raceCommands',
} as const;

/** Remembered choices of this workspace, validated on reading: other versions may have written them. */
export class RunMemory {
  readonly #memento: vscode.Memento;
  readonly #onChange: () => void;

  /** `onChange`: the options for later runs of a session changed. */
  constructor(memento: vscode.Memento, onChange: () => void = () => undefined) {
    this.#memento = memento;
    this.#onChange = onChange;
  }

  isLast(name: AgentName): boolean {
    return this.#memento.get<unknown>(keys.last) === keyOf(name);
  }

  choice(name: AgentName): RunChoice {
    return choiceOf(this.#readAll(keys.choices)[keyOf(name)]) ?? {};
  }

  /** Recently used model names, newest first. */
  models(name: AgentName): readonly string[] {
    const found = this.#readAll(keys.models)[keyOf(name)];
    return Array.isArray(found) ? found.filter(isAgentName) : [];
  }

  /** Options of a session for later runs. */
  choiceOfSession(id: string): RunChoice {
    return choiceOf(this.#readAll(keys.sessions)[id]) ?? {};
  }

  /** Options of all sessions, by id. */
  choicesBySession(): Readonly<Record<string, RunChoice>> {
    const sessions = Object.entries(this.#readAll(keys.sessions));
    return Object.fromEntries(sessions.flatMap(([id, found]) => [[id, choiceOf(found) ?? {}]]));
  }

  /** Commands of the last race in this workspace. */
  raceCommands(): RaceCommands {
    const { check, setup } = this.#readAll(keys.race);
    return { check: typeof check === 'string' ? check : '', setup: typeof setup === 'string' ? setup : '' };
  }

  async rememberRace(commands: RaceCommands): Promise<void> {
    await this.#memento.update(keys.race, commands);
  }

  /** Values are readable at once; settles when they are stored. */
  async rememberRun(name: AgentName, choice: RunChoice, session: string): Promise<void> {
    const key = keyOf(name);
    const saved = rememberable(name.agent, choice);
    await Promise.all([
      this.#memento.update(keys.last, key),
      this.#memento.update(keys.choices, { ...this.#readAll(keys.choices), [key]: saved }),
      this.rememberChange(name, choice, session),
    ]);
  }

  /** Changes the options for later runs of a session. Settles as `ran`. */
  async rememberChange(name: AgentName, choice: RunChoice, session: string): Promise<void> {
    const saved = rememberable(name.agent, choice);
    await Promise.all([this.#saveForSession(session, saved), this.#saveModel(name, saved)]);
    this.#onChange();
  }

  async #saveForSession(session: string, saved: RunChoice): Promise<void> {
    const sessions = this.#readAll(keys.sessions);
    const others = Object.entries(sessions).filter(([id]) => id !== session);
    const own = Object.keys(saved).length === 0 ? [] : [[session, saved] as const];
    if (own.length === 0 && !(session in sessions)) return;
    await this.#memento.update(keys.sessions, Object.fromEntries([...others.slice(1 - maxSessions), ...own]));
  }

  async #saveModel(name: AgentName, { model }: RunChoice): Promise<void> {
    if (model === undefined || model === '') return;
    const models = [model, ...this.models(name).filter((other) => other !== model)].slice(0, maxModels);
    await this.#memento.update(keys.models, { ...this.#readAll(keys.models), [keyOf(name)]: models });
  }

  #readAll(key: string): Record<string, unknown> {
    const found = this.#memento.get<unknown>(key);
    return isObject(found) ? found : {};
  }
}
