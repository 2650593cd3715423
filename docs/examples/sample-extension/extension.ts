/** A complete extension that uses Vitrine. In your own extension, import the types from a copy of `src/vscode/api/types`. */
import * as vscode from 'vscode';
import type { SessionEvent } from '../../../src/vscode/api/types/transcript.d.ts';
import type { VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';

async function vitrine(): Promise<VitrineApi> {
  const extension = vscode.extensions.getExtension<VitrineApi>('vitrine.vitrine');
  if (extension === undefined) throw new Error('Vitrine is not installed.');
  const api = await extension.activate();
  // The version increases when something existing changes or is removed.
  const version: number = api.version;
  if (version !== 1) throw new Error(`This extension needs version 1 of Vitrine's API, but found version ${version}.`);
  return api;
}

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    /** Sends two prompts in one conversation. Returns both results, and what the agent did. */
    vscode.commands.registerCommand(
      'vitrineSample.askTwice',
      async (first: string = 'Say hello.', then: string = 'Say it again.') => {
        const api = await vitrine();
        const events: SessionEvent[] = [];
        const subscription = api.onEvent((event) => events.push(event));
        const one = await api.run(first, { includeEvents: true, limits: { turns: 20, minutes: 5 } });
        // The first id of the conversation stays valid, even if later runs get new ones.
        const two = await api.run(then, { resume: one.metadata?.originalSessionId ?? one.session });
        subscription.dispose();
        const session = await api.sessions.get(one.session);
        return { one, two, session, events: events.filter(({ session_id: id }) => id === one.session) };
      },
    ),

    /** Runs an agent from a file and an ACP agent. Returns their answers, and all available agents. */
    vscode.commands.registerCommand(
      'vitrineSample.runAgents',
      async (agentFile: string, profile: string, prompts: readonly [string, string] = ['Say hello.', 'Say hello.']) => {
        const api = await vitrine();
        const { AcpExecutor, AgentFileExecutor } = api.executors;
        const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
        const answers: string[] = [];
        for (const [executor, prompt] of [
          [new AgentFileExecutor({ agentFile }), prompts[0]],
          [new AcpExecutor({ profile }), prompts[1]],
        ] as const) {
          const spawned = await executor.executeTask(prompt);
          const texts = new Map<number, string>();
          for await (const entry of executor.normalizeOutput(api.createOutputChunks(spawned.process), workDir)) {
            if (entry.type.kind === 'assistant_message') texts.set(entry.index, entry.content);
          }
          answers.push([...texts.values()].join(' '));
        }
        return { agents: await api.agents(), answers };
      },
    ),

    /** Uses the executors' own interface: starts a task and reads its output. */
    vscode.commands.registerCommand('vitrineSample.readOutput', async (prompt: string = 'Say hello.') => {
      const api = await vitrine();
      const executor = new api.executors.ClaudeCodeExecutor({ limits: { turns: 20 } });
      const spawned = await executor.executeTask(prompt);
      const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
      // An entry is repeated with the same index after each change. The last version counts.
      const texts = new Map<number, string>();
      let sessionId = spawned.sessionId;
      for await (const entry of executor.normalizeOutput(api.createOutputChunks(spawned.process), workDir)) {
        sessionId = entry.metadata?.sessionId ?? sessionId;
        if (entry.type.kind === 'assistant_message') texts.set(entry.index, entry.content);
      }
      const result = await spawned.process.done;
      return { texts: [...texts.values()], sessionId, session: spawned.session, success: result.success };
    }),
  );
}
