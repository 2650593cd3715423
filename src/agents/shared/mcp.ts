import type { JsonObject } from '../../model/text/json.ts';
import type { McpServer, McpServers } from '../../model/agent/mcpServer.ts';
import type { CommandLine, CommandRequest } from '../adapter.ts';

/** Parts of the command line that give the agent its servers. */
type GivenServers = Pick<CommandLine, 'privateFiles' | 'variables'> & { readonly args: readonly string[] };

export const noServers: GivenServers = { args: [] };

/** The servers of a run that has any, else `undefined`. */
export function serversOf({ options }: Pick<CommandRequest, 'options'>): McpServers | undefined {
  const { mcpServers = {} } = options;
  return Object.keys(mcpServers).length === 0 ? undefined : mcpServers;
}

/**
 * A file with the servers, because all users of the machine can read arguments. `as` formats the file's name as an
 * argument; `describe` gives a server in the program's format.
 */
export function serversFile(
  { privateFolder, options }: Pick<CommandRequest, 'privateFolder' | 'options'>,
  describe: (server: McpServer, name: string) => JsonObject,
  as: (file: string) => Omit<GivenServers, 'privateFiles'>,
): GivenServers {
  const servers = serversOf({ options });
  if (servers === undefined || privateFolder === undefined) return noServers;
  const file = `${privateFolder}/mcp.json`;
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, describe(server, name)]),
  );
  return { ...as(file), privateFiles: { [file]: JSON.stringify({ mcpServers }) } };
}
