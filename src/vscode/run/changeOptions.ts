import * as vscode from 'vscode';
import type { AgentOptions } from '../../agents/adapter.ts';
import { isBypass } from '../../agents/choices.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import type { LiveOptions } from '../../engine/api.ts';
import { inertText } from '../text/inertText.ts';
import { agentOptions } from '../settings/settings.ts';
import { withChoice } from '../../agents/withChoice.ts';
import { nameOf } from './steps/agentItems.ts';
import type { RunMemory } from './runMemory.ts';
import { optionLine } from './steps/optionLine.ts';
import { askForOptions } from './steps/optionSteps.ts';

const { t } = vscode.l10n;

/** Asks for new options of a session: applied to the running agent if it supports that, and to later runs. */
export async function changeOptions(engine: WindowEngine, memory: RunMemory, session: string): Promise<void> {
  const handle = await engine.open(session);
  try {
    const { executor_type: type = 'claude-code', executor_profile: profile, project_dir: dir } = handle.summary();
    const reports = await engine.agents();
    const agent = reports.find((report) => report.type === type && report.profile === profile && !report.recording);
    if (agent === undefined) {
      void vscode.window.showInformationMessage(t('These options do not apply to recordings.'));
      return;
    }
    const settings = agentOptions(type, dir === undefined ? undefined : vscode.Uri.file(dir));
    const before = memory.choiceOfSession(session);
    const step = { title: agent.label, step: 1, steps: 1, canGoBack: false };
    const chosen = await askForOptions({ agent, settings, memory, step }, before);
    if (chosen === undefined) return;
    await memory.rememberChange(nameOf(agent), chosen, session);
    const conversation = handle.conversation();
    const options = withChoice(settings, chosen);
    const changes = findChangedOptions(withChoice(settings, before), options);
    const taken = conversation?.takesMessages === true ? await conversation.changeOptions(changes) : [];
    const line = optionLine(type, options);
    const label = inertText(agent.label);
    const bypass = isBypass(type, chosen.permissionMode);
    if (bypass && !taken.includes('permissionMode')) {
      const text = t(
        'The mode “{0}” was not saved, because it applies to one run only.',
        inertText(chosen.permissionMode ?? ''),
      );
      void vscode.window.showWarningMessage(text);
    } else if (handle.isLive() && taken.length < Object.keys(changes).length) {
      void vscode.window.showInformationMessage(
        t('{0} cannot change this during a run. The change applies from the next run: {1}.', label, line),
      );
    } else {
      vscode.window.setStatusBarMessage(t('{0}: {1}', label, line), 5000);
    }
  } finally {
    handle.dispose();
  }
}

/** Changed options; `''` resets one to the agent's default. */
function findChangedOptions(before: AgentOptions, after: AgentOptions): LiveOptions {
  const { model = '', permissionMode = '' } = after;
  return {
    ...(model !== (before.model ?? '') && { model }),
    ...(permissionMode !== (before.permissionMode ?? '') && { permissionMode }),
  };
}
