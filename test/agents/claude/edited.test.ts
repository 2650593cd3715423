import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../../src/engine/api.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { readProposal } from '../../../src/engine/requests/readEditPreviews.ts';
import { editedText } from '../../../src/insight/files/preview/editedText.ts';
import { reviewFile } from '../../../src/insight/review/reviewFile.ts';
import { ensureClaudeCode } from '../../support/agents/claudeCode.ts';
import { agentPlace, type AgentPlace } from '../../support/agents/place.ts';
import { toolsOf } from '../../support/agents/runs.ts';
import { waitForRequest, requests, talk, talkingDeps } from '../../support/agents/talk.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';

const scenarios = (workDir: string): Scenarios => ({
  write: [
    { blocks: [tool('Write', { file_path: `${workDir}/tea.txt`, content: 'Green tea\n' })] },
    { blocks: [text('Written.')] },
  ],
  edit: [
    { blocks: [tool('Read', { file_path: `${workDir}/list.txt` })] },
    { blocks: [tool('Edit', { file_path: `${workDir}/list.txt`, old_string: 'milk', new_string: 'cream' })] },
    { blocks: [text('Edited.')] },
  ],
});

describe('an edit of Claude Code that a person changes before allowing it', function () {
  let place: AgentPlace;
  let engine: Engine;
  let handle: SessionHandle;

  before(async function () {
    const installed = await ensureClaudeCode('2.1.328');
    if ('missing' in installed) skip(this, installed.missing);
    place = await agentPlace(installed.program, { scenarios, configure: () => undefined });
    engine = new Engine(talkingDeps(place));
  });
  afterEach(() => handle.dispose());
  after(async () => {
    await (engine as Engine | undefined)?.dispose();
    await (place as AgentPlace | undefined)?.remove();
  });

  const file = (name: string) => path.join(place.workspace, name);
  const onDisk = (name: string) => readFileSync(file(name), 'utf8');

  /** Runs the prompt, writes `change` of the proposed text instead, and returns the proposed one. */
  async function runEdited(prompt: string, change: (proposed: string) => string): Promise<string> {
    handle = await engine.start({ agent: 'claude-code', prompt, cwd: place.workspace, options: {} });
    const request = await waitForRequest(handle);
    assert.equal(request.editable, true);
    const proposal = await readProposal(request, place.workspace);
    assert.ok(proposal !== undefined);
    const { path: name, before, after } = proposal;
    const edited = editedText(request, name, before, change(after));
    const other = { ...edited, path: file('other.txt') };
    assert.equal(talk(handle).answer(request.id, { kind: 'allow', scope: 'once', edited: other }), false);
    assert.equal(talk(handle).answer(request.id, { kind: 'allow', scope: 'once', edited }), true);
    const result = await handle.done;
    assert.equal(result?.success, true, result?.error);
    return after;
  }

  async function assertSaid(words: RegExp): Promise<void> {
    const [shown] = await requests(handle);
    assert.match(shown?.entry.content ?? '', /^Allowed once, with edits by a person: /);
    assert.match(shown?.entry.content ?? '', words);
    const { decision } = shown ?? {};
    assert.ok(decision?.answer.kind === 'allow' && decision.answer.edited !== undefined);
    const record = readFileSync(path.join(place.store, 'sessions', handle.id, 'record.jsonl'), 'utf8');
    const line = record.split('\n').find((candidate) => candidate.includes('"type":"permission"')) ?? '';
    assert.match(line, /"edited":\{"path":/);
  }

  it('writes the person’s text to a new file', async () => {
    const proposed = await runEdited('Write it. [[write]]', (after) => after.replace('Green', 'Black'));
    assert.equal(proposed, 'Green tea\n');
    assert.equal(onDisk('tea.txt'), 'Black tea\n');
    await assertSaid(/Black tea[^]*Requested by the agent:[^]*Green tea/);
    const [tool_] = (await toolsOf(handle)).filter(({ action }) => action.kind === 'file_write');
    const written = { kind: 'file_write', path: file('tea.txt'), content: 'Black tea\n', created: true };
    assert.deepEqual(tool_?.action, written);
  });

  it('applies the person’s edit to a file, and the review names its author', async () => {
    const before = 'bread\r\nmilk\r\neggs\r\n';
    writeFileSync(file('list.txt'), before);
    await runEdited('Edit it. [[edit]]', (after) => after.replace('cream', 'oat milk').replace('eggs', 'tofu'));
    const now = onDisk('list.txt');
    assert.equal(now, 'bread\r\noat milk\r\ntofu\r\n');
    await assertSaid(/-milk[^]*\+oat milk/);
    const entries = await handle.read(0, handle.entryCount());
    const { hunks } = reviewFile(entries, now, { path: file('list.txt'), workDir: place.workspace });
    const edit = entries.find(({ type }) => type.kind === 'tool_use' && type.tool.action.kind === 'file_edit');
    assert.deepEqual(
      hunks.map(({ by }) => by),
      [[edit?.index]],
    );
    assert.equal((await toolsOf(handle)).at(-1)?.status, 'success');
  });
});
