import assert from 'node:assert/strict';
import { acpPresets } from '../../../../src/agents/acp/presets.ts';
import { capabilitiesOf } from '../../../../src/agents/adapter.ts';
import { adapters, findAdapter } from '../../../../src/agents/registry.ts';
import type { AgentReport } from '../../../../src/engine/api.ts';
import { capabilityNames, type CapabilityName } from '../../../../src/model/session/capabilities.ts';
import type { ExecutorType } from '../../../../src/model/session/session.ts';
import { transportsOf, type AgentTransports } from '../../../../src/vscode/run/steps/transports.ts';

const acp = findAdapter('acp');
assert.ok(acp !== undefined);
const { capabilities: acpCapabilities } = acp;
const noResume = { supported: false, reason: 'It loses conversations.' } as const;

function own(type: ExecutorType, version: string | null): AgentReport {
  const adapter = findAdapter(type);
  assert.ok(adapter !== undefined);
  const [name = ''] = adapter.programs;
  return {
    type,
    label: adapter.label,
    recording: false,
    capabilities: capabilitiesOf(adapter, version),
    program: version === null ? null : { path: `/bin/${name}`, version, tried: [] },
    environment: { removed: [], added: [] },
  };
}

function preset(id: string, found = true): AgentReport {
  const one = acpPresets.find((acpPreset) => acpPreset.id === id);
  assert.ok(one !== undefined);
  const resume = one.quirks.resume === 'none' ? { resume: noResume } : {};
  return {
    type: 'acp',
    profile: id,
    sameAs: one.sameAs,
    label: one.label,
    recording: false,
    capabilities: { ...acpCapabilities, ...resume },
    program: found ? { path: `/bin/${one.programs[0] ?? ''}`, version: '1.0.0', tried: [] } : null,
    environment: { removed: [], added: [] },
  };
}

const newest = {
  'claude-code': '2.1.328',
  codex: '0.169.0',
  copilot: '1.0.102',
  gemini: '0.61.0',
  cursor: '1.0.0',
} as const;
const facts = { canRun: ({ program }: AgentReport) => program !== null, isConfigured: () => false };
const named = ({ agent, other }: AgentTransports) =>
  [agent, other].map((report) => (report === undefined ? '' : (report.profile ?? report.type))).join(' or ');
const supported = (agents: readonly (AgentReport | undefined)[], name: CapabilityName): boolean =>
  agents.some((agent) => agent?.capabilities[name].supported === true);

describe('rows of agents', () => {
  const reports = [
    ...Object.entries(newest).map(([type, version]) => own(type as ExecutorType, version)),
    ...acpPresets.map(({ id }) => preset(id)),
  ];

  it('are one per agent, with the better transport', () => {
    assert.deepEqual(transportsOf(reports, facts).map(named), [
      'claude-code or claude-agent-acp',
      'codex or codex-acp',
      'copilot-acp or copilot',
      // Its resume works only in its own protocol.
      'gemini or gemini-acp',
      'cursor or ',
    ]);
  });

  it('lose no cell of the capability matrix', () => {
    const rows = transportsOf(reports, facts);
    for (const { agent, other } of rows) {
      const type = agent.sameAs ?? agent.type;
      const before = reports.filter((report) => (report.sameAs ?? report.type) === type);
      for (const name of capabilityNames) {
        assert.equal(supported([agent, other], name), supported(before, name), `${type} ${name}`);
        const plain = before.find((report) => report.type === type);
        assert.ok(supported([agent], name) || !supported([plain], name), `${type} lost ${name}`);
      }
    }
    assert.equal(rows.length, adapters.filter(({ protocol }) => protocol === undefined).length);
  });

  it('take the only transport that is here', () => {
    const old = [own('codex', '0.77.0'), preset('codex-acp')];
    assert.deepEqual(transportsOf([own('codex', null), preset('codex-acp')], facts).map(named), ['codex-acp or ']);
    assert.deepEqual(transportsOf([own('codex', null), preset('codex-acp', false)], facts).map(named), ['codex or ']);
    assert.deepEqual(transportsOf(old, facts).map(named), ['codex-acp or codex']);
  });

  it('keep what the user has set up: settings of an executor, another installation, an own profile', () => {
    const copilot = own('copilot', '1.0.102');
    const both = [copilot, preset('copilot-acp')];
    assert.deepEqual(transportsOf(both, { ...facts, isConfigured: () => true }).map(named), ['copilot or copilot-acp']);
    const otherInstallation = { ...copilot, program: { path: '/opt/copilot', version: '1.0.102', tried: [] } };
    assert.deepEqual(transportsOf([otherInstallation, preset('copilot-acp')], facts).map(named), [
      'copilot or copilot-acp',
    ]);
    const { sameAs, ...profile } = preset('copilot-acp');
    assert.equal(sameAs, 'copilot');
    assert.deepEqual(transportsOf([copilot, profile], facts).map(named), ['copilot or ', 'copilot-acp or ']);
  });
});
