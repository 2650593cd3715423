import { installAgent, type Installed } from './install.ts';

/** The versions the tests run: today's, and of the old ones the ends of the two ways in which they print costs and ids. */
export const claudeVersions = ['2.1.328', '2.0.77', '1.0.3'] as const;
export type ClaudeVersion = (typeof claudeVersions)[number];

function platform(): string {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const musl = process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
}

/** The real Claude Code of that version. */
export function ensureClaudeCode(version: ClaudeVersion): Promise<Installed> {
  // From 2.1.1xx on the program is a native binary in a package per platform; before, it is JavaScript with a shebang.
  const native = version.startsWith('2.1.');
  return installAgent({
    label: 'Claude Code',
    folder: 'claude-code',
    name: native ? `@anthropic-ai/claude-code-${platform()}` : '@anthropic-ai/claude-code',
    version,
    file: native ? `claude${process.platform === 'win32' ? '.exe' : ''}` : 'cli.js',
    // Sharp, the optional one of the old versions, is for pictures only.
    plain: true,
  });
}
