import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { claudeVersions, ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex, type CodexVersion } from '../support/agents/codex.ts';
import { ensureCopilot } from '../support/agents/copilot.ts';
import { claudeVariables, copilotVariables } from '../support/agents/environment.ts';
import type { InstallResult } from '../support/agents/install.ts';
import { allowTools } from '../support/agents/place.ts';
import { startBrowser } from '../support/host/browser.ts';
import { repository } from '../support/host/install/cache.mjs';
import { runExtensionTests } from '../support/host/extensionTests.ts';
import { cleanEnvironment, newRunFolder, type RunFolder } from '../support/host/runFolder.ts';
import { ensureCodeServer } from '../support/host/install/codeServer.ts';
import { startServer } from '../support/host/server.ts';
import { startModelServer } from '../support/models/anthropic.ts';
import { codexScenarios } from '../support/models/scripts/codexScenarios.ts';
import { copilotScenarios } from '../support/models/scripts/copilotScenarios.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { testScenarios } from '../support/models/scripts/scenarios.ts';
import type { ModelServer } from '../support/models/server.ts';
import type { SuiteResult } from '../support/run/suites/results.ts';
import { buildTests } from '../support/run/build.ts';
import { skip } from '../support/skip.ts';
import type { UsageExample } from '../extension/reports/usageExample.test.ts';
import { shellQuoted } from '../support/shellQuoted.ts';

const prompts = ['Change it. [[change]]', 'What did I ask for? [[again]]'] as const;

describe('the usage example of the specification, through the API in a real host', function () {
  let folder: RunFolder;
  const models: ModelServer[] = [];
  after(async () => {
    await Promise.all(models.map((model) => model.stop()));
    (folder as RunFolder | undefined)?.remove();
  });

  it('works with the real Claude Code, Copilot and Codex, and with recorded output of Cursor', async function () {
    folder = newRunFolder('example');
    const { home, workspace } = folder;
    const serve = async (starting: Promise<ModelServer>): Promise<string> => {
      const model = await starting;
      models.push(model);
      return model.url;
    };
    const have = (installed: InstallResult): string => {
      if ('missing' in installed) skip(this, installed.missing);
      return installed.program;
    };
    const claudeUrl = await serve(startModelServer({ scenarios: testScenarios(workspace) }));
    const copilotUrl = await serve(startModelServer({ scenarios: copilotScenarios(workspace) }));
    allowTools(home);
    const codex = async (version: CodexVersion, ids: UsageExample['ids']): Promise<UsageExample> => {
      const url = await serve(startOpenaiServer({ scenarios: codexScenarios(version) }));
      const own = path.join(folder.root, `codex-${version}`);
      configureCodex(own, url, version);
      return {
        executor: 'CodexExecutor',
        label: `Codex ${version}`,
        settings: {
          'codex.path': have(await ensureCodex(version)),
          environment: { codex: { ...codexVariables(), CODEX_HOME: path.join(own, '.codex') } },
          'codex.permissionMode': 'workspace-write',
        },
        prompts: ['Say it. [[again]]', 'Once more. [[afresh]]'],
        ids,
      };
    };
    const [newest] = claudeVersions;
    const examples: UsageExample[] = [
      {
        executor: 'ClaudeCodeExecutor',
        label: `Claude Code ${newest}`,
        settings: {
          'claude.path': have(await ensureClaudeCode(newest)),
          environment: { claude: claudeVariables(claudeUrl) },
        },
        prompts,
        ids: 'all',
      },
      {
        executor: 'CopilotExecutor',
        label: 'Copilot CLI',
        settings: {
          'copilot.path': have(await ensureCopilot()),
          environment: { copilot: copilotVariables(copilotUrl) },
          'copilot.permissionMode': 'acceptEdits',
        },
        prompts,
        ids: 'all',
      },
      await codex('0.20.0', 'null'),
      await codex('0.169.0', 'all'),
      {
        executor: 'CursorExecutor',
        label: 'a recording of Cursor',
        settings: { 'cursor.path': recordedCursor(folder) },
        prompts: ['Read the readme.', 'Again.'],
        ids: 'all',
      },
    ];

    await ensureCodeServer();
    await buildTests(['extension']);
    const browser = await startBrowser(folder);
    const server = await startServer({ folder, env: cleanEnvironment(folder), driver: true });
    try {
      const text = await runExtensionTests(server, browser, {
        VITRINE_TEST_FILES: 'reports/usageExample.test.js',
        VITRINE_USAGE_EXAMPLES: JSON.stringify(examples),
      });
      const { passed, failed, report } = JSON.parse(text) as SuiteResult;
      assert.equal(failed, 0, report.join('\n'));
      assert.equal(passed, examples.length, report.join('\n'));
      process.stdout.write(`${report.join('\n')}\n`);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});

/** A program that prints what Cursor's documentation shows. */
function recordedCursor({ root }: RunFolder): string {
  const bin = path.join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = path.join(bin, 'cursor-agent');
  const recording = path.join(repository, 'test/fixtures/cursor/documented/documented-example.stdout.jsonl');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && echo 2025.09.12 && exit\nexec cat ${shellQuoted(recording)}\n`,
  );
  chmodSync(program, 0o755);
  return program;
}
