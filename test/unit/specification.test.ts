import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { agentFileSchema } from '../../src/model/agent/agent.ts';
import { demandsSchema } from '../../src/model/session/demands.ts';
import { listedRunnerSchema } from '../../src/model/session/runner.ts';
import { runSchema, sessionSchema } from '../../src/model/session/session.ts';
import { repository } from '../support/host/install/cache.mjs';

/** Fields and statuses of the specification, by model. */
const specified: Readonly<Record<string, string>> = {
  Event:
    'event_type session_start pre_tool post_tool session_stop message session_id timestamp tool_name tool_input tool_output error exit_code reason role content',
  Session:
    'session_id status pending running stopping stopped finished created_at project_dir agent_name last_resumed_at parent_session_id execution_mode sync async_poll async_callback executor_session_id executor_type hostname',
  Run: 'run_id type session_id agent_name prompt project_dir parent_session_id execution_mode demands status pending claimed running stopping completed failed stopped runner_id error created_at claimed_at started_at completed_at timeout_at',
  Demands: 'hostname project_dir executor_type tags',
  Runner:
    'runner_id registered_at last_heartbeat hostname project_dir executor_type tags status online stale seconds_since_heartbeat',
  Agent: 'name description system_prompt mcp_servers skills tags demands status active inactive created_at modified_at',
  'MCP server': 'type stdio http command args env url headers',
};

describe('the models of the specification', () => {
  const text = readFileSync(path.join(repository, 'docs/agents/fields.md'), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.split('|').length === 6)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const shorts = new Map(
    [...text.matchAll(/"(\w+)"(?: is)?\s+`(test\/[^`]+)`/g)].map(([, name = '', file = '']) => [name, file]),
  );

  for (const [model, fields] of Object.entries(specified)) {
    it(`have a place and a test for each field and status of ${model}`, () => {
      const own = rows.filter(([, name]) => name === model);
      const named = new Set(own.flatMap(([, , cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field)));
      assert.deepEqual(new Set(fields.split(' ')), named);
    });
  }

  it('have tests at the stated places', () => {
    const tests = rows.slice(2).flatMap(([, , , , cell = '']) => cell.replaceAll(/\([^)]*\)/g, '').split(', '));
    assert.deepEqual(
      [...new Set(tests.map((name) => name.trim()))].filter((name) => !shorts.has(name)),
      [],
    );
    for (const file of shorts.values()) assert.ok(existsSync(path.join(repository, file)), file);
  });

  it('have these fields in their schemas', () => {
    const schemas = {
      Session: sessionSchema,
      Run: runSchema,
      Demands: demandsSchema,
      Runner: listedRunnerSchema,
      Agent: agentFileSchema,
    };
    const values =
      /^(pending|claimed|running|stopping|stopped|finished|completed|failed|sync|async_\w+|online|stale|active|inactive)$/;
    for (const [model, schema] of Object.entries(schemas)) {
      const wanted = specified[model]?.split(' ').filter((field) => !values.test(field)) ?? [];
      assert.deepEqual(
        wanted.filter((field) => !(field in schema.shape)),
        [],
        model,
      );
    }
  });
});
