import type { Todo } from '../../model/tool.ts';

const maxTodos = 1000;
const maxQuery = 100_000;

type Row = Record<string, string>;

/** Todos are rows of a table that the agent changes by SQL. Reads what it writes to it, as far as that is simple. */
export class TodoTable {
  #rows: Row[] = [];

  /** The list after this; `undefined` where the query is no change of it, or not understood. */
  apply(query: string): Todo[] | undefined {
    if (query.length > maxQuery) return undefined;
    let changed = false;
    for (const statement of statements(query)) {
      if (this.#insert(statement) || this.#update(statement) || this.#delete(statement)) changed = true;
    }
    if (!changed || this.#rows.length === 0) return undefined;
    return this.#rows.map((row) => ({ text: row['title'] ?? row['id'] ?? '', status: todoStatus(row['status']) }));
  }

  #insert(tokens: readonly Token[]): boolean {
    const at = tokens.findIndex((token) => isWord(token, 'values'));
    const into = tokens.findIndex((token) => isWord(token, 'into'));
    if (!isWord(tokens[0], 'insert') || at === -1 || !isWord(tokens[into + 1], 'todos')) return false;
    const [columns = []] = groups(tokens.slice(into + 2, at));
    const names = columns.length > 0 ? columns.map(({ text }) => text.toLowerCase()) : ['id', 'title', 'description'];
    for (const values of groups(tokens.slice(at + 1))) {
      const row: Row = Object.fromEntries(names.flatMap((name, index) => [[name, values[index]?.text ?? '']]));
      this.#rows = this.#rows.filter(({ id }) => id !== row['id'] || id === undefined);
      if (this.#rows.length < maxTodos) this.#rows.push(row);
    }
    return true;
  }

  #update(tokens: readonly Token[]): boolean {
    if (!isWord(tokens[0], 'update') || !isWord(tokens[1], 'todos') || !isWord(tokens[2], 'set')) return false;
    const where = tokens.findIndex((token) => isWord(token, 'where'));
    const matches = condition(where === -1 ? [] : tokens.slice(where + 1));
    if (matches === undefined) return false;
    const set = tokens.slice(3, where === -1 ? undefined : where);
    const changes: Row = {};
    for (const [index, token] of set.entries()) {
      const name = set[index - 1]?.text.toLowerCase();
      const value = set[index + 1];
      if (isMark(token, '=') && name !== undefined && value?.kind === 'text') changes[name] = value.text;
    }
    this.#rows = this.#rows.map((row) => (matches(row) ? { ...row, ...changes } : row));
    return true;
  }

  #delete(tokens: readonly Token[]): boolean {
    if (!isWord(tokens[0], 'delete') || !isWord(tokens[1], 'from') || !isWord(tokens[2], 'todos')) return false;
    const matches = condition(tokens.slice(isWord(tokens[3], 'where') ? 4 : 3));
    if (matches === undefined) return false;
    this.#rows = this.#rows.filter((row) => !matches(row));
    return true;
  }
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

/** What stands between parentheses, without the commas. */
function groups(tokens: readonly Token[]): Token[][] {
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

/** `id = 'a'` or `id IN ('a', 'b')`, or nothing for every row; `undefined` where it is more than that. */
function condition(tokens: readonly Token[]): ((row: Row) => boolean) | undefined {
  const [column, operator, value] = tokens;
  if (column === undefined) return () => true;
  const name = column.text.toLowerCase();
  if (tokens.length === 3 && isMark(operator, '=') && value?.kind === 'text') return (row) => row[name] === value.text;
  if (!isWord(operator, 'in')) return undefined;
  const [values = []] = groups(tokens.slice(2));
  return (row) => values.some(({ text }) => text === row[name]);
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
