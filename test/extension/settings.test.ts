import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { agentOptions, engineSettings } from '../../src/vscode/settings.ts';

const { Global, Workspace } = vscode.ConfigurationTarget;

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

  it('leave everything to the agent when nothing is set', () => {
    assert.deepEqual(agentOptions('claude-code'), {});
    assert.deepEqual(engineSettings(), { agents: { 'claude-code': { resumeFrom: 'newest' } }, replaySpeed: 1 });
  });

  it('choose program, arguments and environment from the user alone', async () => {
    for (const key of ['claude.path', 'claude.extraArgs', 'claude.environment']) {
      await assert.rejects(async () => configuration().update(key, ['x'], Workspace), key);
    }
    await set('claude.path', '/opt/claude', Global);
    await set('claude.extraArgs', ['--verbose'], Global);
    await set('claude.environment', { HTTPS_PROXY: 'http://localhost:1', broken: 7 }, Global);
    assert.deepEqual(engineSettings().agents?.['claude-code'], {
      program: '/opt/claude',
      environment: { HTTPS_PROXY: 'http://localhost:1' },
      resumeFrom: 'newest',
    });
    assert.deepEqual(agentOptions('claude-code'), { extraArgs: ['--verbose'] });
  });

  it('hear a trusted workspace on the rest', async () => {
    await set('claude.model', 'sonnet', Workspace);
    await set('claude.permissionMode', 'plan', Workspace);
    await set('claude.maxTurns', 12, Workspace);
    await set('claude.maxBudgetUsd', 0, Workspace);
    assert.deepEqual(agentOptions('claude-code'), { model: 'sonnet', permissionMode: 'plan', maxTurns: 12 });
  });

  it('do not hear a workspace that asks for all permissions', async () => {
    await set('claude.permissionMode', 'bypassPermissions', Workspace);
    assert.deepEqual(agentOptions('claude-code'), {});
    await set('claude.permissionMode', 'bypassPermissions', Global);
    assert.deepEqual(agentOptions('claude-code'), { permissionMode: 'bypassPermissions' });
  });
});
