import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
  agentOptions,
  engineSettings as settingsOf,
  observedToKeep,
  requestMinutes,
  teamShare,
} from '../../src/vscode/settings/settings.ts';

const { Global, Workspace } = vscode.ConfigurationTarget;

/** Holds one token, for the server `there`. */
const secrets: vscode.SecretStorage = {
  get: (key) => Promise.resolve(key === 'acpHttp.token.there' ? 'a-token' : undefined),
  store: () => Promise.reject(new Error('nothing is stored here')),
  delete: () => Promise.reject(new Error('nothing is deleted here')),
  onDidChange: () => new vscode.Disposable(() => undefined),
};
const engineSettings = () => settingsOf(secrets);

describe('settings', () => {
  const changed: [string, vscode.ConfigurationTarget][] = [];
  const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');

  async function set(key: string, value: unknown, target: vscode.ConfigurationTarget): Promise<void> {
    changed.push([key, target]);
    await configuration().update(key, value, target);
  }

  afterEach(async () => {
    for (const [key, target] of changed.splice(0)) await configuration().update(key, undefined, target);
  });

  it('leave everything to the agent by default', () => {
    assert.deepEqual(agentOptions('claude-code'), {});
    const { acpHttpToken, budgets, ...rest } = engineSettings();
    assert.equal(typeof acpHttpToken, 'function');
    assert.deepEqual(budgets?.('/elsewhere'), { limits: {}, observed: true });
    assert.deepEqual(rest, {
      agents: { 'claude-code': { resumeFrom: 'newest' }, codex: {}, copilot: {}, gemini: {}, cursor: {} },
      acp: [],
      acpHttp: [],
      replaySpeed: 1,
      unreportedChanges: true,
    });
    assert.equal(requestMinutes(), undefined);
  });

  it('copy opened sessions unless the user, not a workspace, disables that', async () => {
    assert.equal(observedToKeep(), 'opened');
    await assert.rejects(async () => configuration().update('sources.keep', 'all', Workspace));
    await set('sources.keep', 'all', Global);
    assert.equal(observedToKeep(), 'all');
    await set('sources.keep', 'everything', Global);
    assert.equal(observedToKeep(), 'opened');
  });

  it('share nothing with a team unless the user or a trusted folder enables it', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    assert.equal(teamShare(folder.uri), 'nothing');
    await set('team.share', 'metadata', Global);
    assert.equal(teamShare(folder.uri), 'metadata');
    await set('team.share', 'records', Workspace);
    assert.equal(teamShare(folder.uri), 'records');
    await set('team.share', 'everything', Workspace);
    assert.equal(teamShare(folder.uri), 'nothing');
  });

  const agents = [
    ['claude-code', 'claude', 'bypassPermissions'],
    ['codex', 'codex', 'danger-full-access'],
    ['copilot', 'copilot', 'bypassPermissions'],
    ['gemini', 'gemini', 'yolo'],
    ['cursor', 'cursor', 'force'],
  ] as const;

  it('take programs, arguments, environments and servers from the user only', async () => {
    const keys = agents.map(([, name]) => `${name}.path`);
    for (const key of [...keys, 'extraArgs', 'environment', 'acp.agents', 'acpHttp.servers']) {
      await assert.rejects(async () => configuration().update(key, ['x'], Workspace), key);
    }
  });

  for (const [agent, name, bypass] of agents) {
    describe(`of ${name}`, () => {
      it('choose program, arguments and environment', async () => {
        await set(`${name}.path`, '/opt/program', Global);
        await set('extraArgs', { [name]: ['--verbose'] }, Global);
        await set('environment', { [name]: { HTTPS_PROXY: 'http://localhost:1', broken: 7 } }, Global);
        assert.deepEqual(engineSettings().agents?.[agent], {
          program: '/opt/program',
          environment: { HTTPS_PROXY: 'http://localhost:1' },
          ...(agent === 'claude-code' && { resumeFrom: 'newest' }),
        });
        assert.deepEqual(agentOptions(agent), { extraArgs: ['--verbose'] });
      });

      it('take model and mode from a trusted workspace', async () => {
        await set(`${name}.model`, 'some-model', Workspace);
        const mode = agent === 'codex' ? 'read-only' : 'plan';
        await set(`${name}.permissionMode`, mode, Workspace);
        assert.deepEqual(agentOptions(agent), { model: 'some-model', permissionMode: mode });
      });

      it('ignore a workspace that bypasses permissions', async () => {
        for (const wished of [bypass, 'a-mode-to-come']) {
          await set(`${name}.permissionMode`, wished, Workspace);
          assert.deepEqual(agentOptions(agent), {}, wished);
        }
        await set(`${name}.permissionMode`, bypass, Global);
        assert.deepEqual(agentOptions(agent), { permissionMode: bypass });
      });
    });
  }

  it('limit only agents that support it', async () => {
    await set('claude.maxTurns', 12, Workspace);
    await set('claude.maxBudgetUsd', 0, Workspace);
    await set('copilot.maxAiCredits', 40, Workspace);
    assert.deepEqual(agentOptions('claude-code'), { maxTurns: 12 });
    assert.deepEqual(agentOptions('copilot'), { maxAiCredits: 40 });
    assert.deepEqual(agentOptions('codex'), {});
  });

  it('list valid ACP agents without duplicates', async () => {
    const listed = [
      { id: 'mine', label: ' Mine ', command: '/opt/mine', args: ['--acp', 3], env: { KEY: 'x' } },
      { id: 'other', label: 'Other', command: 'other-agent' },
      { id: 'mine', label: 'Again', command: 'again' },
      { id: '../up', label: 'Up', command: 'up' },
      { id: 'blank', label: '', command: 'blank' },
      { id: 'none', label: 'None' },
      'nonsense',
    ];
    await set('acp.agents', listed, Global);
    assert.deepEqual(engineSettings().acp, [
      { id: 'mine', label: 'Mine', program: '/opt/mine', args: ['--acp'], environment: { KEY: 'x' } },
      { id: 'other', label: 'Other', programs: ['other-agent'] },
    ]);
  });

  it('list servers, with tokens stored elsewhere', async () => {
    const listed = [
      { id: 'there', label: 'There', baseUrl: 'http://localhost:8000', agent: 'chat', headers: { 'X-Team': 'a' } },
      { id: 'file', label: 'File', baseUrl: 'file:///etc/passwd' },
      { id: 'words', label: 'Words', baseUrl: 'http ://no' },
    ];
    await set('acpHttp.servers', listed, Global);
    const { acpHttp, acpHttpToken } = engineSettings();
    assert.deepEqual(acpHttp, listed.slice(0, 1));
    assert.equal(await acpHttpToken?.('there'), 'a-token');
    assert.equal(await acpHttpToken?.('elsewhere'), undefined);
  });

  it('limit how long an agent waits for an answer', async () => {
    for (const [minutes, meant] of [
      [3, 3],
      [0, undefined],
      [100_000, undefined],
    ] as const) {
      await set('approvals.timeoutMinutes', minutes, Global);
      assert.equal(requestMinutes(), meant);
    }
  });
});
