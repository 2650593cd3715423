import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { parseBlueprint } from '../../../../src/formats/blueprint/parse.ts';
import { fillPlaceholders, inputsOf } from '../../../../src/formats/blueprint/placeholders.ts';
import { agentFileSchema } from '../../../../src/model/agent/agent.ts';
import type { McpServers } from '../../../../src/model/agent/mcpServer.ts';
import { repository } from '../../../support/host/install/cache.mjs';

const whole = `# Reviews what others wrote.
name: reviewer
description: Reviews changes
executor_type: claude-code
model: opus
system_prompt: |
  You review.
mcp_servers:
  search:
    type: stdio
    command: npx
    args: ["-y", "server"]
    env: { KEY: "\${input:key}" }
  docs:
    type: http
    url: https://docs.example/mcp
    headers: { Authorization: "Bearer \${env:DOCS}" }
skills: [review]
tags: [team]
demands:
  hostname: builder
  project_dir: /srv/app
  executor_type: claude-code
  tags: [gpu, web]
limits: { max_turns: 3, max_budget_usd: 0.5, max_ai_credits: 2 }
status: inactive
created_at: 2026-01-02T03:04:05Z
modified_at: 2026-01-02T03:04:05+01:00
`;

/** As a person reads it: line and column count from 1. */
const shown = (text: string, options?: { json: boolean }): string[] =>
  parseBlueprint(text, options).problems.map(
    ({ severity, from, message }) => `${from.line + 1}:${from.character + 1} ${severity}: ${message}`,
  );

