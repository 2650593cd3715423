import type { Exporter } from './shared/source.ts';

export interface ExportFormat {
  readonly id: string;
  readonly label: string;
  /** File extension without the dot. */
  readonly extension: string;
  load(): Promise<Exporter>;
}

/** All export formats; each is documented in docs/export. */
export const exportFormats: readonly ExportFormat[] = [
  { id: 'html', label: 'HTML', extension: 'html', load: async () => (await import('./html.ts')).html },
  { id: 'markdown', label: 'Markdown', extension: 'md', load: async () => (await import('./markdown.ts')).markdown },
  {
    id: 'summary',
    label: 'Summary for a pull request',
    extension: 'md',
    load: async () => (await import('./summary.ts')).summary,
  },
  { id: 'acp', label: 'ACP messages', extension: 'json', load: async () => (await import('./acp.ts')).acp },
  {
    id: 'events',
    label: 'Coordinator events',
    extension: 'jsonl',
    load: async () => (await import('./events.ts')).events,
  },
  {
    id: 'langchain',
    label: 'LangChain messages',
    extension: 'json',
    load: async () => (await import('./langchain.ts')).langchain,
  },
  {
    id: 'langchain-checkpoint',
    label: 'LangGraph checkpoint',
    extension: 'json',
    load: async () => (await import('./langchain.ts')).langchainCheckpoint,
  },
  { id: 'result', label: 'SDK results', extension: 'jsonl', load: async () => (await import('./result.ts')).result },
  {
    id: 'otlp',
    label: 'OpenTelemetry (OTLP JSON)',
    extension: 'json',
    load: async () => (await import('./otlp/otlp.ts')).otlp,
  },
  { id: 'atif', label: 'ATIF trajectory', extension: 'json', load: async () => (await import('./atif.ts')).atif },
  {
    id: 'agent-trace',
    label: 'Agent Trace',
    extension: 'json',
    load: async () => (await import('./agentTrace.ts')).agentTrace,
  },
  { id: 'csv', label: 'Ledger (CSV)', extension: 'csv', load: async () => (await import('./csv.ts')).csv },
];
