import type { Todo, ToolAction } from '../../../model/transcript/tool.ts';

const maxTodos = 1000;
const maxQuery = 100_000;

type Row = Record<string, string>;
interface Change {
  readonly deleted: Row[];
  /** New status of the rows that the statement did not name. */
  others?: Todo['status'];
}

type TodoAction = Extract<ToolAction, { readonly kind: 'todo' }>;

/**
 * Todos are rows of a table that the agent changes with SQL. Parses simple statements. A resumed run knows only the
 * rows that it named.
 */
export class TodoTable {
  #rows: Row[] = [];
  /** Change of the current statements. */
  #change: Change = { deleted: [] };

  /**
   * The list after this statement, with deleted rows as cancelled; `undefined` if it changes nothing or is not
   * understood.
   */
  apply(query: string): TodoAction | undefined {
    if (query.length > maxQuery) return undefined;
    this.#change = { deleted: [] };
    let changed = false;
    for (const statement of statements(query)) {
      if (this.#readInsert(statement) || this.#readUpdate(statement) || this.#readDelete(statement)) changed = true;
    }
    const { others } = this.#change;
    const todos = [...this.#removedRows(), ...this.#rows].map(todoOf);
    if (!changed || (todos.length === 0 && others === undefined)) return undefined;
    return { kind: 'todo', todos, ...(others !== undefined && { others }) };
  }

  #readInsert(tokens: readonly Token[]): boolean {
    const at = tokens.findIndex((token) => isWord(token, 'values'));
    const intoIndex = tokens.findIndex((token) => isWord(token, 'into'));
    if (!isWord(tokens[0], 'insert') || at === -1 || !isWord(tokens[intoIndex + 1], 'todos')) return false;
    const [columns = []] = todoGroups(tokens.slice(intoIndex + 2, at));
    const names = columns.length > 0 ? columns.map(({ text }) => text.toLowerCase()) : ['id', 'title', 'description'];
    for (const values of todoGroups(tokens.slice(at + 1))) {
      const row: Row = Object.fromEntries(names.flatMap((name, index) => [[name, values[index]?.text ?? '']]));
      this.#rows = this.#rows.filter(({ id }) => id !== row['id'] || id === undefined);
      this.#add(row);
    }
    return true;
  }

  #readUpdate(tokens: readonly Token[]): boolean {
    if (!isWord(tokens[0], 'update') || !isWord(tokens[1], 'todos') || !isWord(tokens[2], 'set')) return false;
    const where = tokens.findIndex((token) => isWord(token, 'where'));
    const matching = parseCondition(where === -1 ? [] : tokens.slice(where + 1));
    if (matching === undefined) return false;
    const set = tokens.slice(3, where === -1 ? undefined : where);
    const changed = new Map<string, string>();
    for (const [index, token] of set.entries()) {
      const name = set[index - 1]?.text.toLowerCase();
      const value = set[index + 1];
      if (isMark(token, '=') && name !== undefined && value?.kind === 'text') changed.set(name, value.text);
    }
    const changes: Row = Object.fromEntries(changed);
    const { status } = changes;
    if (status !== undefined) {
      if (where === -1) this.#change.others = todoStatus(status);
      for (const id of this.#unknownIds(matching)) this.#add({ id });
    }
    this.#rows = this.#rows.map((row) => (matching.matches(row) ? { ...row, ...changes } : row));
    return true;
  }

  #readDelete(tokens: readonly Token[]): boolean {
    if (!isWord(tokens[0], 'delete') || !isWord(tokens[1], 'from') || !isWord(tokens[2], 'todos')) return false;
    const rest = tokens.slice(isWord(tokens[3], 'where') ? 4 : 3);
    const matching = parseCondition(rest);
    if (matching === undefined) return false;
    if (rest.length === 0) this.#change.others = 'cancelled';
    this.#change.deleted.push(
      ...this.#rows.filter(matching.matches),
      ...this.#unknownIds(matching).map((id) => ({ id })),
    );
    this.#rows = this.#rows.filter((row) => !matching.matches(row));
    return true;
  }

  /** Deleted rows that were not created again, as cancelled; none if a new list replaced everything. */
  #removedRows(): readonly Row[] {
    const { deleted, others } = this.#change;
    if (others === 'cancelled' && this.#rows.length > 0) return [];
    const now = new Set(this.#rows.map(({ id }) => id));
    const removed = deleted.filter(({ id }) => id === undefined || !now.has(id));
    return removed.slice(0, maxTodos).map((row) => ({ ...row, status: 'cancelled' }));
  }

  /** Named rows from before this run. */
  #unknownIds({ ids }: Condition): readonly string[] {
    const known = new Set(this.#rows.map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  #add(row: Row): void {
    if (this.#rows.length < maxTodos) this.#rows.push(row);
  }
}

function todoOf({ id, title, status }: Row): Todo {
  return { ...(id !== undefined && { id }), text: title ?? id ?? '', status: todoStatus(status) };
}

interface Condition {
  readonly matches: (row: Row) => boolean;
  /** Ids of the rows that the statement names. */
  readonly ids: readonly string[];
}

interface Token {
  readonly kind: 'text' | 'word' | 'mark';
  readonly text: string;
}

function statements(query: string): Token[][] {
  const all: Token[][] = [[]];
  for (const [found, quoted] of query.matchAll(/'((?:[^']|'')*)'|[A-Za-z_]\w*|[^\s\w']/g)) {
    if (found === ';') all.push([]);
    else if (quoted !== undefined) all.at(-1)?.push({ kind: 'text', text: quoted.replaceAll("''", "'") });
    else all.at(-1)?.push({ kind: /^\w/.test(found) ? 'word' : 'mark', text: found });
  }
  return all;
}

/** The values between parentheses. */
function todoGroups(tokens: readonly Token[]): Token[][] {
  const all: Token[][] = [];
  let open = false;
  for (const token of tokens) {
    if (isMark(token, '(')) {
      open = true;
      all.push([]);
    } else if (isMark(token, ')')) open = false;
    else if (open && !isMark(token, ',')) all.at(-1)?.push(token);
  }
  return all;
}

/** `id = 'a'` or `id IN ('a', 'b')`, or nothing for every row; `undefined` for anything more complex. */
function parseCondition(tokens: readonly Token[]): Condition | undefined {
  const [column, operator, value] = tokens;
  if (column === undefined) return { matches: () => true, ids: [] };
  const name = column.text.toLowerCase();
  const isOne = tokens.length === 3 && isMark(operator, '=') && value?.kind === 'text';
  if (!isOne && !isWord(operator, 'in')) return undefined;
  const values = new Set(isOne ? [value.text] : todoGroups(tokens.slice(2))[0]?.map(({ text }) => text));
  const matches = ({ [name]: own }: Row): boolean => own !== undefined && values.has(own);
  return { matches, ids: name === 'id' ? [...values] : [] };
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark;
}

function todoStatus(value: string | undefined): Todo['status'] {
  if (value === 'done' || value === 'completed') return 'completed';
  return value === 'in_progress' || value === 'cancelled' ? value : 'pending';
}
