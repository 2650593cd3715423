import * as vscode from 'vscode';
import { capabilitiesOf } from '../../agents/adapter.ts';
import { adapters } from '../../agents/registry.ts';
import { resumeCheck, type ResumeCheck } from '../../insight/session/resumeCheck.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResumeFacts } from '../../protocol/panel/figureMessages.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { notResumableReason } from '../panel/sessionView.ts';
import { reasonText, verdictText } from './resumeWords.ts';

/** Whether a session can be resumed in this window, with reasons. Starts no agent. */
export async function checkResume(engine: WindowEngine, summary: SessionSummary): Promise<ResumeFacts['here']> {
  const refused = notResumableReason(summary, false);
  // Recordings start no agent and contain what they play.
  const found: ResumeCheck = summary.recording ? { verdict: 'yes', reasons: [] } : await checkPlace(engine, summary);
  const verdict = refused === undefined ? found.verdict : 'no';
  return {
    verdict,
    word: verdictText(verdict),
    reasons: [...(refused === undefined ? [] : [refused]), ...found.reasons.map(reasonText)],
  };
}

async function checkPlace(engine: WindowEngine, summary: SessionSummary): Promise<ResumeCheck> {
  const { executor_type: type, agent_version: version } = summary;
  const adapter = adapters.find((agentAdapter) => agentAdapter.type === type);
  return resumeCheck({
    ...(await engine.resumePlace(summary)),
    isSupported: adapter === undefined || capabilitiesOf(adapter, version).resume.supported,
    isRemote: vscode.env.remoteName !== undefined,
  });
}
