import * as vscode from 'vscode';
import type { ResumeReason, ResumeVerdict } from '../../insight/session/resumeCheck.ts';

const { t } = vscode.l10n;

export function verdictText(verdict: ResumeVerdict): string {
  switch (verdict) {
    case 'yes':
      return t('Yes');
    case 'uncertain':
      return t('Not certain');
    case 'no':
      return t('No');
  }
}

/** A complete sentence. */
export function reasonText(reason: ResumeReason): string {
  switch (reason) {
    case 'not_supported':
      return t('This agent cannot resume a conversation.');
    case 'no_conversation_id':
      return t('The agent did not report a conversation ID. The next run starts a new conversation.');
    case 'program_missing':
      return t('The agent’s program was not found.');
    case 'folder_missing':
      return t('The folder of this session does not exist.');
    case 'conversation_missing':
      return t('The agent’s conversation file was not found for this user on this machine.');
    case 'other_machine':
      return t('This session was recorded on another machine. The agent stores conversations per machine.');
    case 'other_user':
      return t('This session was recorded by another user. The agent stores conversations per user.');
    case 'conversation_found':
      return t('The agent’s conversation file is on this machine.');
    case 'not_checked':
      return t('Vitrine cannot check where this agent stores its conversations.');
    case 'worktree':
      return t(
        'This folder is a git worktree. Resume from here, because the agent cannot find this conversation from other worktrees.',
      );
    case 'container':
      return t('This is a container. The conversation is lost when the container is deleted.');
    case 'ci':
      return t('This is a CI job. The conversation is not available in the next job.');
    case 'remote':
      return t('This window is connected to a remote machine. Resume only on that machine.');
  }
}
