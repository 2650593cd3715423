import type { JsonObject } from '../../../model/text/json.ts';
import type { AgentRequest, Decision } from '../../../model/agent/request.ts';
import { describeCall } from '../../shared/describe.ts';
import { field, nonEmpty, objects } from '../../shared/guards.ts';
import { actionOf, toolName, type TerminalOutput } from './toolAction.ts';
import type { ToolFields } from './toolFields.ts';

/** One answer that the agent offers; identified by `kind`, because ids differ between agents. */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** How to answer a `session/request_permission`. */
export type PermissionOutcome =
  { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };

const nothingShown: TerminalOutput = { command: undefined, cwd: undefined, output: '', exitCode: undefined };
const longestTitle = 200;

export function permissionOptions(params: JsonObject): PermissionOption[] {
  return objects(params['options']).flatMap((option) => {
    const optionId = nonEmpty(option['optionId']);
    if (optionId === undefined) return [];
    return [{ optionId, name: nonEmpty(option['name']) ?? optionId, kind: nonEmpty(option['kind']) ?? '' }];
  });
}

/** The requested permission in Vitrine's terms: what it is about, and how far it can extend. */
export function permissionRequest(permission: {
  readonly callId: string | undefined;
  readonly fields: ToolFields;
  readonly options: readonly PermissionOption[];
  readonly workDir: string;
}): Omit<AgentRequest, 'id' | 'asked_at' | 'expires_at'> {
  const { callId, fields, options, workDir } = permission;
  const action = actionOf(fields, nothingShown);
  const name = toolName(fields);
  const isPlan = fields.kind === 'switch_mode' && action.kind === 'tool';
  const plan = isPlan ? (nonEmpty(field(fields.input, 'plan')) ?? fields.description ?? fields.content) : undefined;
  const alwaysOption = optionOf(options, 'allow_always');
  const title = nonEmpty(fields.title) ?? describeCall(name, action, workDir);
  const description = plan === undefined && action.kind !== 'command_run' ? fields.description : undefined;
  return {
    kind: plan === undefined ? 'permission' : 'plan',
    ...(callId !== undefined && { callId }),
    toolName: name,
    title: oneLine(title),
    ...(description !== undefined && { description }),
    action,
    ...(fields.input !== undefined && { input: fields.input }),
    cwd: (action.kind === 'command_run' ? action.cwd : undefined) ?? workDir,
    ...(alwaysOption !== undefined && { session: alwaysOption.name }),
    reasonUnheard: true,
    ...(plan !== undefined && { plan }),
  };
}

/** The answer to the agent; `lost` names the part of the decision that it cannot express. */
export function outcomeOf(
  { by, answer }: Decision,
  options: readonly PermissionOption[],
): { readonly outcome: PermissionOutcome; readonly lost?: string } {
  const pick = (kind: string, lost?: string) => {
    const option = optionOf(options, kind);
    const outcome: PermissionOutcome =
      option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId };
    return { outcome, ...(lost !== undefined && { lost }) };
  };
  if (by === 'withdrawn' || by === 'run_over') return { outcome: { outcome: 'cancelled' } };
  if (answer.kind !== 'allow') {
    const reason = answer.kind === 'deny' ? nonEmpty(answer.reason?.trim()) : undefined;
    return pick('reject_once', reason === undefined ? undefined : noReason);
  }
  if (answer.scope === 'session' && optionOf(options, 'allow_always') !== undefined) return pick('allow_always');
  // A one-time answer never becomes a permanent permission.
  return optionOf(options, 'allow_once') === undefined ? pick('reject_once', notOnceMessage) : pick('allow_once');
}

/** Whether the outcome lets the agent continue. */
export function isAllowed(outcome: PermissionOutcome, options: readonly PermissionOption[]): boolean {
  if (outcome.outcome !== 'selected') return false;
  return options.some(({ optionId, kind }) => optionId === outcome.optionId && kind.startsWith('allow'));
}

const noReason = 'The agent was told that the request was denied, but not why: its protocol does not support a reason.';
const notOnceMessage = 'The agent accepts this permission only permanently, not once, so Vitrine denied it.';

function optionOf(options: readonly PermissionOption[], kind: string): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}

function oneLine(content: string): string {
  const line = content.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle)}…` : line;
}
