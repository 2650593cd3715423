import {
  queryKinds,
  queryOperators,
  queryStates,
  type QueryKind,
  type QueryProblem,
  type QueryState,
} from '../../model/transcript/query.ts';

/** Longer queries are cut. */
const longestQuery = 1000;
/** Maximum number of reported problems. */
const maxProblems = 5;

/** Every part has to match; of the values of one operator, any. Empty parts match everything. All in lower case. */
export interface Query {
  /** Words and quoted phrases, all of which must occur. */
  readonly texts: readonly string[];
  readonly tools: readonly string[];
  readonly files: readonly string[];
  readonly kinds: readonly QueryKind[];
  readonly states: readonly QueryState[];
}

export interface ParsedQuery {
  readonly query: Query;
  readonly problems: readonly QueryProblem[];
}

interface Part {
  /** The part as typed. */
  readonly whole: string;
  /** Operator in lower case; empty if there is none. */
  readonly operator: string;
  readonly value: string;
  readonly isQuoted: boolean;
}

/** Words, quoted phrases, and both after `operator:`. An unclosed quote goes to the end. */
export function partsOf(query: string): Part[] {
  const found = query.slice(0, longestQuery).matchAll(/(?:(\w+):)?(?:"([^"]*)(?:"|$)|([^\s"]+))/g);
  return Array.from(found, ([whole, operator = '', quoted, plain = '']) => {
    const lone = queryOperators.find((queryOperator) => plain.toLowerCase() === `${queryOperator}:`);
    return {
      whole,
      operator: lone ?? operator.toLowerCase(),
      value: lone === undefined ? (quoted ?? plain).toLowerCase() : '',
      isQuoted: quoted !== undefined,
    };
  });
}

/**
 * Parses a query: words, "quoted phrases", `tool:`, `file:`, `kind:` and `state:` with a value; `error` alone is
 * `state:failed`. Never fails: unknown parts are reported, and searched as text if possible.
 */
export function parseQuery(text: string): ParsedQuery {
  const query = {
    texts: [] as string[],
    tools: [] as string[],
    files: [] as string[],
    kinds: [] as QueryKind[],
    states: [] as QueryState[],
  };
  const problems: QueryProblem[] = [];
  for (const part of partsOf(text)) {
    const { operator, value, isQuoted, whole } = part;
    const problem = (code: QueryProblem['code']): void => void problems.push({ code, part: whole });
    const known = queryOperators.find((queryOperator) => queryOperator === operator);
    if (known === undefined) {
      if (operator === '' && !isQuoted && value === 'error') query.states.push('failed');
      else if (value !== '') query.texts.push(textOf(part));
      if (isLikelyOperator(part)) problem('unknown_operator');
    } else if (value === '') {
      problem('no_value');
    } else if (known === 'tool') {
      query.tools.push(value);
    } else if (known === 'file') {
      query.files.push(value.replaceAll('\\', '/'));
    } else if (known === 'kind') {
      const kind = kindByName(value);
      if (kind === undefined) problem('unknown_kind');
      else query.kinds.push(kind);
    } else {
      const state = queryStates.find((queryState) => queryState === value);
      if (state === undefined) problem('unknown_state');
      else query.states.push(state);
    }
  }
  return { query, problems: problems.slice(0, maxProblems) };
}

/** Whether the query is empty. */
export function isEmptyQuery({ texts, tools, files, kinds, states }: Query): boolean {
  return [texts, tools, files, kinds, states].every((part) => part.length === 0);
}

/** A problem in English; localized surfaces have their own words. */
export function problemText({ code, part }: QueryProblem): string {
  switch (code) {
    case 'unknown_operator':
      return `"${part}" is not a known operator, so Vitrine searched for it as text. Operators: ${queryOperators.map((operator) => `${operator}:`).join(' ')}`;
    case 'unknown_kind':
      return `"${part}" is not a valid kind. Valid kinds: ${queryKinds.join(', ')}`;
    case 'unknown_state':
      return `"${part}" is not a valid state. Valid states: ${queryStates.join(', ')}`;
    case 'no_value':
      return `"${part}" has no value.`;
  }
}

const otherNames: Readonly<Record<string, QueryKind>> = { prompt: 'user', answer: 'assistant', thought: 'thinking' };

function kindByName(value: string): QueryKind | undefined {
  return (
    queryKinds.find((kind) => kind === value) ?? (Object.hasOwn(otherNames, value) ? otherNames[value] : undefined)
  );
}

function textOf({ operator, value, whole }: Part): string {
  return operator === '' ? value : whole.replaceAll('"', '').toLowerCase();
}

/** `tol:bash` is a typo; `https://x`, `c:\x`, `a.ts:12` and `Error:` are texts. */
function isLikelyOperator({ operator, value, isQuoted }: Part): boolean {
  return operator.length > 1 && (isQuoted || /^[\p{L}_]/u.test(value)) && /^\p{L}+$/u.test(operator);
}
