import * as z from 'zod';
import type { Decision, Question } from '../../../model/agent/request.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { FileChange, ToolAction } from '../../../model/transcript/tool.ts';
import type { NewRequest } from '../../dialogue.ts';
import { fileChanges } from '../threads/items.ts';
import { commandAction } from '../threads/items.ts';

const place = { threadId: z.string(), turnId: z.string(), itemId: z.string(), reason: z.string().nullish() };

const command = z.looseObject({
  ...place,
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  networkApprovalContext: z.looseObject({ host: z.string() }).nullish(),
});
const fileChange = z.looseObject({ ...place, grantRoot: z.string().nullish() });
const permissions = z.looseObject({ ...place, cwd: z.string().nullish(), permissions: z.looseObject({}) });
const questions = z.looseObject({
  threadId: z.string(),
  turnId: z.string(),
  itemId: z.string(),
  questions: z.array(
    z.looseObject({
      id: z.string(),
      header: z.string().nullish(),
      question: z.string(),
      isOther: z.boolean().default(true),
      options: z.array(z.looseObject({ label: z.string(), description: z.string().nullish() })).nullish(),
    }),
  ),
});
/** A server's form without fields asks only for permission. */
const elicitation = z.looseObject({
  threadId: z.string(),
  turnId: z.string().nullish(),
  serverName: z.string(),
  mode: z.literal('form'),
  message: z.string(),
  requestedSchema: z.looseObject({
    properties: z.looseObject({}).refine((fields) => Object.keys(fields).length === 0),
  }),
});

/** A request of the app-server in Vitrine's terms, and how to answer it. */
export interface Approval {
  readonly request: Omit<NewRequest, 'id'>;
  /** `null`: the app-server no longer waits. */
  readonly answer: (decision: Decision) => JsonObject | null;
}

/** The changes of an item that is waiting. */
export type KnownChanges = (itemId: string) => readonly FileChange[];

type ReadApproval = (params: JsonObject, changesOf: KnownChanges) => Approval | undefined;

const readers = new Map<string, ReadApproval>([
  ['item/commandExecution/requestApproval', commandApproval],
  ['item/fileChange/requestApproval', changeApproval],
  ['item/permissions/requestApproval', permissionsApproval],
  ['item/tool/requestUserInput', questionsAsked],
  ['mcpServer/elicitation/request', elicitationApproval],
]);

export function isApproval(method: string): boolean {
  return readers.has(method);
}

/** `undefined`: Vitrine cannot answer it. */
export function approvalOf(method: string, params: JsonObject, changesOf: KnownChanges): Approval | undefined {
  return readers.get(method)?.(params, changesOf);
}

function commandApproval(params: JsonObject): Approval | undefined {
  const { data } = command.safeParse(params);
  if (data === undefined) return undefined;
  const { itemId, reason, command: line, cwd, networkApprovalContext: network } = data;
  const shown = line ?? '';
  const action: ToolAction = { ...commandAction(shown, undefined), ...(typeof cwd === 'string' && { cwd }) };
  const host = network?.host;
  return {
    request: {
      kind: 'permission',
      callId: itemId,
      toolName: 'command_execution',
      title: host === undefined ? `Run ${firstLine(shown)}` : `Connect to ${host}`,
      ...reasonOf(reason),
      action,
      input: { command: shown },
      ...(typeof cwd === 'string' && { cwd }),
      session: host === undefined ? 'the same command' : `connections to ${host}`,
      reasonUnheard: true,
    },
    answer: toDecision,
  };
}

