import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { Answer, Decision, Question } from '../../../model/agent/request.ts';
import type { ToolAction } from '../../../model/transcript/tool.ts';
import type { NewRequest } from '../../dialogue.ts';
import { nonEmpty, objects, text, texts } from '../../shared/guards.ts';
import { editedInput, isEditable } from './editedInput.ts';
import { toolAction } from './toolActions.ts';

/** `can_use_tool` as received. */
export interface PermissionAsked {
  readonly id: string;
  readonly toolName: string;
  readonly input: JsonObject;
  readonly request: JsonObject;
  /** The plan in a call of ExitPlanMode, if known. */
  readonly plan: string | undefined;
}

/** The request to a person. */
export function permissionRequest({ id, toolName, input, request, plan }: PermissionAsked): NewRequest {
  const callId = nonEmpty(request['tool_use_id']);
  const common = { id, toolName, input, ...(callId !== undefined && { callId }) };
  if (toolName === 'AskUserQuestion') {
    const questions = objects(input['questions']).map(question);
    return { ...common, kind: 'question', title: questions[0]?.question ?? 'A question', questions };
  }
  if (toolName === 'ExitPlanMode') {
    const shown = plan ?? nonEmpty(input['plan']);
    return { ...common, kind: 'plan', title: 'Its plan', ...(shown !== undefined && { plan: shown }) };
  }
  const action = toolAction(toolName, input);
  const described = ownWords.has(action.kind) ? nonEmpty(request['description']) : undefined;
  const blocked = nonEmpty(request['blocked_path']);
  const reason =
    nonEmpty(request['decision_reason']) ?? (blocked === undefined ? undefined : `Affected path: ${blocked}`);
  const session = sessionGrant(request)?.words;
  return {
    ...common,
    kind: 'permission',
    title: titleOf(toolName, action),
    action,
    ...(described !== undefined && { description: described }),
    ...(reason !== undefined && { reason }),
    ...(session !== undefined && { session }),
    ...(isEditable(toolName, action) && { editable: true as const }),
  };
}

/** If the description is the model's, not the path again. */
const ownWords: ReadonlySet<ToolAction['kind']> = new Set(['command_run', 'mcp', 'tool', 'task']);

/** The agent's answer to its `can_use_tool`; `null` if it no longer waits for one. */
export function permissionAnswer(
  { toolName, input, request }: PermissionAsked,
  { by, answer }: Decision,
): JsonObject | null {
  if (by === 'withdrawn' || by === 'run_over') return null;
  switch (answer.kind) {
    case 'allow': {
      const updates = answer.scope === 'session' ? sessionGrant(request)?.updates : undefined;
      const updatedInput = answer.edited === undefined ? input : editedInput(toolName, input, answer.edited);
      return { behavior: 'allow', updatedInput, ...(updates !== undefined && { updatedPermissions: updates }) };
    }
    case 'answer':
      return { behavior: 'allow', updatedInput: { ...input, answers: answersByText(input, answer.answers) } };
    case 'deny': {
      const denied = { behavior: 'deny', message: denialText(by, answer) };
      return answer.interrupt === true ? { ...denied, interrupt: true } : denied;
    }
  }
}

/**
 * The agent's own format. It has one place for questions with the same text: their answers are joined there. An entry may be
 * named `__proto__`, so nothing is assigned.
 */
function answersByText(input: JsonObject, answers: readonly string[]): JsonObject {
  const byText = new Map<string, Set<string>>();
  for (const [at, { question: text }] of objects(input['questions']).map(question).entries()) {
    const answer = answers[at];
    if (answer !== undefined) byText.set(text, (byText.get(text) ?? new Set()).add(answer));
  }
  return Object.fromEntries([...byText].map(([questionText, chosen]) => [questionText, [...chosen].join(', ')]));
}

/** The message to the model. */
function denialText(by: Decision['by'], { reason }: Extract<Answer, { kind: 'deny' }>): string {
  if (by !== 'user') return `Denied: ${reason ?? 'not allowed.'}`;
  return reason === undefined || reason.trim() === ''
    ? 'The user does not allow this.'
    : `The user does not allow this, and says: ${reason}`;
}

function question(asked: JsonObject): Question {
  const header = nonEmpty(asked['header']);
  return {
    question: text(asked['question']) ?? '',
    ...(header !== undefined && { header }),
    multiSelect: asked['multiSelect'] === true,
    freeText: true,
    options: objects(asked['options']).map((option) => {
      const description = nonEmpty(option['description']);
      return { label: text(option['label']) ?? '', ...(description !== undefined && { description }) };
    }),
  };
}

