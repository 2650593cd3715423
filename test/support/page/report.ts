/** A fictitious report with every kind of content. */
import type { Report } from '../../../src/model/pages/report.ts';
import type { ToReportPage } from '../../../src/protocol/pages/reportMessages.ts';

export const madeReport: Report = {
  title: 'Vitrine Doctor',
  facts: [
    { name: 'Session', value: { text: 'Add a retry to the upload' } },
    { name: 'Session ID', value: { text: 'ses_00000000d0c7', code: true } },
    { name: 'Record', value: { text: 'altered at line 12', tone: 'error' } },
  ],
  actions: [
    { id: '1.0', label: 'Open Log', icon: 'output' },
    { id: '1.1', label: 'Open Settings', icon: 'gear' },
  ],
  sections: [
    {
      title: 'Agents',
      tables: [
        {
          label: 'Agents on this machine',
          columns: [{ label: 'Agent' }, { label: 'State' }, { label: 'Cost', numeric: true }, { label: 'Actions' }],
          rows: [
            [
              { text: 'Codex' },
              { text: 'found', tone: 'good' },
              { text: '$2.00', sort: 2 },
              { text: '', actions: [{ id: '1.2', label: 'Set Path…', icon: 'gear' }] },
            ],
            [
              { text: 'Claude Code' },
              { text: 'not found', tone: 'warning' },
              { text: '$10.50', sort: 10.5 },
              {
                text: '',
                actions: [
                  { id: '1.3', label: 'How to Install', icon: 'link-external' },
                  { id: '1.4', label: 'Set Path…', icon: 'gear' },
                ],
              },
            ],
            [
              { text: 'Cursor' },
              { text: 'plays recordings', tone: 'dim' },
              { text: 'unknown', sort: null },
              { text: '', actions: [] },
            ],
          ],
          note: '2 earlier agents are not listed.',
        },
      ],
    },
    {
      title: 'Codex',
      collapsed: true,
      text: ['Found beside Node.'],
      facts: [{ name: 'Program', value: { text: '/usr/local/bin/codex', code: true } }],
    },
  ],
};

export function reportMessage(report: Report = madeReport): ToReportPage {
  return {
    type: 'report',
    report,
    key: { kind: 'doctor', argument: '' },
    title: 'Vitrine Doctor',
    l10n: {},
    locale: 'en',
  };
}
