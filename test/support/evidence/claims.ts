import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findAdapter } from '../../../src/agents/registry.ts';
import { ClaudeCodeNormalizer } from '../../../src/agents/claude-code/normalize.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ToolAction, ToolUse } from '../../../src/model/transcript/tool.ts';
import { Transcript } from '../../../src/model/transcript/transcript.ts';
import { capturesOf, linesOfCapture, readBy } from '../captures/agentCaptures.ts';
import { repository } from '../host/install/cache.mjs';

/** A labelled claim of an answer. `steps`: entry indexes of its sources; empty: the session has no evidence. */
export interface LabelledClaim {
  readonly start: number;
  readonly end: number;
  readonly kinds: readonly string[];
  readonly steps: readonly number[];
}

export interface LabelledAnswer {
  readonly text: string;
  readonly claims: readonly LabelledClaim[];
}

export interface LabelledSession {
  readonly name: string;
  readonly workDir: string;
  readonly entries: readonly NormalizedEntry[];
  readonly answers: readonly LabelledAnswer[];
}

export interface SyntheticStep {
  readonly prompt?: string;
  readonly say?: string;
  readonly read?: string;
  readonly lines?: readonly [number, number];
  readonly search?: string;
  readonly run?: string;
  readonly background?: boolean;
  readonly cwd?: string;
  readonly exit?: number;
  readonly out?: string;
  readonly web?: string;
  readonly websearch?: string;
  readonly results?: readonly (readonly [string, string])[];
  readonly edit?: string;
  readonly patch?: string;
  readonly old?: string;
  readonly new?: string;
  readonly write?: string;
  readonly content?: string;
  readonly status?: ToolUse['status'];
}

interface SessionFile {
  readonly session: {
    readonly capture?: string;
    readonly demo?: number;
    readonly workDir?: string;
    readonly steps?: readonly SyntheticStep[];
  };
  readonly answers: readonly string[];
}

const folder = path.join(repository, 'test/fixtures/claims');
export const missesFile = path.join(folder, 'misses.txt');

export function labelledSessions(set: 'dev' | 'holdout'): LabelledSession[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${set}-`) && name.endsWith('.json'));
  return files.sort().flatMap((file) => {
    const sessions = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as SessionFile[];
    return sessions.map(({ session, answers }, at) => ({
      name: `${file.replace('.json', '')} ${session.capture ?? (session.demo === undefined ? `made ${at}` : `demo ${session.demo}`)}`,
      workDir: session.workDir ?? (session.demo === undefined ? '/workspace' : '/workspace/teahouse'),
      entries: entriesOf(session),
      answers: answers.map(readMarks),
    }));
  });
}

/** Parses marks `⟦kind=steps|words⟧` in an answer. */
export function readMarks(marked: string): LabelledAnswer {
  const claims: LabelledClaim[] = [];
  let text = '';
  let from = 0;
  for (const found of marked.matchAll(/⟦([^|⟧]*)\|([^⟧]*)⟧/g)) {
    text += marked.slice(from, found.index);
    from = found.index + found[0].length;
    const [, mark = '', words = ''] = found;
    const [kinds = '', steps = ''] = mark.split('=');
    if (kinds !== 'none') {
      claims.push({
        start: text.length,
        end: text.length + words.length,
        kinds: kinds.split('/'),
        steps: steps === '?' ? [] : steps.split(',').map(Number),
      });
    }
    text += words;
  }
  return { text: text + marked.slice(from), claims };
}

function entriesOf({ capture, demo, steps }: SessionFile['session']): readonly NormalizedEntry[] {
  if (steps !== undefined) return steps.map(createEntry);
  if (demo !== undefined) return demoEntries().filter(({ index }) => index < demo);
  const [type = '', ...rest] = (capture ?? '').split('/');
  const adapter = findAdapter(type);
  const found = capturesOf(type).find(({ name }) => name === rest.join('/'));
  if (adapter === undefined || found === undefined) throw new Error(`no capture ${capture ?? ''}`);
  // The capture's own answer is replaced with those of the label file.
  const { entries } = readBy(adapter, linesOfCapture(found), found.exit);
  return entries;
}

/** The demo recording, normalized. */
export function demoEntries(): readonly NormalizedEntry[] {
  const normalizer = new ClaudeCodeNormalizer({ workDir: '/workspace/teahouse', firstIndex: 0 });
  const transcript = new Transcript();
  const lines = readFileSync(path.join(repository, 'media/demo/teahouse.ndjson'), 'utf8').split('\n');
  for (const [at, line] of lines.entries()) {
    const recorded = line === '' ? {} : (JSON.parse(line) as { readonly line?: string });
    if (recorded.line !== undefined)
      transcript.apply(normalizer.push({ stream: 'stdout', text: recorded.line }, at * 100));
  }
  return transcript.settledEntries();
}

export function createEntry(step: SyntheticStep, index: number): NormalizedEntry {
  const timestamp = new Date(Date.UTC(2026, 10, 20, 10, 0, index)).toISOString();
  if (step.prompt !== undefined) {
    return { index, timestamp, type: { kind: 'user_message' }, content: step.prompt, origin: 'human' };
  }
  if (step.say !== undefined) return { index, timestamp, type: { kind: 'assistant_message' }, content: step.say };
  const failed = step.exit !== undefined && step.exit !== 0;
  const text = step.status === 'denied' ? 'Denied' : (step.out ?? madeText(step));
  const tool: ToolUse = {
    toolName: 'made',
    callId: `call_${index}`,
    action: madeAction(step),
    status: step.status ?? (failed ? 'failed' : 'success'),
    result: { text },
    startedAt: timestamp,
    endedAt: timestamp,
  };
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: 'made' };
}

/** Output of a read of these lines. */
function madeText({ read, lines }: SyntheticStep): string {
  if (read === undefined || lines === undefined) return '';
  return Array.from({ length: lines[1] - lines[0] + 1 }, (_, at) => `${lines[0] + at}\tline ${lines[0] + at}`).join(
    '\n',
  );
}

function madeAction(step: SyntheticStep): ToolAction {
  if (step.read !== undefined) {
    const range = step.lines === undefined ? {} : { startLine: step.lines[0], endLine: step.lines[1] };
    return { kind: 'file_read', path: step.read, ...range };
  }
  if (step.search !== undefined) return { kind: 'search', query: step.search };
  if (step.run !== undefined) {
    const output = step.out === undefined ? {} : { stdout: step.out };
    return {
      kind: 'command_run',
      command: step.run,
      ...output,
      ...(step.exit !== undefined && { exitCode: step.exit }),
      ...(step.background !== undefined && { background: step.background }),
      ...(step.cwd !== undefined && { cwd: step.cwd }),
    };
  }
  if (step.web !== undefined) return { kind: 'web_fetch', url: step.web };
  if (step.websearch !== undefined) {
    const results = (step.results ?? []).map(([url, title]) => ({ url, title }));
    return { kind: 'web_search', query: step.websearch, results };
  }
  if (step.write !== undefined) return { kind: 'file_write', path: step.write, content: step.content ?? '' };
  if (step.edit === undefined) throw new Error(`no step: ${JSON.stringify(step)}`);
  const change = {
    path: step.edit,
    kind: 'update' as const,
    ...(step.patch !== undefined && { patch: step.patch }),
    ...(step.old !== undefined && { oldText: step.old }),
    ...(step.new !== undefined && { newText: step.new }),
  };
  return { kind: 'file_edit', changes: [change] };
}
