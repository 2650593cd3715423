import { existsSync } from 'node:fs';
import path from 'node:path';
import { daemonsIn } from '../../support/processes/daemons.ts';
import { type Scenarios, tool } from '../../support/models/scripts/scenario.ts';
import { until } from '../../support/until.ts';
import { runClaude, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, useWindow } from '../session.ts';

describe('a session interrupted by a crash of the daemon', function () {
  keepEvidence();
  const scenarios = (): Scenarios => ({
    sleep: [{ blocks: [tool('Bash', { command: 'echo started > started.txt; sleep 600', timeout: 600_000 })] }],
  });
  const host = useWindow((context) => startClaudeHost(context, { scenarios }));

  it('is resumed with all others, and stopped with all agents of the machine', async () => {
    const { server, workbench } = host;
    await runClaude(workbench, 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(path.join(server.folder.workspace, 'started.txt')));
    for (const pid of daemonsIn(server.folder.root)) process.kill(pid, 'SIGKILL');
    await statusWord(workbench, 'Interrupted');
    await workbench.runCommand('Vitrine: Resume All Interrupted Sessions…');
    await workbench.dialog().filter({ hasText: 'Resume the interrupted session?' }).waitFor();
    await workbench.dialog().getByRole('button', { name: 'Resume All' }).click();
    await statusWord(workbench, 'Running');
    await workbench.runCommand('Vitrine: Stop All Agents…');
    const dialog = workbench.dialog().filter({ hasText: 'Stop the agent that is running on this machine?' });
    await dialog.getByText('Sleep.').waitFor();
    await dialog.getByRole('button', { name: 'Stop All' }).click();
    await statusWord(workbench, 'Stopped');
  });
});
