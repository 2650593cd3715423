import type { AgentRequest, Answer, Decision } from '../../src/model/agent/request.ts';
import type { RequestState } from '../../src/protocol/panel/messages.ts';
import { plural, t } from '../l10n.ts';
import { clock } from '../text/format.ts';
import { splitPath } from '../text/paths.ts';
import { quoted } from '../../src/protocol/panel/pageModel.ts';
import { firstWords, plain } from '../text/visible.ts';

/** Title of a request: what the agent wants, in Vitrine's words. */
export function requestTitle({ kind, action, toolName }: AgentRequest): string {
  if (kind === 'question') return t('Asks you');
  if (kind === 'plan') return t('Presents a plan');
  switch (action?.kind) {
    case 'command_run':
      return t('Wants to run a command');
    case 'file_edit':
      return t('Wants to edit');
    case 'file_write':
      return t('Wants to write');
    case 'file_read':
      return t('Wants to read');
    case 'search':
      return t('Wants to search');
    case 'web_fetch':
      return t('Wants to fetch a page');
    case 'web_search':
      return t('Wants to search the web');
    case 'task':
      return t('Wants to start a subagent');
    case 'mcp':
      return t('Wants to use {0} of {1}', quoted(action.tool), quoted(action.server));
    case 'todo':
    case 'tool':
    case undefined:
      return toolName === undefined ? t('Wants to continue') : t('Wants to use {0}', quoted(toolName));
  }
}

/** Subject of a request in one line, in the agent's words. */
export function requestSubject(request: AgentRequest, projectDir: string | undefined): string {
  const { action, kind, questions, plan, title } = request;
  if (kind === 'question') return firstWords(questions?.[0]?.question ?? title);
  if (kind === 'plan') return firstWords(plan ?? title);
  const file = (path: string): string => splitPath(path, projectDir).name;
  switch (action?.kind) {
    case 'command_run':
      return firstLine(action.command);
    case 'file_edit': {
      const paths = [...new Set(action.changes.map(({ path }) => path))];
      const [first = ''] = paths;
      return paths.length > 1 ? t('{0} and {1} more', file(first), paths.length - 1) : file(first);
    }
    case 'file_write':
    case 'file_read':
      return file(action.path);
    case 'search':
    case 'web_search':
      return firstLine(action.query);
    case 'web_fetch':
      return action.url;
    case 'task':
      return firstLine(action.description);
    default:
      return firstWords(title);
  }
}

