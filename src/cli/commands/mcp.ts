import { once } from 'node:events';
import path from 'node:path';
import { version } from '../../engine/packageInfo.ts';
import type { Command } from '../command.ts';
import { parseOptions } from '../options/args.ts';
import { UsageError } from '../command.ts';
import { exactStream } from '../print/terminalText.ts';
import { createEngine, storeHelp } from '../run/engine.ts';

const help = `Usage: vitrine mcp [options]

Serves the Model Context Protocol (MCP) on stdin and stdout, for another editor or agent. Its client can search sessions,
read transcripts, find out why a line in a file exists, get usage, and start agents in recorded sessions.
Before an agent starts, the client asks its user. A client that cannot ask starts no agents without --allow-start.
Requests from agents that it starts are denied, because no one can answer here. Sessions continue when the client
disconnects.

  --allow-start      starts agents without asking, if the client cannot ask
  --cwd DIR          folder of the agents; default: the current one
${storeHelp}`;

const options = {
  'allow-start': { type: 'boolean' },
  cwd: { type: 'string' },
  store: { type: 'string' },
} as const;

export const mcp: Command = {
  help,
  async run(args, outer) {
    const { values, positionals } = parseOptions('mcp', { args: [...args], options, allowPositionals: true });
    const [first] = positionals;
    if (first !== undefined) throw new UsageError(`Unexpected argument: "${first}".`, 'See "vitrine mcp --help".');
    const context = { ...outer, cwd: path.resolve(outer.cwd, values.cwd ?? '.') };
    const engineOptions = { store: values.store, createsStore: true };
    const [{ StdioServerTransport }, { vitrineServer }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('../mcp/server.ts'),
    ]);
    const engine = createEngine(context, engineOptions);
    const startsWithoutAsking = values['allow-start'] === true;
    const served = vitrineServer({
      context,
      engine,
      options: engineOptions,
      version: version(),
      startsWithoutAsking,
    });
    const ended = Promise.race([
      once(context.stdin, 'end'),
      once(context.stdin, 'close'),
      new Promise((resolve) => context.onInterrupt(resolve)),
    ]);
    try {
      await served.server.connect(new StdioServerTransport(context.stdin, exactStream(context.stdout)));
      await ended;
      return 0;
    } finally {
      served.close();
      await served.server.close();
      await engine.dispose();
    }
  },
};
