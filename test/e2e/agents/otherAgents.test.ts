import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { configureGemini, ensureGemini, geminiVariables } from '../../support/agents/gemini.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { startGeminiServer } from '../../support/models/gemini.ts';
import { geminiScenarios } from '../../support/models/scripts/geminiScenarios.ts';
import type { ModelServer } from '../../support/models/server.ts';
import { skip } from '../../support/skip.ts';
import { send, statusWord } from '../claudeHost.ts';
import { realCodex, realCopilot, runAgent, startHostOfAgents, type RealAgent } from '../realAgents.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

/** An agent whose script has `change`, which writes NOTES.md, and `again`. */
interface ShownAgent extends RealAgent {
  /** In the transcript, besides messages. */
  readonly rows: readonly string[];
  /** In the description of the cost of the session, after the first and the second run. */
  readonly tokens: readonly [first: string, second: string];
}

const agents: readonly ShownAgent[] = [
  {
    ...realCodex,
    rows: ['echo seen; exit 3', 'NOTES.md'],
    tokens: ['1,200 input, 180 output, 2,400 cache read, 300 cache write', '1,600 input, 240 output'],
  },
  {
    ...realCopilot,
    rows: ['menu.js', 'NOTES.md'],
    tokens: ['24 input, 100 output, 4,000 cache read, 2,000 cache write', '36 input, 150 output'],
  },
  {
    label: 'Gemini CLI',
    name: 'gemini',
    install: ensureGemini,
    serve: startGeminiServer,
    scenarios: geminiScenarios,
    variables: (url) => ({ ...geminiVariables(url), GEMINI_MODEL: 'gemini-2.5-pro' }),
    configure: configureGemini,
    permissionMode: 'auto_edit',
    rows: ['menu.js', 'NOTES.md'],
    tokens: ['1,200 input, 180 output, 2,400 cache read', '1,600 input, 240 output'],
  },
];

describe('other agents, from the palette to the next turn', function () {
  keepEvidence();

  const host = useWindow(() => startHostOfAgents(agents));
  after(async () => {
    const models = host.models as ReadonlyMap<string, ModelServer> | undefined;
    for (const model of models?.values() ?? []) await model.stop();
  });

  const transcript = () => host.workbench.webview().getByRole('tabpanel', { name: 'Transcript' });

  async function assertFigures(tokens: string): Promise<void> {
    const block = host.workbench.webview().locator('header .cost');
    await block.and(host.workbench.webview().locator(`[aria-description*="${tokens}"]`)).waitFor();
    const [run, session] = await block.locator('[data-usd]').all();
    assert.equal(await run?.getAttribute('data-provenance'), 'estimated');
    const usd = async (amount: typeof run) => Number(await amount?.getAttribute('data-usd'));
    assert.ok((await usd(run)) > 0 && (await usd(session)) >= (await usd(run)));
  }

  for (const { label, name, rows, tokens } of agents) {
    describe(label, function () {
      before(async function () {
        const missing = host.missing.get(name);
        if (missing !== undefined) skip(this, missing);
        rmSync(path.join(host.server.folder.workspace, 'NOTES.md'), { force: true });
        if ((await host.workbench.editorTab('').count()) > 0) await host.workbench.closeEditors();
      });

      const model = (): ModelServer => host.models.get(name)!;

      /** A session in front whose first run wrote the notes. */
      async function openNotes(): Promise<void> {
        if (!model().asked.some(({ scenario }) => scenario === 'change'))
          await runAgent(host.workbench, label, 'Write notes. [[change]]');
        await statusWord(host.workbench, 'Finished');
      }

      it('runs, changes the workspace, and shows messages and steps', async () => {
        await openNotes();
        assert.equal(readFileSync(path.join(host.server.folder.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
        for (const text of ['Write notes.', 'First a look.', 'Done.', ...rows]) {
          await transcript().getByText(text).first().waitFor();
        }
        await assertFigures(tokens[0]);
        await picture(host.workbench, name);
      });

      it('continues with the next message, and the agent remembers', async () => {
        await openNotes();
        await send(host.workbench, 'What did I ask for? [[again]]');
        await transcript().getByText('You asked for notes.').first().waitFor();
        await statusWord(host.workbench, 'Finished');
        const { request } = await model().waitFor(({ scenario }) => scenario === 'again');
        assert.match(turnsOf(request).join('\n'), /Write notes[^]*Done\.[^]*What did I ask for\?/);
        await assertFigures(tokens[1]);
      });
    });
  }
});