function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0] ?? ''} …` : (lines[0] ?? '');
}

/** State text of a waiting request. */
export function attentionText({ kind }: Pick<AgentRequest, 'kind'>): string {
  return kind === 'question' ? t('Needs your answer') : t('Needs your approval');
}

/** Such as `Needs your approval`, or the number of requests. */
export function attentionSummary(requests: readonly Pick<AgentRequest, 'kind'>[]): string {
  const [first] = requests;
  if (first === undefined) return '';
  return requests.length === 1 ? attentionText(first) : t('{0} requests need you', requests.length);
}

export interface Outcome {
  readonly icon: string;
  readonly state: 'done' | 'denied' | 'warning';
  /** The decision, and who made it. */
  readonly words: string;
  /** The user's text with the decision. */
  readonly message: string;
}

/** How a request ended. Without a decision, the run ended first. `member`: the person, if not the reader. `isJoined`: the other program can answer too. */
export function outcome({ request, decision }: RequestState, member?: string, isJoined = false): Outcome {
  switch (decision?.by) {
    case 'user':
      if (decision.answer.kind === 'allow' && decision.answer.edited)
        return { icon: 'edit', state: 'done', words: t('Allowed with edits'), message: '' };
      return member === undefined ? outcomeByUser(request, decision) : outcomeByMember(decision.answer, plain(member));
    case 'timeout': {
      const waitedText = minutes(Date.parse(decision.at) - Date.parse(request.asked_at));
      const words =
        request.kind === 'question'
          ? t('No answer within {0}', waitedText)
          : t('Denied: no answer within {0}', waitedText);
      return { icon: 'circle-slash', state: 'denied', words, message: '' };
    }
    case 'withdrawn':
      return {
        icon: 'discard',
        state: 'done',
        words: isJoined ? t('Answered or withdrawn in the other program') : t('Withdrawn by the agent'),
        message: '',
      };
    case 'nobody':
      return { icon: 'circle-slash', state: 'denied', words: t('Denied: no one available to approve'), message: '' };
    case 'policy':
      return decision.answer.kind === 'deny'
        ? { icon: 'circle-slash', state: 'denied', words: t('Denied by a rule'), message: decision.answer.reason ?? '' }
        : { icon: 'pass', state: 'done', words: t('Allowed by a rule'), message: '' };
    case 'run_over':
    case undefined:
      return { icon: 'debug-disconnect', state: 'warning', words: t('Not answered: the run ended'), message: '' };
  }
}

/** Text for an answer that was given in another window or a terminal. */
function outcomeByOther(answer: Answer, inTerminal: boolean): Outcome {
  switch (answer.kind) {
    case 'allow': {
      const words = inTerminal ? t('Allowed in a terminal') : t('Allowed in another window');
      return { icon: 'pass', state: 'done', words, message: '' };
    }
    case 'deny': {
      const words = inTerminal ? t('Denied in a terminal') : t('Denied in another window');
      return { icon: 'circle-slash', state: 'denied', words, message: answer.reason ?? '' };
    }
    case 'answer': {
      const words = inTerminal ? t('Answered in a terminal') : t('Answered in another window');
      return { icon: 'pass', state: 'done', words, message: answer.answers.join('; ') };
    }
  }
}

/** In a session that another team member shares. */
function outcomeByMember(answer: Answer, member: string): Outcome {
  switch (answer.kind) {
    case 'allow':
      return { icon: 'pass', state: 'done', words: t('Allowed by {0}', member), message: '' };
    case 'deny':
      return { icon: 'circle-slash', state: 'denied', words: t('Denied by {0}', member), message: answer.reason ?? '' };
    case 'answer':
      return { icon: 'pass', state: 'done', words: t('Answered by {0}', member), message: answer.answers.join('; ') };
  }
}

function outcomeByUser({ kind }: AgentRequest, { answer, client }: Decision): Outcome {
  if (client !== undefined) return outcomeByOther(answer, client.kind === 'terminal');
  switch (answer.kind) {
    case 'allow': {
      const session = answer.scope === 'session';
      const allowed = session ? t('Allowed for this session by you') : t('Allowed once by you');
      const approved = session ? t('Plan approved for this session by you') : t('Plan approved by you');
      return { icon: 'pass', state: 'done', words: kind === 'plan' ? approved : allowed, message: '' };
    }
    case 'deny': {
      const reason = answer.reason ?? '';
      if (kind === 'question')
        return { icon: 'circle-slash', state: 'denied', words: t('You did not answer'), message: reason };
      if (kind === 'plan')
        return { icon: 'sync', state: 'done', words: t('Changes requested by you'), message: reason };
      return { icon: 'circle-slash', state: 'denied', words: t('Denied by you'), message: reason };
    }
    case 'answer':
      return {
        icon: 'pass',
        state: 'done',
        words: t('Answered by you'),
        message: answer.answers.join('; '),
      };
  }
}

function minutes(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return plural(seconds, t('{0} second', 1), t('{0} seconds'));
  return plural(Math.round(seconds / 60), t('{0} minute', 1), t('{0} minutes'));
}

/** How long the request has waited, with a running clock; empty if the time of the request is unknown. */
export function waitingTime({ asked_at: since }: Pick<AgentRequest, 'asked_at'>, now: number): string {
  const ms = now - Date.parse(since);
  return Number.isFinite(ms) ? t('Waiting for {0}', clock(ms)) : '';
}

/** When Vitrine will deny the request, as a sentence with a running clock; empty without a time limit. */
export function timeLeft(
  { kind, expires_at: expires }: Pick<AgentRequest, 'kind' | 'expires_at'>,
  now: number,
): string {
  const left = Date.parse(expires ?? '') - now;
  if (!Number.isFinite(left)) return '';
  return kind === 'question'
    ? t('Continues in {0} if you do not answer', clock(left))
    : t('Will be denied automatically in {0}', clock(left));
}
