import * as vscode from 'vscode';
import type { ReportTable } from '../../model/pages/report.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { command, fact, text } from '../pages/parts.ts';
import type { BuiltReport, ReportWork } from '../pages/reportKind.ts';
import { sessionFacts } from '../pages/sessionFacts.ts';
import { checkResume } from './checkResume.ts';

const { t } = vscode.l10n;

const tones = { yes: 'good', uncertain: 'warning', no: 'error' } as const;

/** Whether a session can be resumed here, why not, and known limitations. */
export async function resumeReport(
  engine: WindowEngine,
  summary: SessionSummary,
  { actions, progress }: ReportWork,
): Promise<BuiltReport> {
  progress(t('Checking…'));
  const { verdict, word, reasons } = await checkResume(engine, summary);
  return {
    verdict,
    report: {
      title: t('Will This Resume Here?'),
      refreshLabel: t('Check Again'),
      facts: [
        ...sessionFacts(summary),
        fact(t('Resume here'), text(word, tones[verdict])),
        ...(reasons.length === 0 ? [] : [fact(t('Reason'), reasons.join(' '))]),
      ],
      actions: [
        actions.add(t('Open Session'), 'comment-discussion', command('vitrine.openSession', summary.session_id)),
        ...(verdict === 'no'
          ? []
          : [actions.add(t('Resume…'), 'play', command('vitrine.resumeSession', summary.session_id))]),
      ],
      sections: [
        {
          title: t('Where You Can Resume a Session'),
          text: [
            t(
              'An agent stores its conversation for one user, one folder and one machine. Vitrine always keeps its own record.',
            ),
          ],
          tables: [places()],
        },
      ],
    },
  };
}

function places(): ReportTable {
  const rows = [
    [
      t('Git worktrees'),
      t('Agents look up conversations by folder, so a conversation from one worktree is not found in another.'),
      t('Resume in the worktree where it began.'),
    ],
    [
      t('Containers'),
      t('Each container has its own files, and they are deleted with it.'),
      t('Mount the agent’s folder into the container, or start a new conversation.'),
    ],
    [
      t('Another user account'),
      t('Each user has their own home folder. You cannot resume another user’s conversation.'),
      t('Export the session and start a new conversation with its summary.'),
    ],
    [
      t('CI'),
      t('Every job runs on a fresh machine without earlier conversations.'),
      t('Start a new conversation each time and keep the record as an artifact.'),
    ],
    [
      t('Remote (SSH, Codespaces, WSL)'),
      t('The agent’s files are on the remote machine or on yours, never on both.'),
      t('Resume where the session ran.'),
    ],
  ];
  return {
    label: t('Where the agent cannot find its conversation'),
    columns: [{ label: t('Where') }, { label: t('What happens') }, { label: t('What to do') }],
    rows: rows.map((cells) => cells.map((cell) => text(cell))),
  };
}
