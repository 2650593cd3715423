import assert from 'node:assert/strict';
import { openingOf, greetingOf, unsupportedServers } from '../../../src/agents/acp/opening.ts';
import type { AgentOptions, CommandLine } from '../../../src/agents/adapter.ts';
import { adapters, findAdapter } from '../../../src/agents/registry.ts';
import type { McpServers } from '../../../src/model/agent/mcpServer.ts';

const secret = 'a-secret-value';
const mcpServers: McpServers = {
  search: { type: 'stdio', command: '/bin/search', args: ['--all', 'a "b"'], env: { KEY: secret, OPENAI_BASE: 'x' } },
  docs: { type: 'http', url: 'https://docs.example/mcp', headers: { Authorization: `Bearer ${secret}` } },
};

function command(
  type: string,
  version: string | null,
  servers: McpServers = mcpServers,
  overrides: AgentOptions = {},
): CommandLine {
  return findAdapter(type)!.command({
    prompt: 'Do it',
    options: { mcpServers: servers, ...overrides },
    program: { version },
    newSessionId: '0d4e1b5c-9f5a-4e46-8a4b-0f6c1d2e3f40',
    privateFolder: '/private',
  });
}

const file = (line: CommandLine): unknown => JSON.parse(line.privateFiles?.['/private/mcp.json'] ?? 'null');

describe('MCP servers of a run', () => {
  it('reach Claude Code by a file', () => {
    const line = command('claude-code', '2.1.328');
    assert.ok(line.args.includes('--mcp-config=/private/mcp.json'));
    assert.deepEqual(file(line), { mcpServers });
  });

  it('exclude HTTP servers for an old Claude Code, with a warning', () => {
    const line = command('claude-code', '1.0.3');
    assert.deepEqual(file(line), { mcpServers: { search: mcpServers['search'] } });
    assert.ok(
      line.warnings.includes('Claude Code 1.0.3 does not support MCP servers over HTTP, so it runs without docs.'),
    );
  });

  it('reach Copilot CLI by a file, in its words, with all their tools', () => {
    const line = command('copilot', '1.0.102');
    assert.ok(line.args.includes('--additional-mcp-config=@/private/mcp.json'));
    assert.deepEqual(file(line), {
      mcpServers: {
        search: { ...mcpServers['search'], type: 'local', tools: ['*'] },
        docs: { ...mcpServers['docs'], tools: ['*'] },
      },
    });
  });

  it("reach Gemini CLI by settings with lower priority than the user's", () => {
    const line = command('gemini', '0.61.0');
    assert.deepEqual(line.variables, { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/private/mcp.json' });
    assert.deepEqual(file(line), {
      mcpServers: {
        search: { command: '/bin/search', args: ['--all', 'a "b"'], env: { KEY: secret, OPENAI_BASE: 'x' } },
        docs: { httpUrl: 'https://docs.example/mcp', headers: { Authorization: `Bearer ${secret}` } },
      },
    });
  });

  it('reach Codex by its configuration, with secrets in the environment', () => {
    const { args, variables, warnings } = command('codex', '0.169.0');
    const values = args.filter((_, at) => args[at - 1] === '-c');
    assert.deepEqual(values, [
      'mcp_servers.search.command="/bin/search"',
      'mcp_servers.search.args=["--all", "a \\"b\\""]',
      'mcp_servers.search.env_vars=["KEY"]',
      // A name that Codex itself would heed.
      'mcp_servers.search.env={"OPENAI_BASE" = "x"}',
      'mcp_servers.docs.url="https://docs.example/mcp"',
      'mcp_servers.docs.env_http_headers={"Authorization" = "VITRINE_MCP_HEADER_1"}',
    ]);
    assert.deepEqual(variables, { KEY: secret, VITRINE_MCP_HEADER_1: `Bearer ${secret}` });
    assert.deepEqual(warnings, []);
  });

  it('are reported if inputs end up in arguments, which only Codex requires', () => {
    const filled = { filledServers: ['docs'] };
    for (const { type, protocol } of adapters) {
      if (protocol !== undefined) continue;
      const reported = command(type, null, mcpServers, filled).warnings.filter((warning) =>
        warning.includes('other users'),
      );
      assert.equal(reported.length, type === 'codex' ? 1 : 0, type);
      if (type === 'codex')
        assert.match(reported[0] ?? '', /can read the values of placeholders in the URL or arguments of docs\./);
    }
    assert.deepEqual(
      command('codex', '0.20.0', mcpServers, filled).warnings.filter((warning) => warning.includes('other users')),
      [],
    );
  });

  it('separate two servers that use the same variable', () => {
    const server = (value: string) => ({ type: 'stdio' as const, command: 'x', args: [], env: { KEY: value } });
    const { args, variables } = command('codex', '0.169.0', { a: server('1'), b: server('2'), c: server('1') });
    assert.deepEqual(variables, { KEY: '1' });
    const values = args.filter((arg) => arg.includes('env'));
    assert.deepEqual(values, [
      'mcp_servers.a.env_vars=["KEY"]',
      'mcp_servers.b.env={"KEY" = "2"}',
      'mcp_servers.c.env_vars=["KEY"]',
    ]);
  });

  it('put no secrets into arguments', () => {
    for (const { type, protocol } of adapters) {
      if (protocol !== undefined) continue;
      assert.ok(!command(type, null).args.join(' ').includes(secret), type);
    }
  });

  it('are reported if the agent does not support any', () => {
    for (const [type, version] of [
      ['cursor', '2026.11.01'],
      ['codex', '0.20.0'],
      ['copilot', '0.0.300'],
    ] as const) {
      const line = command(type, version);
      assert.equal(line.warnings.filter((warning) => warning.includes('MCP servers')).length, 1, type);
      assert.ok(!JSON.stringify([line.args, line.variables]).includes('search'), type);
    }
    assert.equal(findAdapter('cursor')!.capabilities.mcp.supported, false);
  });

  it('change nothing if the list is empty', () => {
    for (const { type, protocol } of adapters) {
      if (protocol !== undefined) continue;
      const { privateFiles, variables, warnings } = command(type, null, {});
      assert.deepEqual([privateFiles, variables, warnings], [undefined, undefined, []], type);
    }
  });

  it('reach an ACP agent when the session is opened', () => {
    const greeting = (http: boolean) =>
      greetingOf(
        { protocolVersion: 1, agentCapabilities: { loadSession: true, mcpCapabilities: { http } } },
        undefined,
      );
    const stdio = {
      name: 'search',
      command: '/bin/search',
      args: ['--all', 'a "b"'],
      env: [
        { name: 'KEY', value: secret },
        { name: 'OPENAI_BASE', value: 'x' },
      ],
    };
    const http = {
      type: 'http',
      name: 'docs',
      url: 'https://docs.example/mcp',
      headers: [{ name: 'Authorization', value: `Bearer ${secret}` }],
    };
    assert.deepEqual(openingOf(greeting(true), null, '/w', mcpServers), {
      method: 'session/new',
      params: { cwd: '/w', mcpServers: [stdio, http] },
    });
    assert.deepEqual(openingOf(greeting(false), { resume: 'id' }, '/w', mcpServers), {
      method: 'session/load',
      params: { sessionId: 'id', cwd: '/w', mcpServers: [stdio] },
    });
    assert.deepEqual(unsupportedServers(greeting(false), mcpServers), ['docs']);
    assert.deepEqual(unsupportedServers(greeting(true), mcpServers), []);
  });
});
