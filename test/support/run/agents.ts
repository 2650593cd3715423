/** Installs the real agents that test/agents runs, so that the first test run does not wait for them. */
import { claudeVersions, ensureClaudeCode } from '../agents/claudeCode.ts';

for (const version of claudeVersions) {
  const installed = await ensureClaudeCode(version);
  console.log(
    'program' in installed ? `${version}: ${installed.program}` : `${version}: MISSING: ${installed.missing}`,
  );
}
