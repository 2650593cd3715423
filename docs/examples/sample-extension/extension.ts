/** A whole extension that uses Vitrine. Of your own, the types are a copy of `vitrine.d.ts` beside this file. */
import * as vscode from 'vscode';
import type { SessionEvent, VitrineApi } from '../../../src/vscode/api/vitrine.d.ts';

async function vitrine(): Promise<VitrineApi> {
  const extension = vscode.extensions.getExtension<VitrineApi>('vitrine.vitrine');
  if (extension === undefined) throw new Error('Vitrine is not installed.');
  const api = await extension.activate();
  // Raised where something that is used here was changed or taken away.
  const version: number = api.version;
  if (version !== 1) throw new Error(`This needs version 1 of Vitrine's API, and there is ${version}.`);
  return api;
}

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    /** Asks, and asks again in the same conversation; tells what both cost, and what the agent did. */
    vscode.commands.registerCommand(
      'vitrineSample.askTwice',
      async (first: string = 'Say hello.', then: string = 'Say it again.') => {
        const api = await vitrine();
        const heard: SessionEvent[] = [];
        const listening = api.onEvent((event) => heard.push(event));
        const one = await api.run(first, { includeEvents: true, limits: { turns: 20, minutes: 5 } });
        // The first id of the conversation, whatever later runs call it.
        const two = await api.run(then, { resume: one.metadata?.originalSessionId ?? one.session });
        listening.dispose();
        const session = await api.sessions.get(one.session);
        return { one, two, session, heard: heard.filter(({ session_id: id }) => id === one.session) };
      },
    ),

    /** Runs an agent from a file, and one of the Agent Client Protocol; tells which agents there are. */
    vscode.commands.registerCommand(
      'vitrineSample.runAgents',
      async (agentFile: string, profile: string, prompts: readonly [string, string] = ['Say hello.', 'Say hello.']) => {
        const api = await vitrine();
        const { AcpExecutor, AgentFileExecutor } = api.executors;
        const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
        const spoken: string[] = [];
        for (const [executor, prompt] of [
          [new AgentFileExecutor({ agentFile }), prompts[0]],
          [new AcpExecutor({ profile }), prompts[1]],
        ] as const) {
          const spawned = await executor.executeTask(prompt);
          const texts = new Map<number, string>();
          for await (const entry of executor.normalizeOutput(api.createOutputChunks(spawned.process), workDir)) {
            if (entry.type.kind === 'assistant_message') texts.set(entry.index, entry.content);
          }
          spoken.push([...texts.values()].join(' '));
        }
        return { agents: await api.agents(), spoken };
      },
    ),

    /** As the executors' own interface has it: starts a task, and reads what it prints. */
    vscode.commands.registerCommand('vitrineSample.readOutput', async (prompt: string = 'Say hello.') => {
      const api = await vitrine();
      const executor = new api.executors.ClaudeCodeExecutor({ limits: { turns: 20 } });
      const spawned = await executor.executeTask(prompt);
      const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
      // An entry comes again as it grows: its last form counts.
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