describe('blueprints', () => {
  it('have every field of the specification, and those of Vitrine', () => {
    const { value, problems } = parseBlueprint(whole);
    assert.deepEqual(problems, []);
    assert.deepEqual(value, {
      name: 'reviewer',
      description: 'Reviews changes',
      executor_type: 'claude-code',
      model: 'opus',
      system_prompt: 'You review.\n',
      mcp_servers: {
        search: { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: { KEY: '${input:key}' } },
        docs: { type: 'http', url: 'https://docs.example/mcp', headers: { Authorization: 'Bearer ${env:DOCS}' } },
      },
      skills: ['review'],
      tags: ['team'],
      demands: {
        hostname: 'builder',
        project_dir: '/srv/app',
        executor_type: 'claude-code',
        tags: ['gpu', 'web'],
      },
      limits: { max_turns: 3, max_budget_usd: 0.5, max_ai_credits: 2 },
      status: 'inactive',
      created_at: '2026-01-02T03:04:05Z',
      modified_at: '2026-01-02T03:04:05+01:00',
    });
  });

  it('may be an empty object', () => {
    const { value } = parseBlueprint('{}', { json: true });
    assert.deepEqual(value, {
      description: '',
      mcp_servers: {},
      skills: [],
      tags: [],
      limits: {},
      status: 'active',
    });
  });

  it('accept JSON with tabs', () => {
    const text = '{\n\t"name": "a",\n\t"mcp_servers": {\n\t\t"x": { "type": "stdio", "command": "y" }\n\t}\n}\n';
    assert.equal(parseBlueprint(text, { json: true }).value?.name, 'a');
  });

  const bad: readonly (readonly [string, string, ...string[]])[] = [
    ['an unknown field', 'nme: x\nmodel: y\n', '1:1 warning: "nme" is not a field of an agent file. It has no effect.'],
    [
      'an unknown field further down',
      'mcp_servers:\n  s:\n    type: stdio\n    command: c\n    cwd: /\n',
      '5:5 warning: "mcp_servers.s.cwd" is not a field of an agent file. It has no effect.',
    ],
    [
      'an unknown executor',
      'name: a\nexecutor_type: gpt\n',
      '2:16 error: "executor_type" must be one of: claude-code, cursor, copilot, codex, gemini, acp, acp-http, replay.',
    ],
    ['another type', 'tags: web\n', '1:7 error: "tags" must be a list.'],
    ['a status that is none', 'status: paused\n', '1:9 error: "status" must be one of: active, inactive.'],
    [
      'a server without a command',
      'mcp_servers:\n  s:\n    type: stdio\n',
      '3:5 error: "mcp_servers.s.command" is missing. Add it: a text.',
    ],
    ['a server of no type', 'mcp_servers:\n  s: {}\n', '2:6 error: "mcp_servers.s.type" must be one of: stdio, http.'],
    [
      'an address that is none',
      'mcp_servers:\n  s: { type: http, url: "file:///etc" }\n',
      '2:25 error: "mcp_servers.s.url": The URL must begin with http:// or https://.',
    ],
    [
      'a name that is a path',
      'name: ../x\n',
      '1:7 error: "name": Use up to 64 letters, digits, ".", "_" and "-". Begin with a letter or a digit.',
    ],
    ['a limit of nothing', 'limits: { max_turns: 0 }\n', '1:22 error: "limits.max_turns" must be more than 0.'],
    [
      'a placeholder that is none',
      'mcp_servers:\n  s: { type: stdio, command: x, args: ["${secret:a}"] }\n',
      '2:40 warning: Unknown variable: ${secret:a}. Use ${env:NAME}, ${workspaceFolder} or ${input:name}.',
    ],
    ['a list', '- a\n', '1:1 error: An agent is an object with fields such as "description" and "system_prompt".'],
    ['nothing', '', '1:1 error: An agent is an object with fields such as "description" and "system_prompt".'],
    ['a key twice', 'name: a\nname: b\n', '2:1 error: Map keys must be unique.'],
    [
      'an open bracket',
      'tags: [a\n',
      '2:1 error: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
  ];
  for (const [what, text, ...expected] of bad) {
    it(`report the place of ${what}, and what to do`, () => {
      assert.deepEqual(shown(text), expected);
    });
  }

  it('do not accept YAML as JSON', () => {
    assert.deepEqual(shown('name: a\n', { json: true }), [
      '1:1 error: This is YAML, not JSON. Correct it, or rename the file to end in .yaml.',
    ]);
  });

  it('resist exponential text and prototype pollution', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...['b', 'c', 'd', 'e'].map((name, at) => `${name}: &${name} [${`*${'abcd'[at]},`.repeat(10)}]`),
    ];
    assert.equal(parseBlueprint(bomb.join('\n')).value, null);
    assert.match(shown('x'.repeat(300_000))[0] ?? '', /longer than 256 KB/);
    parseBlueprint('__proto__: { polluted: true }\n');
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  it('limit the length of their messages', () => {
    const text = Array.from({ length: 500 }, (_, at) => `field${at}: 1`).join('\n');
    assert.equal(parseBlueprint(text).problems.length, 50);
  });

  it('are described by the schema that editors read (UPDATE_SCHEMAS=1 writes it)', () => {
    const file = path.join(repository, 'media/schemas/agent.schema.json');
    const { $schema, ...schema } = z.toJSONSchema(agentFileSchema, { io: 'input', target: 'draft-7' });
    const wanted = `${JSON.stringify({ $schema, title: 'Agent of Vitrine', ...schema }, null, 2)}\n`;
    if (process.env['UPDATE_SCHEMAS'] === '1') writeFileSync(file, wanted);
    assert.equal(readFileSync(file, 'utf8'), wanted);
  });
});

describe('placeholders', () => {
  const servers: McpServers = {
    a: {
      type: 'stdio',
      command: '${workspaceFolder}/bin/x',
      args: ['--key=${env:KEY}', '${input:token}${input:token}'],
      env: { T: '${input:token}', U: '${env:NONE}', V: '${other}' },
    },
    b: { type: 'http', url: '${env:BASE}/mcp', headers: { H: 'Bearer ${input:second}' } },
  };
  const values = { env: { KEY: 'k', BASE: 'https://h' }, workspaceFolder: '/w', inputs: { token: 't$&' } };

  it('are replaced in a copy of the blueprint', () => {
    const before = structuredClone(servers);
    const filled = fillPlaceholders(servers, values);
    assert.deepEqual(filled.servers, {
      a: { type: 'stdio', command: '/w/bin/x', args: ['--key=k', 't$&t$&'], env: { T: 't$&', U: '', V: '${other}' } },
      b: { type: 'http', url: 'https://h/mcp', headers: { H: 'Bearer ' } },
    });
    assert.deepEqual(filled.missing, ['env:NONE', 'input:second']);
    assert.deepEqual(servers, before);
  });

  it('ask for each input once, and ignore placeholders in values', () => {
    assert.deepEqual(inputsOf(servers), ['token', 'second']);
    const nested = fillPlaceholders(servers, { ...values, inputs: { token: '${env:KEY}', second: 's' } });
    assert.deepEqual(nested.servers['b'], { type: 'http', url: 'https://h/mcp', headers: { H: 'Bearer s' } });
    assert.deepEqual(
      Object.values(nested.servers['a']?.type === 'stdio' ? nested.servers['a'].env : {})[0],
      '${env:KEY}',
    );
  });

  it('look up only what was given', () => {
    const filled = fillPlaceholders(
      { a: { type: 'stdio', command: '${env:constructor}${input:toString}', args: [], env: {} } },
      { env: {}, workspaceFolder: '/', inputs: {} },
    );
    assert.deepEqual(filled.missing, ['env:constructor', 'input:toString']);
  });
});
