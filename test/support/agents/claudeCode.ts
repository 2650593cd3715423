import { installAgent, type InstallResult } from './install.ts';

/** Tested versions: the current one, and the last of each of the two older formats of costs and ids. */
export const claudeVersions = ['2.1.328', '2.0.77', '1.0.3'] as const;
export type ClaudeVersion = (typeof claudeVersions)[number];

function platform(): string {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const musl = process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
}

/** Installs this version of Claude Code. */
export function ensureClaudeCode(version: ClaudeVersion): Promise<InstallResult> {
  // Since 2.1.1xx, a native binary in a package per platform; before, JavaScript with a shebang.
  const native = version.startsWith('2.1.');
  return installAgent({
    label: 'Claude Code',
    folder: 'claude-code',
    name: native ? `@anthropic-ai/claude-code-${platform()}` : '@anthropic-ai/claude-code',
    version,
    file: native ? `claude${process.platform === 'win32' ? '.exe' : ''}` : 'cli.js',
    // Sharp, the optional dependency of old versions, is only for pictures.
    plain: true,
  });
}
