import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { nonEmpty } from '../../shared/guards.ts';
import { permissionFields, noFields, updateFields, type ToolFields } from './toolFields.ts';

/** Number of open calls, and of terminals with a known owner. */
const maxKnown = 1000;

const ends: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'cancelled']);

/** Open calls, as far as the agent reported them: which one a permission or a terminal belongs to. */
export class OpenCalls {
  readonly #calls = new Map<string, ToolFields>();
  readonly #callIdByTerminal = new Map<string, string>();

  get(id: string): ToolFields | undefined {
    return this.#calls.get(id);
  }

  callOf(terminalId: string): string | undefined {
    return this.#callIdByTerminal.get(terminalId);
  }

  /** A `session/update` of any kind. */
  update(update: unknown): void {
    if (!isObject(update)) return;
    const kind = update['sessionUpdate'];
    const id = nonEmpty(update['toolCallId']);
    if (id === undefined || (kind !== 'tool_call' && kind !== 'tool_call_update')) return;
    const fields = updateFields(this.#calls.get(id) ?? noFields, update);
    for (const terminal of fields.terminalIds) setBounded(this.#callIdByTerminal, terminal, id);
    if (ends.has(fields.status)) this.#calls.delete(id);
    else setBounded(this.#calls, id, fields);
  }

  /** The call of a permission request, which may be its first mention. */
  permissionCall(id: string | undefined, call: JsonObject): ToolFields {
    const known = id === undefined ? undefined : this.#calls.get(id);
    const fields = permissionFields(known ?? noFields, updateFields(noFields, call));
    if (id !== undefined) setBounded(this.#calls, id, fields);
    return fields;
  }

  /** A call that says it changes the file. */
  findCallChanging(isFile: (path: string) => boolean): string | undefined {
    for (const [id, fields] of this.#calls) if (pathsOf(fields).some(isFile)) return id;
    return undefined;
  }

  /** The turn has ended, and with it its calls. */
  endTurn(): void {
    this.#calls.clear();
  }
}

/** Files that a call changes. */
export function pathsOf({ changes, locations, kind }: ToolFields): string[] {
  const named = kind === 'edit' || kind === 'delete' || kind === 'move' || changes.length > 0;
  return named ? [...changes, ...locations].map(({ path }) => path) : [];
}

function setBounded<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxKnown) break;
    map.delete(oldest);
  }
}
