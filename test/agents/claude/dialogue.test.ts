import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../../src/engine/api.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { ensureClaudeCode } from '../../support/agents/claudeCode.ts';
import { ownFigures } from '../../support/agents/figures.ts';
import { agentPlace, type AgentPlace, waitForProcessEnd } from '../../support/agents/place.ts';
import { ended, toolsOf, toolStatuses } from '../../support/agents/runs.ts';
import { waitForRequest, requests, talk, talkingDeps } from '../../support/agents/talk.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { teaQuestion } from '../../support/models/scripts/teaQuestion.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

const make = tool('Bash', { command: 'touch made.txt', description: 'Make the file' });

const scenarios = (workDir: string): Scenarios => ({
  make: [{ blocks: [make] }, { blocks: [text('That was that.')] }],
  twice: [{ blocks: [make] }, { blocks: [make] }, { blocks: [text('Both times.')] }],
  write: [
    { blocks: [tool('Write', { file_path: `${workDir}/tea.txt`, content: 'Green tea\n' })] },
    { blocks: [text('Written.')] },
  ],
  both: [
    { blocks: [make] },
    { blocks: [tool('Write', { file_path: `${workDir}/tea.txt`, content: 'Green tea\n' })] },
    { blocks: [text('Made and written.')] },
  ],
  ask: teaQuestion,
  plan: [
    { blocks: [tool('ExitPlanMode', { plan: '1. Boil water\n2. Make tea' })] },
    { blocks: [tool('Write', { file_path: `${workDir}/tea.txt`, content: 'Green tea\n' })] },
    { blocks: [text('As planned.')] },
  ],
  next: [{ blocks: [text('The next thing is done.')] }],
  sleep: [{ blocks: [tool('Bash', { command: 'touch started.txt && sleep 600', timeout: 600_000 })] }, { hang: true }],
  background: [
    {
      blocks: [
        tool('Bash', { command: 'sleep 2; echo over > over.txt', description: 'Later', run_in_background: true }),
      ],
    },
    { blocks: [text('It goes on in the background.')] },
    { blocks: [make] },
    { blocks: [text('Now it is over.')] },
  ],
});