interface Grant {
  readonly words: string;
  readonly updates: readonly JsonObject[];
}

/**
 * "Allow for this session", from the narrowest of the agent's suggestions: rules for this call before a folder, a folder
 * before a mode. None of them is kept beyond the session.
 */
function sessionGrant(request: JsonObject): Grant | undefined {
  const suggested = objects(request['permission_suggestions']);
  for (const words of [rulesInWords, foldersText, modeText]) {
    const reported = suggested.flatMap((suggestion) => {
      const shown = words(suggestion);
      return shown === undefined ? [] : [{ shown, update: { ...suggestion, destination: 'session' } }];
    });
    if (reported.length > 0) {
      return { words: reported.map(({ shown }) => shown).join(', '), updates: reported.map(({ update }) => update) };
    }
  }
  return undefined;
}

function rulesInWords(suggestion: JsonObject): string | undefined {
  if (suggestion['type'] !== 'addRules' || suggestion['behavior'] !== 'allow') return undefined;
  const rules = objects(suggestion['rules']).map((rule) => {
    const content = nonEmpty(rule['ruleContent']);
    return `${text(rule['toolName']) ?? ''}${content === undefined ? '' : `(${content})`}`;
  });
  return rules.length === 0 ? undefined : rules.join(', ');
}

function foldersText(suggestion: JsonObject): string | undefined {
  const folders = suggestion['type'] === 'addDirectories' ? texts(suggestion['directories']) : [];
  return folders.length === 0 ? undefined : `everything in ${folders.join(', ')}`;
}

function modeText(suggestion: JsonObject): string | undefined {
  const edits = suggestion['type'] === 'setMode' && suggestion['mode'] === 'acceptEdits';
  return edits ? 'all file edits (permission mode acceptEdits)' : undefined;
}

/** One line in plain words. */
function titleOf(toolName: string, action: ToolAction): string {
  switch (action.kind) {
    case 'command_run':
      return `Run ${firstLine(action.command)}`;
    case 'file_read':
      return `Read ${action.path}`;
    case 'file_write':
      return `Write ${action.path}`;
    case 'file_edit':
      return `Edit ${[...new Set(action.changes.map(({ path }) => path))].join(', ')}`;
    case 'web_fetch':
      return `Fetch ${action.url}`;
    case 'web_search':
      return `Search the web for ${firstLine(action.query)}`;
    case 'mcp':
      return `Use ${action.tool} of ${action.server}`;
    default:
      return `Use ${toolName}`;
  }
}

function firstLine(content: string): string {
  const [line = ''] = content.split('\n', 1);
  return line.length < content.length || line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** The last plan that the agent wrote or printed: newer versions ask for its approval without repeating it. */
export class Plans {
  readonly #planByCall = new Map<string, string>();
  #last: string | undefined;

  /** Searches a message of the model for a plan. */
  readPlans(message: unknown): void {
    for (const block of objects(isObject(message) ? message['content'] : undefined)) {
      const { name, id, input } = block;
      if (block['type'] !== 'tool_use' || !isObject(input)) continue;
      if (name === 'ExitPlanMode') this.#keepPlan(nonEmpty(id), nonEmpty(input['plan']));
      else if (name === 'Write' && planFile.test(text(input['file_path']) ?? '')) this.#last = text(input['content']);
      else if (name === 'Edit' && planFile.test(text(input['file_path']) ?? '')) this.#edit(input);
    }
  }

  permissionOf(callId: string | undefined): string | undefined {
    return (callId === undefined ? undefined : this.#planByCall.get(callId)) ?? this.#last;
  }

  #keepPlan(callId: string | undefined, plan: string | undefined): void {
    if (callId === undefined || plan === undefined) return;
    this.#planByCall.set(callId, plan);
    for (const oldest of this.#planByCall.keys()) {
      if (this.#planByCall.size <= maxPlans) return;
      this.#planByCall.delete(oldest);
    }
  }

  /** An edit that cannot be applied makes the plan unknown: half of one must not be approved. */
  #edit(input: JsonObject): void {
    const before = text(input['old_string']) ?? '';
    const after = text(input['new_string']) ?? '';
    const plan = this.#last;
    const canApply = plan !== undefined && before !== '' && plan.split(before).length === 2;
    this.#last = canApply ? plan.replace(before, () => after) : undefined;
  }
}

const maxPlans = 10;
const planFile = /[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$/;
