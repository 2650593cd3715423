import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { failureSentences } from '../failures/failureText.ts';
import type { QueueHost } from '../queue/queueHost.ts';
import { inertText } from '../text/inertText.ts';
import { pickFolderShare } from './pickShare.ts';
import { parseTyped, withUser, type AddressProblem, type TypedAddress } from './teamAddress.ts';
import { TeamPasswords } from './teamPasswords.ts';
import { teamName } from './teamText.ts';

const { t } = vscode.l10n;

export interface TeamDeps {
  readonly engines: EngineHost;
  readonly secrets: vscode.SecretStorage;
  readonly queueHost: QueueHost;
}

const example = 'postgres://alice@db.example.org/team';

/** Asks for address, name and password until the team accepts them; then says that nothing is shared, and offers to. */
export async function joinTeam(deps: TeamDeps): Promise<void> {
  const engine = await deps.engines.get();
  const current = await engine.team.state();
  if (current !== null) {
    await showTeam(deps, engine, current);
    return;
  }
  let typed: TypedLogin = { url: '', user: '' };
  for (;;) {
    const input = await askForAddress(typed);
    const address = input === undefined ? undefined : parseTyped(input);
    if (input === undefined || address === undefined || typeof address === 'string') return;
    const user = await askForName(address.user === '' ? typed.user : address.user);
    if (user === undefined) return;
    typed = { url: input, user };
    const password = await askForPassword(user, address);
    if (password === undefined) return;
    const joined = await tryToJoin(engine, withUser(address, user), password);
    if (joined === 'again') continue;
    if (joined === 'no') return;
    await new TeamPasswords(deps.secrets).save(joined.url, password);
    await (await deps.queueHost.view()).refresh();
    await showJoined(joined.kind);
    return;
  }
}

interface TypedLogin {
  readonly url: string;
  readonly user: string;
}

async function leaveTeam({ secrets, queueHost }: TeamDeps, engine: WindowEngine, team: TeamState): Promise<void> {
  const [leave, erase] = [t('Leave'), t('Leave and Delete What I Shared')];
  const chosen = await vscode.window.showWarningMessage(
    t('Leave the team {0}?', inertText(teamName(team))),
    {
      modal: true,
      detail: t(
        'Your sessions stay on this machine. What you shared stays in the team’s database, unless you delete it.',
      ),
    },
    leave,
    erase,
  );
  if (chosen === undefined) return;
  const deleted = await engine.team.leave(chosen === erase);
  await new TeamPasswords(secrets).forget(team.url);
  await (await queueHost.view()).refresh();
  const deletedText = chosen === erase ? ` ${t('Deleted shared sessions: {0}.', deleted)}` : '';
  void vscode.window.showInformationMessage(`${t('You have left the team.')}${deletedText}`);
}

/** What can be done with the team that the store belongs to. */
async function showTeam(deps: TeamDeps, engine: WindowEngine, team: TeamState): Promise<void> {
  const items = [
    { label: `$(cloud-upload) ${t('Share Sessions of a Folder…')}`, run: () => pickFolderShare() },
    { label: `$(key) ${t('Enter Password…')}`, run: () => enterPassword(deps, engine, team) },
    { label: `$(sign-out) ${t('Leave Team…')}`, run: () => leaveTeam(deps, engine, team) },
  ];
  const state = team.is_connected ? t('connected') : t('not connected');
  const title = t('Team {0}: {1}', inertText(teamName(team)), state);
  await (await vscode.window.showQuickPick(items, { title }))?.run();
}

async function enterPassword({ secrets }: TeamDeps, engine: WindowEngine, { url, user }: TeamState): Promise<void> {
  const address = parseTyped(url);
  if (typeof address === 'string') return;
  const password = await askForPassword(user, address);
  if (password === undefined || password === '') return;
  await new TeamPasswords(secrets).save(url, password);
  await engine.team.usePassword(password);
}

function askForAddress({ url }: TypedLogin): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Join Team (1/3): Address'),
    prompt: t('The address of the team’s PostgreSQL database, without a password. Ask the person who set it up.'),
    placeHolder: example,
    value: url,
    ignoreFocusOut: true,
    validateInput: (text) => {
      const parsed = text.trim() === '' ? undefined : parseTyped(text);
      return typeof parsed === 'string' ? problemText(parsed) : undefined;
    },
  });
}

function problemText(problem: AddressProblem): string {
  switch (problem) {
    case 'not_postgres':
      return t('This is not the address of a PostgreSQL database. Example: {0}', example);
    case 'password':
      return t('Remove the password from the address. Vitrine asks for it and keeps it in the secret storage.');
    case 'no_database':
      return t('The address does not name a database. Example: {0}', example);
  }
}

function askForName(user: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Join Team (2/3): Name'),
    prompt: t('Your name in the database'),
    value: user === '' ? userInfo().username : user,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? t('Type the name that the team’s owner gave you.') : undefined),
  });
}

function askForPassword(user: string, { security }: TypedAddress): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Join Team (3/3): Password'),
    prompt: `${t('Password for {0}, kept in the secret storage. Leave empty to use PostgreSQL’s password file.', inertText(user))} ${securityText(security)}`,
    password: true,
    ignoreFocusOut: true,
  });
}

function securityText(security: TypedAddress['security']): string {
  switch (security) {
    case 'verified':
      return t('The connection uses TLS, and the server’s certificate is verified.');
    case 'same_machine':
      return t('The server is on this machine, so the connection does not use TLS.');
    case 'unencrypted':
      return t('The address turns TLS off (sslmode=disable): others on the network can read everything.');
  }
}

async function tryToJoin(engine: WindowEngine, url: string, password: string) {
  try {
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Joining the team…') },
      () => engine.team.join(url, password),
    );
  } catch (error) {
    if (!EngineFailure.is(error, 'team_refused')) throw error;
    const again = t('Try Again');
    return (await vscode.window.showErrorMessage(inertText(failureSentences(error)), again)) === again ? 'again' : 'no';
  }
}

async function showJoined(kind: 'owner' | 'member' | 'auditor'): Promise<void> {
  const share = t('Choose What to Share…');
  const text = t('You joined the team as {0}. Nothing is shared until you choose what to share.', kindText(kind));
  if ((await vscode.window.showInformationMessage(text, share)) === share) await pickFolderShare();
}

function kindText(kind: 'owner' | 'member' | 'auditor'): string {
  if (kind === 'owner') return t('owner');
  return kind === 'auditor' ? t('auditor') : t('member');
}
