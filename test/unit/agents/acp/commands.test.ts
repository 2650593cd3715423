import assert from 'node:assert/strict';
import { acp } from '../../../../src/agents/acp/adapter.ts';
import { permissionRequest } from '../../../../src/agents/acp/tools/permission.ts';
import { noFields, updateFields } from '../../../../src/agents/acp/tools/toolFields.ts';
import type { ToolUse } from '../../../../src/model/transcript/tool.ts';
import { readBy } from '../../../support/captures/agentCaptures.ts';

const workDir = '/workspace';

/** The call that these updates of it add up to. */
function callOf(updates: readonly object[]): ToolUse {
  const opened = [
    { id: 0, result: { protocolVersion: 1, agentInfo: { name: 'made-up', version: '1' } } },
    { id: 1, result: { sessionId: 's' } },
  ];
  const reported = updates.map((fields) => ({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields } },
  }));
  const stop = { id: 2, result: { stopReason: 'end_turn' } };
  const lines = [...opened, ...reported, stop].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const { entries } = readBy(
    acp,
    lines.map((text) => ({ stream: 'stdout', text })),
  );
  const [tool] = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
  assert.ok(tool !== undefined);
  return tool;
}

const command = { kind: 'execute', title: 'make', rawInput: { command: 'make' }, status: 'in_progress' };
const terminal = { content: [{ type: 'terminal', terminalId: 't' }] };

describe('commands in the Agent Client Protocol', () => {
  const exits: Readonly<Record<string, (code: number | null) => object[]>> = {
    'in the output': (code) => [{ rawOutput: { output: 'x', exit_code: code } }],
    'in parts of the output': (code) => [{ rawOutput: { contents: [{ type: 'shell_exit', exitCode: code }] } }],
    'beside the output': (code) => [{ rawOutput: { output: 'x', metadata: { exit: code } } }],
    'as an extension': (code) => [{ _meta: { terminal_exit: { terminal_id: 't', exit_code: code, signal: null } } }],
  };
  for (const [where, reported] of Object.entries(exits)) {
    it(`fail by the exit code ${where}`, () => {
      const ended = (code: number | null) => callOf([command, ...reported(code), { status: 'completed' }]);
      assert.deepEqual(
        [0, 3, null].map((code) => [ended(code).status, ended(code).result?.isError ?? false]),
        [
          ['success', false],
          ['failed', true],
          ['success', false],
        ],
      );
    });
  }

  it('fail by an exit code only', () => {
    const other = { kind: 'other', title: 'Check', status: 'completed', rawOutput: { exit_code: 3 } };
    assert.equal(callOf([other]).status, 'success');
  });

  for (const name of ['terminal_output', 'terminal_output_delta']) {
    it(`keep all pieces of ${name}`, () => {
      const piece = (data: string) => ({ _meta: { [name]: { terminal_id: 't', data } } });
      const { action } = callOf([{ ...command, ...terminal }, piece('one\n'), piece('two\n'), { status: 'completed' }]);
      assert.equal(action.kind === 'command_run' && action.stdout, 'one\ntwo\n');
    });
  }

  it('given as words are shown and requested in shell syntax', () => {
    const words = { ...command, rawInput: { command: ['bash', '-lc', "echo 'a b' | wc"] } };
    const shown = `bash -lc "echo 'a b' | wc"`;
    const { action } = callOf([words]);
    assert.equal(action.kind === 'command_run' && action.command, shown);
    const fields = updateFields(noFields, words);
    const asked = permissionRequest({ callId: 'c', fields, options: [], workDir }).action;
    assert.equal(asked?.kind === 'command_run' && asked.command, shown);
  });
});
