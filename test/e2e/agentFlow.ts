import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { turnsOf } from '../support/models/conversation.ts';
import { send, statusWord } from './claudeHost.ts';
import { runAgent, startAgentHost, type RealAgent } from './realAgents.ts';
import { keepEvidence, picture, useWindow } from './session.ts';

/** What the panel is to say after the first run, and after the one that continues. */
export interface Shown {
  /** In the transcript, besides what was said. */
  readonly rows: readonly string[];
  /** In the description of the cost: what the script's answers count, of the session. */
  readonly tokens: readonly [first: string, second: string];
  readonly cost: 'estimated' | RegExp;
}

/** From the palette to the next turn. The script has `change`, which writes NOTES.md, and `again`. */
export function describeAgent(agent: RealAgent, shown: Shown): void {
  describe(`${agent.label}, from the palette to the next turn`, function () {
    keepEvidence();

    const host = useWindow((context) => startAgentHost(context, agent));

    const transcript = () => host.workbench.webview().getByRole('tabpanel', { name: 'Transcript' });

    async function assertFigures(tokens: string): Promise<void> {
      const block = host.workbench.webview().locator('header .cost');
      await block.and(host.workbench.webview().locator(`[aria-description*="${tokens}"]`)).waitFor();
      const about = (await block.getAttribute('aria-description')) ?? '';
      if (shown.cost !== 'estimated') {
        assert.match(about, shown.cost);
        assert.equal(await block.locator('[data-usd]').count(), 0);
        return;
      }
      const [run, session] = await block.locator('[data-usd]').all();
      assert.equal(await run?.getAttribute('data-provenance'), 'estimated');
      const usd = async (amount: typeof run) => Number(await amount?.getAttribute('data-usd'));
      assert.ok((await usd(run)) > 0 && (await usd(session)) >= (await usd(run)));
    }

    it('runs, changes the workspace, and shows messages and steps', async () => {
      await runAgent(host.workbench, agent.label, 'Write notes. [[change]]');
      await statusWord(host.workbench, 'Finished');
      assert.equal(readFileSync(path.join(host.server.folder.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
      for (const text of ['Write notes.', 'First a look.', 'Done.', ...shown.rows]) {
        await transcript().getByText(text).first().waitFor();
      }
      await assertFigures(shown.tokens[0]);
      await picture(host.workbench, agent.name);
    });

    it('continues with the next message, and the agent remembers', async () => {
      await send(host.workbench, 'What did I ask for? [[again]]');
      await transcript().getByText('You asked for notes.').first().waitFor();
      await statusWord(host.workbench, 'Finished');
      const { request } = await host.model.waitFor(({ scenario }) => scenario === 'again');
      assert.match(turnsOf(request).join('\n'), /Write notes[^]*Done\.[^]*What did I ask for\?/);
      await assertFigures(shown.tokens[1]);
    });
  });
}
