import assert from 'node:assert/strict';
import { resumeCommand } from '../../../../src/agents/stores/resumeCommand.ts';

describe('the command line that resumes a session in a terminal', () => {
  it('is the agent’s own', () => {
    assert.equal(resumeCommand('claude-code', '5b1c-9'), 'claude --resume 5b1c-9');
    assert.equal(resumeCommand('codex', '019a'), 'codex resume 019a');
    assert.equal(resumeCommand('copilot', '5b1c-9'), 'copilot --resume=5b1c-9');
    assert.equal(resumeCommand('opencode', 'ses_1'), 'opencode --session ses_1');
  });

  it('is absent if the agent cannot resume', () => {
    assert.equal(resumeCommand('vscode-chat', 'x'), undefined);
    assert.equal(resumeCommand('replay', 'x'), undefined);
  });

  it("runs nothing else, whatever a session's name", () => {
    assert.equal(resumeCommand('codex', "x'; rm -rf ~"), String.raw`codex resume 'x'\''; rm -rf ~'`);
  });
});
