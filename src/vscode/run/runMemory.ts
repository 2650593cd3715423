import type * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { choiceOf, isName, rememberable } from './runChoice.ts';
import type { RunChoice } from '../../agents/withChoice.ts';

/** One agent among all that can be run: an executor, and which of its agents where it has several. */
export interface AgentName {
  readonly agent: ExecutorType;
  readonly profile?: string;
}

const keyOf = ({ agent, profile }: AgentName): string => (profile === undefined ? agent : `${agent}/${profile}`);

const mostModels = 5;
const mostSessions = 200;
const keys = { last: 'lastAgent', choices: 'runChoices', models: 'recentModels', sessions: 'sessionChoices' } as const;

/** What was chosen for runs in this workspace. Everything is checked when it is read: other versions wrote it too. */
export class RunMemory {
  readonly #memento: vscode.Memento;
  readonly #onChange: () => void;

  /** `onChange`: other options were chosen for later runs of a session. */
  constructor(memento: vscode.Memento, onChange: () => void = () => undefined) {
    this.#memento = memento;
    this.#onChange = onChange;
  }

  isLast(name: AgentName): boolean {
    return this.#memento.get<unknown>(keys.last) === keyOf(name);
  }

  choice(name: AgentName): RunChoice {
    return choiceOf(this.#all(keys.choices)[keyOf(name)]) ?? {};
  }

  /** Names of models that were typed or chosen, the newest first. */
  models(name: AgentName): readonly string[] {
    const found = this.#all(keys.models)[keyOf(name)];
    return Array.isArray(found) ? found.filter(isName) : [];
  }

  /** What a session was started with, for its later runs. */
  ofSession(id: string): RunChoice {
    return choiceOf(this.#all(keys.sessions)[id]) ?? {};
  }

  /** The same of all sessions, by id. */
  ofSessions(): Readonly<Record<string, RunChoice>> {
    const sessions = Object.entries(this.#all(keys.sessions));
    return Object.fromEntries(sessions.flatMap(([id, found]) => [[id, choiceOf(found) ?? {}]]));
  }

  /** All of it can be read at once; settles when it is stored too. */
  async ran(name: AgentName, choice: RunChoice, session: string): Promise<void> {
    const key = keyOf(name);
    const saved = rememberable(name.agent, choice);
    await Promise.all([
      this.#memento.update(keys.last, key),
      this.#memento.update(keys.choices, { ...this.#all(keys.choices), [key]: saved }),
      this.changed(name, choice, session),
    ]);
  }

  /** The later runs of a session are to be so, however it was started; as `ran`. */
  async changed(name: AgentName, choice: RunChoice, session: string): Promise<void> {
    const saved = rememberable(name.agent, choice);
    await Promise.all([this.#keepFor(session, saved), this.#keepModel(name, saved)]);
    this.#onChange();
  }

  async #keepFor(session: string, saved: RunChoice): Promise<void> {
    const sessions = this.#all(keys.sessions);
    const others = Object.entries(sessions).filter(([id]) => id !== session);
    const own = Object.keys(saved).length === 0 ? [] : [[session, saved] as const];
    if (own.length === 0 && !(session in sessions)) return;
    await this.#memento.update(keys.sessions, Object.fromEntries([...others.slice(1 - mostSessions), ...own]));
  }

  async #keepModel(name: AgentName, { model }: RunChoice): Promise<void> {
    if (model === undefined || model === '') return;
    const models = [model, ...this.models(name).filter((each) => each !== model)].slice(0, mostModels);
    await this.#memento.update(keys.models, { ...this.#all(keys.models), [keyOf(name)]: models });
  }

  #all(key: string): Record<string, unknown> {
    const found = this.#memento.get<unknown>(key);
    return isObject(found) ? found : {};
  }
}
