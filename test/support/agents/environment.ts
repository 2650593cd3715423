import { mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Complete environment of an agent under test. It inherits only PATH, so that no account, setting or session of the
 * user is used. `home`: temporary folder; `modelUrl`: the scripted model.
 */
export function agentEnvironment(
  { home, modelUrl }: { home: string; modelUrl: string },
  variables: (modelUrl: string) => Record<string, string> = claudeVariables,
): Record<string, string> {
  const temporary = path.join(home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    HOME: home,
    TMPDIR: temporary,
    ...variables(modelUrl),
  };
}

/** Makes Claude Code use only `modelUrl`. */
export function claudeVariables(modelUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_BUG_COMMAND: '1',
  };
}

/** Makes Copilot CLI use only `modelUrl`, without an account. */
export function copilotVariables(modelUrl: string): Record<string, string> {
  return {
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_BASE_URL: modelUrl,
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'claude-sonnet-4.5',
  };
}
