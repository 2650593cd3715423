import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentOptions } from '../../../src/agents/adapter.ts';
import { agentChoices, isBypass } from '../../../src/agents/choices.ts';
import { adapters, findAdapter } from '../../../src/agents/registry.ts';
import { repository } from '../../support/host/install/cache.mjs';

const dangerous = /dangerous|bypass|full-access|yolo|--force|allow-all/;

/** With the newest version that there may be. */
function command(type: string, options: AgentOptions) {
  const adapter = findAdapter(type)!;
  return adapter.command({
    prompt: 'Do it',
    options,
    program: { version: null },
    newSessionId: '0d4e1b5c-9f5a-4e46-8a4b-0f6c1d2e3f40',
  });
}

const ownSettings = ['path', 'model', 'permissionMode'];
/** One setting for all agents, with a property for each. */
const sharedSettings = ['extraArgs', 'environment'];

describe('choices of the user', () => {
  it('exist for every program that Vitrine starts', () => {
    const own = adapters.filter(({ protocol }) => protocol === undefined).map(({ type }) => type);
    assert.deepEqual([...agentChoices.keys()].sort(), own.sort());
  });

  for (const [type, choices] of agentChoices) {
    describe(choices.settings, () => {
      it('are safe by default', () => {
        assert.equal(choices.modes[0]?.id, 'default');
        assert.deepEqual(command(type, { permissionMode: 'default' }), command(type, {}));
        assert.doesNotMatch(command(type, {}).args.join(' '), dangerous);
      });

      it('have modes that the command line supports, and mark those that bypass permissions', () => {
        for (const { id, args, bypass = false } of choices.modes) {
          const line = command(type, { permissionMode: id });
          assert.deepEqual(line.warnings, [], id);
          assert.ok(line.args.join(' ').includes(args.join(' ')), id);
          assert.equal(dangerous.test(args.join(' ')), bypass, id);
          assert.equal(isBypass(type, id), bypass, id);
        }
      });

      it('have limits that the command line supports, and reject others with a warning', () => {
        const all = ['maxTurns', 'maxBudgetUsd', 'maxAiCredits'] as const;
        for (const name of all.slice(0, 2)) {
          const known = choices.limits.some((limit) => limit.name === name);
          assert.equal(command(type, { [name]: 77 }).warnings.length, known ? 0 : 1, name);
        }
        for (const { name } of choices.limits) {
          const line = command(type, { [name]: 77 });
          assert.match(line.args.join(' '), /77/);
          assert.deepEqual(line.warnings, []);
        }
      });

      it('reach the command line: model and arguments', () => {
        const args = command(type, { model: 'some-model', extraArgs: ['--mine', 'a b'] }).args;
        assert.match(args.join(' '), /--model[= ]some-model/);
        assert.ok(args.includes('--mine') && args.includes('a b'));
        assert.doesNotMatch(command(type, { model: '-x' }).args.join('\n'), /^-x$/m);
      });

      it('have settings with the same names', () => {
        const manifest = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
          contributes: { configuration: { properties: Record<string, { enum?: string[]; properties?: object }> }[] };
        };
        const sections = manifest.contributes.configuration.map((section) => Object.entries(section.properties));
        const properties = Object.fromEntries(sections.flat());
        for (const name of sharedSettings) {
          assert.ok(choices.settings in (properties[`vitrine.${name}`]?.properties ?? {}), name);
        }
        for (const name of [...ownSettings, ...choices.limits.map(({ name }) => name)]) {
          assert.ok(properties[`vitrine.${choices.settings}.${name}`], name);
        }
        const modes = properties[`vitrine.${choices.settings}.permissionMode`]?.enum;
        assert.deepEqual(
          modes,
          choices.modes.map(({ id }) => id),
        );
      });
    });
  }

  it('treat unknown modes as dangerous, and a missing mode as safe', () => {
    assert.ok(isBypass('claude-code', 'everything'));
    assert.ok(isBypass('acp', 'agent-full-access'));
    assert.ok(!isBypass('acp', 'default'));
    assert.ok(!isBypass('gemini', undefined));
  });
});
