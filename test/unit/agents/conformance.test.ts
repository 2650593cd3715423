import { adapters } from '../../../src/agents/registry.ts';
import { capturesOf } from '../../support/captures/agentCaptures.ts';
import { describeConformance } from '../../support/captures/conformance.ts';

/**
 * What every executor owes, whatever it reads. An executor takes part by standing in the registry and having captures in
 * `test/fixtures/<type>`.
 */
for (const adapter of adapters) describeConformance(adapter, capturesOf(adapter.type));
