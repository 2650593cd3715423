import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadBlueprints } from '../../../src/engine/blueprints/load.ts';
import { until } from '../../support/until.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

describe('New Agent…', function () {
  keepEvidence();

  const host = useWindow(async () => ({ server: await startHost() }));

  const step = async (placeholder: string, text?: string): Promise<void> => {
    await host.workbench.page.getByPlaceholder(placeholder).waitFor();
    if (text !== undefined) await host.workbench.quickInput().fill(text);
  };
  const enter = (): Promise<void> => host.workbench.quickInput().press('Enter');

  it('asks step by step, with a way back, and opens the file that it writes', async () => {
    await host.workbench.runCommand('Vitrine: New Agent…');
    await step('Agent name', 'no name');
    await enter();
    await host.workbench.page.getByText('Use up to 64 letters').first().waitFor();
    await step('Agent name', 'lead');
    await host.workbench.page.getByText('An agent named "lead" already exists.').first().waitFor();
    await step('Agent name', 'reviewer');
    await enter();
    await step('Select the program');
    await host.workbench.quickPickRow('Codex').waitFor();
    await picture(host.workbench, 'new-agent');
    await host.workbench.quickPickRow('Codex').click();
    await step('Model', 'gpt: 5 # fast');
    await enter();
    await step('Instructions for the agent');
    await host.workbench.page.locator('.quick-input-titlebar').getByRole('button', { name: 'Back' }).click();
    await step('Model');
    assert.equal(await host.workbench.quickInput().inputValue(), 'gpt: 5 # fast');
    await enter();
    await step('Instructions for the agent', 'You review: say what is wrong # first.');
    await enter();
    await step('Where to save it');
    await host.workbench.quickPickRow('In this workspace').click();
    await host.workbench.editorTab('reviewer.yaml').waitFor();
    const folder = path.join(host.server.folder.workspace, '.vitrine/agents');
    const text = readFileSync(path.join(folder, 'reviewer.yaml'), 'utf8');
    assert.match(text, /^description: ""\nexecutor_type: codex\n/);
    const agentFile = await until('the agent', async () =>
      (await loadBlueprints([{ folder, level: 'workspace' }])).find(({ name }) => name === 'reviewer'),
    );
    const { executor_type, model, system_prompt } = agentFile.agent ?? {};
    assert.deepEqual(
      [executor_type, model, system_prompt],
      ['codex', 'gpt: 5 # fast', 'You review: say what is wrong # first.'],
    );
  });
});
