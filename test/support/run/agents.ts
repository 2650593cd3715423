/** Installs the real agents for test/agents in advance. */
import { claudeVersions, ensureClaudeCode } from '../agents/claudeCode.ts';

for (const version of claudeVersions) {
  const installed = await ensureClaudeCode(version);
  console.log(
    'program' in installed ? `${version}: ${installed.program}` : `${version}: MISSING: ${installed.missing}`,
  );
}
