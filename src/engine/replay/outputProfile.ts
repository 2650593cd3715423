import type { ExitInfo } from '../../model/usage/facts.ts';

const unknown: ExitInfo = { code: null, signal: null };

/** Profile of `replay` for a file with an agent's output. `file`: absolute path; `exit`: how the agent ended. */
export function outputProfile(agent: string, file: string, exit: ExitInfo = unknown): string {
  const ended = exit.signal ?? exit.code;
  return `${agent}${ended === null ? '' : `@${ended}`}:${file}`;
}

export function readOutputProfile(profile: string): {
  readonly agent: string;
  readonly file: string;
  readonly exit: ExitInfo;
} {
  const [head = '', ...rest] = profile.split(':');
  const [agent = '', ended = ''] = head.split('@');
  const code = /^\d+$/.test(ended) ? Number(ended) : null;
  return { agent, file: rest.join(':'), exit: { code, signal: code === null && ended !== '' ? ended : null } };
}
