import type { AgentAdapter } from '../adapter.ts';
import { canFork } from '../shared/forking.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { LineNormalizer } from '../shared/normalizer/lineNormalizer.ts';
import { codexCommand, hasAppServer, threadsSince } from './command.ts';
import { CodexReader } from './normalize.ts';
import { codexStore } from './store.ts';
import { isContextLine } from './wire.ts';

const supported = { supported: true } as const;

const noFork = (version: string) => ({ supported: false, reason: `Codex ${version} cannot fork a thread` });

const noAppServer = (version: string) => ({
  supported: false,
  reason: `Codex ${version} runs with \`codex exec\`, which cannot ask for approval and reads one prompt; newer versions have an app-server`,
});

const withoutThreads = (version: string) => ({
  resume: { supported: false, reason: `Codex ${version} prints no ID to resume` },
  subagents: { supported: false, reason: `Codex ${version} has none` },
  cost: { supported: false, reason: 'estimated from the tokens and the model, which Codex prints' },
});

/** Codex, run with `codex app-server`, or once per turn with `codex exec --json`. */
export const codex: AgentAdapter = {
  type: 'codex',
  label: 'Codex',
  programs: ['codex'],
  versionArgs: ['--version'],
  parseVersion: (output) => /\bcodex(?:-cli)?\s+v?(\d+\.\d+\.\d+\S*)/i.exec(output)?.[1] ?? null,
  login: {
    args: ['login', 'status'],
    parseSignedIn: (output) => (/^Logged in/m.test(output) ? true : /^Not logged in/m.test(output) ? false : undefined),
  },
  capabilities: {
    resume: supported,
    fork: supported,
    approvals: supported,
    thinking: { supported: true, reason: 'summaries, if the model and the configuration provide them' },
    toolResults: { supported: true, reason: 'except those of images and refused patches, which Codex does not print' },
    usage: supported,
    cost: { supported: false, reason: 'estimated from the printed tokens and the model, which Codex stores' },
    subagents: { supported: true, reason: 'prompts and answers, but not their steps' },
    midRunMessages: { supported: true, reason: 'Codex reads them during its turn' },
    modelChoice: supported,
    mcp: supported,
  },
  versionCapabilities: (version) => ({
    ...(!hasAppServer(version) && { approvals: noAppServer(version), midRunMessages: noAppServer(version) }),
    ...(!canFork('codex', version) && { fork: noFork(version) }),
    ...(!isAtLeastOrUnknown(version, threadsSince) && withoutThreads(version)),
  }),
  ownVariables: [/^CODEX_(?:SANDBOX|SANDBOX_NETWORK_DISABLED|THREAD_ID|CI|INTERNAL_.*)$/],
  storedLine: { format: codexStore, matches: isContextLine },
  politeSignal: 'SIGINT',
  command: codexCommand,
  createNormalizer: (context) => new LineNormalizer(context, (run) => new CodexReader(run)),
};