for (const version of ['2.1.328', '2.0.77'] as const) {
  describe(`a dialogue with Claude Code ${version}`, function () {
    let place: AgentPlace;
    const engines: Engine[] = [];
    const handles: SessionHandle[] = [];

    before(async function () {
      const installed = await ensureClaudeCode(version);
      if ('missing' in installed) skip(this, installed.missing);
      // Nothing is allowed unasked.
      const program = installed.program;
      newPlace = () => agentPlace(program, { scenarios, configure: () => undefined });
    });
    let newPlace: () => Promise<AgentPlace>;
    beforeEach(async () => {
      place = await newPlace();
    });
    afterEach(async () => {
      for (const handle of handles.splice(0)) handle.dispose();
      for (const engine of engines.splice(0)) await engine.dispose();
      await (place as AgentPlace | undefined)?.remove();
    });

    const newest = version === '2.1.328';
    /** What does not differ by version. */
    const onNewest = newest ? it : (): void => undefined;
    const engineWith = (change: Partial<ReturnType<typeof talkingDeps>> = {}): Engine => {
      const engine = new Engine({ ...talkingDeps(place), ...change });
      engines.push(engine);
      return engine;
    };
    const start = async (prompt: string, options = {}, engine = engineWith()): Promise<SessionHandle> => {
      const handle = await engine.start({ agent: 'claude-code', prompt, cwd: place.workspace, options });
      handles.push(handle);
      return handle;
    };
    const there = (name: string): boolean => existsSync(path.join(place.workspace, name));
    /** Everything that the model was told with its last question of the scenario. */
    const reported = (scenario: string): string => {
      const last = place.model.asked.findLast((request) => request.scenario === scenario);
      assert.ok(last, `the model was never asked for ${scenario}`);
      return JSON.stringify(last.request.messages);
    };

    it('resumes with another mode and model', async () => {
      const handle = await start('Make it, and write. [[both]]', { model: 'claude-sonnet-4-5' });
      const request = await waitForRequest(handle);
      const taken = talk(handle).changeOptions({ permissionMode: 'acceptEdits', model: 'claude-haiku-4-5' });
      assert.deepEqual(taken, ['model', 'permissionMode']);
      assert.equal(talk(handle).answer(request.id, { kind: 'allow', scope: 'once' }), true);
      assert.equal((await ended(handle)).success, true);
      assert.ok(there('made.txt') && there('tea.txt'));
      // The file was written unasked.
      assert.equal((await requests(handle)).length, 1);
      const models = place.model.asked.flatMap(({ scenario, request }) => (scenario === 'both' ? [request.model] : []));
      // Older versions change the model with the next turn.
      assert.match(models.join(' '), newest ? /^claude-sonnet\S* .*haiku/ : /sonnet/);
    });

    it('does what is allowed once', async () => {
      const handle = await start('Make it. [[make]]');
      const request = await waitForRequest(handle);
      assert.equal(request.kind, 'permission');
      assert.deepEqual(request.action, {
        kind: 'command_run',
        command: 'touch made.txt',
        description: 'Make the file',
      });
      assert.equal(request.description, version === '2.0.77' ? undefined : 'Make the file');
      assert.equal(request.cwd, place.workspace);
      assert.equal(request.session, 'Bash(touch made.txt)');
      assert.equal(handle.summary().needs_you?.title, 'Run touch made.txt');
      assert.equal(there('made.txt'), false);
      assert.equal(talk(handle).answer(request.id, { kind: 'answer', answers: [] }), false, 'no answer to this');
      assert.equal(talk(handle).answer(request.id, { kind: 'allow', scope: 'once' }), true);
      assert.equal(talk(handle).answer(request.id, { kind: 'allow', scope: 'once' }), false);
      assert.equal(handle.summary().needs_you, undefined);
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(result.data, 'That was that.');
      assert.equal(there('made.txt'), true);
      const shown = await requests(handle);
      assert.equal(shown.length, 1);
      assert.equal(shown[0]?.decision?.by, 'user');
      assert.match(shown[0].entry.content, /^Allowed once: Run `touch made\.txt`[^]*```\ntouch made\.txt\n```/);
      const all = await handle.read(0, handle.entryCount());
      const asking = all.filter(({ content }) => content.includes('touch made.txt'));
      assert.deepEqual(
        asking.map(({ type }) => type.kind),
        ['tool_use', 'system_message'],
      );
      const record = readFileSync(path.join(place.store, 'sessions', handle.id, 'record.jsonl'), 'utf8');
      const decision = record.split('\n').find((line) => line.includes('"type":"permission"')) ?? '';
      assert.match(decision, /"command":"touch made\.txt"/);
      assert.equal(record.includes('needs_you'), false);
      assert.equal(result.metadata?.cost, ownFigures(handle.rawPath(handle.turns()[0]!.runId).stdout).usd);
    });

    it('continues after a denial, and gets the reason', async () => {
      const handle = await start('Make it. [[make]]');
      const request = await waitForRequest(handle);
      talk(handle).answer(request.id, { kind: 'deny', reason: 'The shelf is full.' });
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(there('made.txt'), false);
      assert.match(reported('make'), /The user does not allow this, and says: The shelf is full\./);
      const [used] = await toolsOf(handle);
      assert.equal(used?.status, 'denied');
      const [shown] = await requests(handle);
      assert.match(shown?.entry.content ?? '', /^Denied: Run `touch made\.txt`\n\n> The shelf is full\./);
    });

    onNewest('ends the turn with a denial, where that is wanted', async () => {
      const handle = await start('Make it. [[make]]');
      const request = await waitForRequest(handle);
      talk(handle).answer(request.id, { kind: 'deny', interrupt: true });
      const result = await ended(handle);
      assert.equal(result.success, false);
      assert.equal(handle.summary().outcome, 'stopped');
      assert.equal(there('made.txt'), false);
      assert.equal(place.model.asked.filter(({ scenario }) => scenario === 'make').length, 1);
    });

    it('does not ask again for what is allowed for the session', async () => {
      const handle = await start('Make it twice. [[twice]]');
      const request = await waitForRequest(handle);
      talk(handle).answer(request.id, { kind: 'allow', scope: 'session' });
      const result = await ended(handle);
      assert.equal(result.data, 'Both times.', result.error);
      assert.equal((await requests(handle)).length, 1);
      assert.deepEqual(await toolStatuses(handle), ['success', 'success']);
      // Nothing is allowed for longer than that.
      assert.equal(there('.claude/settings.local.json'), false);
    });

    onNewest('denies requests that nobody answered in time', async () => {
      const handle = await start('Write it. [[write]]', {}, engineWith({ timing: { requestMs: 200 } }));
      const request = await waitForRequest(handle);
      assert.equal(request.action?.kind, 'file_write');
      assert.equal(request.session, 'all file edits (permission mode acceptEdits)');
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(there('tea.txt'), false);
      const [shown] = await requests(handle);
      assert.equal(shown?.decision?.by, 'timeout');
      assert.match(reported('write'), /Denied: No answer within 0 s\./);
    });

    it('gets the answer to its question', async () => {
      const handle = await start('Ask me. [[ask]]');
      const request = await waitForRequest(handle);
      assert.equal(request.kind, 'question');
      assert.deepEqual(
        request.questions?.map(({ question, options }) => [question, options.map(({ label }) => label)]),
        [['Which tea?', ['Green', 'Black']]],
      );
      talk(handle).answer(request.id, { kind: 'answer', answers: ['Green'] });
      const result = await ended(handle);
      assert.equal(result.data, 'A good choice.', result.error);
      assert.match(reported('ask'), /Which tea\?[^]{0,20}Green/);
      const [shown] = await requests(handle);
      assert.match(shown?.entry.content ?? '', /^Answered\n\n`Which tea\?`\n\n> Green/);
    });

    it('executes its plan after approval', async () => {
      const handle = await start('Plan it. [[plan]]', { permissionMode: 'plan' });
      const request = await waitForRequest(handle);
      assert.equal(request.kind, 'plan');
      assert.equal(request.plan, '1. Boil water\n2. Make tea');
      talk(handle).answer(request.id, { kind: 'allow', scope: 'once' });
      await until('the next request', () => handle.conversation()?.pendingRequests()[0]?.kind === 'permission');
      const write = await waitForRequest(handle);
      talk(handle).answer(write.id, { kind: 'allow', scope: 'once' });
      const result = await ended(handle);
      assert.equal(result.data, 'As planned.', result.error);
      assert.equal(there('tea.txt'), true);
    });

    it('gets a queued message after the turn, in the same process', async () => {
      const handle = await start('Make it. [[make]]');
      const request = await waitForRequest(handle);
      talk(handle).sendMessage('And then? [[next]]', 'queue');
      talk(handle).sendMessage('Never mind this', 'queue');
      const [first, second] = talk(handle).queuedMessages();
      assert.equal(first?.text, 'And then? [[next]]');
      assert.equal(talk(handle).unsend(second!.id), 'Never mind this');
      assert.equal(talk(handle).unsend(second!.id), undefined);
      talk(handle).answer(request.id, { kind: 'allow', scope: 'once' });
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.match(turnsOf(place.model.asked.at(-1)!.request).join('\n'), /That was that\.[^]*And then\?/);
      const all = await handle.read(0, handle.entryCount());
      const said = all.filter(({ type }) => type.kind === 'user_message' || type.kind === 'assistant_message');
      assert.deepEqual(
        said.map(({ content, origin }) => [content, origin]),
        [
          ['Make it. [[make]]', 'human'],
          ['That was that.', undefined],
          ['And then? [[next]]', 'human'],
          ['The next thing is done.', undefined],
        ],
      );
      assert.equal(handle.summary().runs, 1);
      assert.equal(result.metadata?.turns, 3);
      assert.equal(result.metadata.costProvenance.provenance, 'reported');
      const own = ownFigures(handle.rawPath(handle.turns()[0]!.runId).stdout);
      assert.ok(Math.abs((result.metadata.cost ?? NaN) - own.usd) < 1e-12, `${result.metadata.cost} is not ${own.usd}`);
      assert.equal(all.filter(({ content }) => content.includes('Never mind')).length, 0);
    });

    it('is interrupted by an urgent message', async () => {
      const handle = await start('Make it. [[make]]');
      await waitForRequest(handle);
      talk(handle).sendMessage('Rather this. [[next]]', 'interrupt');
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(there('made.txt'), false);
      const all = await handle.read(0, handle.entryCount());
      assert.equal(
        all.filter(({ type }) => type.kind === 'assistant_message').at(-1)?.content,
        'The next thing is done.',
      );
      const [shown] = await requests(handle);
      assert.equal(shown?.decision?.by, 'withdrawn');
      assert.equal(handle.summary().needs_you, undefined);
    });

    onNewest('is resumed in the same way', async () => {
      const engine = engineWith();
      const first = await start('Go on. [[next]]', {}, engine);
      await ended(first);
      const again = await engine.resume(first.id, { prompt: 'Make it. [[make]]' });
      handles.push(again);
      const request = await waitForRequest(again);
      talk(again).answer(request.id, { kind: 'allow', scope: 'once' });
      const result = await ended(again);
      assert.equal(result.success, true, result.error);
      assert.match(reported('make'), /Go on\./);
      assert.equal(again.conversation(), null);
      rmSync(path.join(place.home, '.claude/projects'), { recursive: true });
      const lost = await engine.resume(first.id, { prompt: 'Are you there? [[next]]' });
      handles.push(lost);
      assert.equal((await ended(lost)).success, false);
      assert.match(lost.summary().reason ?? '', /no longer has this conversation/);
    });

    if (newest) {
      it('continues when its background command ends, and can still ask', async () => {
        const handle = await start('Later. [[background]]', {}, engineWith({ timing: { nextTurnMs: 60_000 } }));
        const first = await waitForRequest(handle);
        talk(handle).answer(first.id, { kind: 'allow', scope: 'once' });
        await until('the other request', () => {
          const [other] = handle.conversation()?.pendingRequests() ?? [];
          return other !== undefined && other.id !== first.id;
        });
        assert.equal(there('over.txt'), true);
        const second = await waitForRequest(handle);
        talk(handle).answer(second.id, { kind: 'allow', scope: 'once' });
        const result = await ended(handle);
        assert.equal(result.success, true, result.error);
        assert.equal(there('made.txt'), true);
      });
    }

    onNewest('leaves nothing when it is stopped while it asks', async function () {
      if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
      const engine = engineWith({ timing: { politeGraceMs: 60_000 } });
      const handle = await start('Make it. [[make]]', {}, engine);
      await waitForRequest(handle);
      talk(handle).sendMessage('Unsaid', 'queue');
      await engine.stop(handle.id);
      await waitForProcessEnd(place.home);
      assert.equal(handle.summary().outcome, 'stopped');
      assert.equal(handle.summary().needs_you, undefined);
      assert.equal(handle.conversation(), null);
      assert.deepEqual(handle.openIndexes(), []);
      assert.equal(there('made.txt'), false);
      const [shown] = await requests(handle);
      assert.equal(shown?.decision?.by, 'run_over');
      const all = await handle.read(0, handle.entryCount());
      assert.ok(all.some(({ content }) => content.includes('> Unsaid')));
    });

    it('reports its cost so far when stopped', async function () {
      if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
      const engine = engineWith({ timing: { politeGraceMs: 60_000 } });
      const handle = await start('Sleep. [[sleep]]', {}, engine);
      const request = await waitForRequest(handle);
      talk(handle).answer(request.id, { kind: 'allow', scope: 'once' });
      await until('the command', () => there('started.txt'));
      await engine.stop(handle.id);
      const result = await ended(handle);
      await waitForProcessEnd(place.home);
      assert.equal(handle.summary().outcome, 'stopped');
      assert.equal(result.metadata?.costProvenance.provenance, 'reported');
    });

    it('shows a request as unanswered after its window was killed', async () => {
      const host = spawn(
        process.execPath,
        [path.resolve('test/support/agents/talkHost.ts'), place.store, place.workspace, 'Make it. [[make]]'],
        { stdio: ['ignore', 'pipe', 'inherit'], env: place.env },
      );
      const [chunk] = (await once(host.stdout, 'data')) as [Buffer];
      const id = chunk.toString().trim();
      host.kill('SIGKILL');
      await once(host, 'exit');
      const engine = engineWith();
      await engine.sweep();
      if (process.platform === 'linux') await waitForProcessEnd(place.home);
      const handle = await engine.open(id);
      handles.push(handle);
      assert.equal(handle.summary().outcome, 'interrupted');
      assert.equal(handle.summary().needs_you, undefined);
      assert.equal(handle.conversation(), null);
      const [shown, ...others] = await requests(handle);
      assert.equal(shown?.decision?.by, 'run_over');
      assert.equal(shown.request.action?.kind, 'command_run');
      assert.deepEqual(others, []);
      const [used] = await toolsOf(handle);
      assert.notEqual(used?.status, 'running');
      const again = await engine.resume(id, { prompt: 'And now? [[next]]' });
      handles.push(again);
      assert.equal((await ended(again)).data, 'The next thing is done.');
    });

    onNewest('refuses actions that need a permission if no one can answer', async () => {
      const handle = await start('Make it. [[make]]', {}, engineWith({ interactive: false }));
      assert.equal(handle.conversation(), null);
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(there('made.txt'), false);
    });
  });
}
