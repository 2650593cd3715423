import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { TeamMachine } from '../../support/team/machine.ts';
import { useTeamServer } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const reason = 'no online runner has the tag gpu';

describe('a team in a window', function () {
  useTeamServer(this);
  keepEvidence();
  let database: TeamDatabase;
  let bob: TeamMachine;
  let alice: string;
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    database = await TeamDatabase.create();
    alice = await database.createLogin('alice');
    await database.withLead((client) => client.query(`GRANT vitrine_member_${database.name} TO ${alice}`));
    bob = await TeamMachine.join(database, await database.addMember('bob'));
    server = await startHost();
    const remote = 'description: Trains\nexecutor_type: replay\ndemands: { tags: [gpu] }\n';
    writeFileSync(path.join(server.folder.workspace, '.vitrine/agents/remote.yaml'), remote);
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(async () => {
    await context.close();
    await bob.close();
    await database.drop();
  });

  const input = async (title: string): Promise<void> => {
    await workbench.page.locator('.quick-input-title').filter({ hasText: title }).waitFor();
  };
  const type = async (title: string, text: string): Promise<void> => {
    await input(title);
    await workbench.quickInput().fill(text);
    await workbench.quickInput().press('Enter');
  };
  const pane = (title: string) => workbench.page.locator('.pane-header').filter({ hasText: title });
  const statusOf = async (prompt: string) => {
    const rows = await bob.rows('queue');
    return rows.find((row) => row['prompt'] === prompt)?.['status'];
  };

  async function join(password: string): Promise<void> {
    await type('Join Team (1/3): Address', url());
    await type('Join Team (2/3): Name', alice);
    await type('Join Team (3/3): Password', password);
  }
  const url = (): string => `postgres://127.0.0.1:${database.server.port}/${database.name}`;
  const joined = () =>
    workbench.notification('You joined the team as member. Nothing is shared until you choose what to share.');
  const members = async (): Promise<string[]> => {
    const { rows } = await database.withLead((client) =>
      client.query<{ name: string }>('SELECT name FROM vitrine.members ORDER BY name'),
    );
    return rows.map(({ name }) => name).sort();
  };

  /** The window is in the team. */
  async function joinTeam(): Promise<void> {
    if ((await members()).includes(alice)) return;
    await workbench.runCommand('Vitrine: Join Team…');
    await join(database.password(alice));
    await workbench.showNotifications();
    await joined().waitFor();
  }

  const shared = new Map<string, string>();
  /** A session of Bob with that title, which he shares with the team. Returns its id. */
  async function shareSession(title: string): Promise<string> {
    const known = shared.get(title);
    if (known !== undefined) return known;
    const connection = await bob.connect();
    const id = await bob.runToEnd(connection, [{ init: true }, { say: `I looked at ${title}.` }, { result: {} }]);
    await connection.call('rename', { session_id: id, title });
    await bob.runOk('team', 'share', id);
    await bob.waitForSharedEnd(id);
    shared.set(title, id);
    return id;
  }

  let hasScope = false;
  async function chooseScope(): Promise<void> {
    await workbench.choose('Vitrine: Filter Sessions…', 'Folders');
    await workbench.quickPickRow('Team: this repository').waitFor();
    await picture(workbench, 'team-scope');
    await workbench.quickPickRow('Team: this repository').click();
    hasScope = true;
  }

  it('is joined with a password that is not in the address, and shares nothing until asked', async () => {
    await workbench.runCommand('Vitrine: Join Team…');
    await input('Join Team (1/3): Address');
    await workbench.quickInput().fill(url().replace('//', `//${alice}:secret@`));
    await workbench.page.getByText('Remove the password from the address.').first().waitFor();
    await picture(workbench, 'team-join-refused');
    await join('wrong');
    const failed = workbench.notification(`The server rejected the login of ${alice}. Check the name and the password`);
    await failed.waitFor();
    await picture(workbench, 'team-join-failed');
    await failed.getByRole('button', { name: 'Try Again' }).click();
    await join(database.password(alice));
    await workbench.showNotifications();
    await joined().waitFor();
    await joined().getByRole('button', { name: 'Choose What to Share…' }).click();
    await workbench.quickPickRow('Sessions stay on this machine.').waitFor();
    await picture(workbench, 'team-share');
    await workbench.page.keyboard.press('Escape');
    assert.deepEqual(await members(), [alice, bob.user].sort());
  });

  it('lists what other members share in the scope Team, and opens it read-only', async () => {
    await joinTeam();
    const id = await shareSession('the parser');
    await chooseScope();
    const row = workbench.treeItem('the parser').first();
    await row.waitFor();
    assert.match((await row.getAttribute('aria-label')) ?? '', new RegExp(`shared by ${bob.user} on`));
    await shareSession('the printer');
    await workbench.treeItem('the printer').first().waitFor();

    await row.click();
    await workbench.webview().getByText('I looked at the parser.', { exact: true }).waitFor();
    await workbench.webview().getByText(`${bob.user} shares this session from`).first().waitFor();
    await picture(workbench, 'team-session');
    await workbench.closeEditors();
    await bob.runOk('team', 'share', id, '--as', 'nothing');
    await row.waitFor({ state: 'detached' });
    await workbench.treeItem('the printer').first().waitFor();
  });

  it('shows a queued run with the reason why it waits, moves it, and stops it', async () => {
    await joinTeam();
    for (const prompt of ['Train the small model', 'Train the large model'])
      await bob.runOk('queue', 'add', '--team', '--executor', 'replay', '--demand', 'tag=gpu', prompt);
    // Rows out of sight are not in the page.
    await pane('Sessions').click();
    await pane('Queue and Runners').click();
    const large = workbench.treeItem('Train the large model');
    await large.waitFor();
    await workbench.treeItem(reason).first().waitFor();
    assert.match((await large.getAttribute('aria-label')) ?? '', new RegExp(`waiting, ${reason}, replay, team, .*bob`));
    await workbench.treeItem('this window').first().waitFor();
    await picture(workbench, 'team-queue');

    const titles = () => workbench.treeItem('Train the').allInnerTexts();
    assert.match((await titles())[0] ?? '', /small/);
    await large.click({ button: 'right' });
    await picture(workbench, 'team-queue-menu');
    await workbench.page.getByRole('menuitem', { name: 'Move to Front of Queue' }).click();
    await until('the large model to be first', async () => /large/.test((await titles())[0] ?? ''));

    // A row that is drawn again at that moment loses the click.
    await until('the large model to be stopped', async () => {
      if ((await large.count()) === 0) return true;
      await large.hover({ timeout: 5000 }).catch(() => undefined);
      const stop = large.getByRole('button', { name: 'Stop' });
      await stop.click({ timeout: 5000 }).catch(() => undefined);
      return large.waitFor({ state: 'detached', timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    assert.equal(await statusOf('Train the large model'), 'stopped');
    assert.equal(await statusOf('Train the small model'), 'pending');
  });

  it('covers what other members share in a search', async () => {
    await joinTeam();
    await shareSession('the printer');
    if (!hasScope) {
      await chooseScope();
      await workbench.treeItem('the printer').first().waitFor();
    }
    await workbench.runCommand('Vitrine: Search Sessions…');
    await type('Search Sessions', '"looked at the printer" kind:assistant');
    const hit = workbench.treeItem('I looked at the printer.').first();
    await hit.waitFor();
    await workbench.page.getByText('1 entry in 1 session.').first().waitFor();
    await picture(workbench, 'team-search');
    await hit.click();
    await workbench.webview().getByText('I looked at the printer.', { exact: true }).waitFor();
  });
});