function changeApproval(params: JsonObject, changesOf: KnownChanges): Approval | undefined {
  const { data } = fileChange.safeParse(params);
  if (data === undefined) return undefined;
  const { itemId, reason, grantRoot } = data;
  const changes = [...changesOf(itemId)];
  const paths = [...new Set(changes.map(({ path }) => path))];
  return {
    request: {
      kind: 'permission',
      callId: itemId,
      toolName: 'file_change',
      title: paths.length === 0 ? 'Change files' : `Edit ${paths.join(', ')}`,
      ...reasonOf(reason),
      action: { kind: 'file_edit', changes },
      input: { changes, ...(typeof grantRoot === 'string' && { grantRoot }) },
      session: typeof grantRoot === 'string' ? `changes in ${grantRoot}` : 'changes to the same files',
      reasonUnheard: true,
    },
    answer: toDecision,
  };
}

function toDecision({ by, answer }: Decision): JsonObject | null {
  if (by === 'withdrawn' || by === 'run_over') return null;
  if (answer.kind === 'allow') return { decision: answer.scope === 'session' ? 'acceptForSession' : 'accept' };
  return { decision: answer.kind === 'deny' && answer.interrupt === true ? 'cancel' : 'decline' };
}

function permissionsApproval(params: JsonObject): Approval | undefined {
  const { data } = permissions.safeParse(params);
  if (data === undefined) return undefined;
  const { itemId, reason, cwd, permissions: requested } = data;
  const grantedPermissions = Object.fromEntries(Object.entries(requested).filter(([, value]) => value !== null));
  return {
    request: {
      kind: 'permission',
      callId: itemId,
      toolName: 'request_permissions',
      title: `Get more permissions: ${Object.keys(grantedPermissions).join(', ')}`,
      ...reasonOf(reason),
      input: requested,
      ...(typeof cwd === 'string' && { cwd }),
      session: 'the same permissions',
      reasonUnheard: true,
    },
    answer: ({ by, answer }) => {
      if (by === 'withdrawn' || by === 'run_over') return null;
      if (answer.kind !== 'allow') return { permissions: {}, scope: 'turn' };
      return { permissions: grantedPermissions, scope: answer.scope === 'session' ? 'session' : 'turn' };
    },
  };
}

function questionsAsked(params: JsonObject): Approval | undefined {
  const { data } = questions.safeParse(params);
  if (data === undefined) return undefined;
  const shown = data.questions.map(({ question, header, isOther, options }): Question => {
    const offered = (options ?? []).map(({ label, description }) => ({
      label,
      ...(typeof description === 'string' && { description }),
    }));
    const freeText = isOther || offered.length === 0;
    return { question, ...(typeof header === 'string' && { header }), multiSelect: false, freeText, options: offered };
  });
  return {
    request: {
      kind: 'question',
      callId: data.itemId,
      toolName: 'request_user_input',
      title: shown[0]?.question ?? 'A question',
      questions: shown,
    },
    answer: ({ by, answer }) => {
      if (by === 'withdrawn' || by === 'run_over') return null;
      const labels = answer.kind === 'answer' ? answer.answers : [];
      const answers = data.questions.flatMap(({ id }, at) => {
        const label = labels[at];
        return label === undefined ? [] : [[id, { answers: [label] }] as const];
      });
      return { answers: Object.fromEntries(answers) };
    },
  };
}

function elicitationApproval(params: JsonObject): Approval | undefined {
  const { data } = elicitation.safeParse(params);
  if (data === undefined) return undefined;
  const { serverName, message } = data;
  return {
    request: {
      kind: 'permission',
      toolName: serverName,
      title: firstLine(message),
      description: message,
      input: params,
      reasonUnheard: true,
    },
    answer: ({ by, answer }) => {
      if (by === 'withdrawn' || by === 'run_over') return null;
      return answer.kind === 'allow' ? { action: 'accept', content: {} } : { action: 'decline', content: null };
    },
  };
}

function reasonOf(reason: string | null | undefined): { reason?: string } {
  return reason === null || reason === undefined || reason === '' ? {} : { reason };
}

function firstLine(content: string): string {
  const [line = ''] = content.split('\n', 1);
  return line.length < content.length || line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

export function changesOfItem(item: JsonObject): readonly FileChange[] {
  return fileChanges(item['changes']);
}
