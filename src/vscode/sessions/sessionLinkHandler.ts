import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { Failures } from '../failures/failures.ts';
import { inertText } from '../text/inertText.ts';
import type { SessionPanels } from '../panel/sessionPanels.ts';
import { parseSessionLink } from './sessionLinks.ts';

const { t } = vscode.l10n;

interface LinkDeps {
  readonly engines: Pick<EngineHost, 'get'>;
  readonly panels: Pick<SessionPanels, 'open' | 'reveal'>;
  readonly failures: Pick<Failures, 'show'>;
}

/** Handles session links from outside. */
export function registerSessionLinks(deps: LinkDeps): vscode.Disposable {
  return vscode.window.registerUriHandler({ handleUri: (uri) => openSessionLink(uri, deps) });
}

/** Opens the session of a link. Links never start a program. */
export async function openSessionLink(uri: vscode.Uri, { engines, panels, failures }: LinkDeps): Promise<void> {
  const link = parseSessionLink(uri);
  if (link === undefined) {
    const shown = inertText(`${uri.path}${uri.fragment === '' ? '' : `#${uri.fragment}`}`.slice(0, 200));
    void vscode.window.showWarningMessage(t('Not a link to a Vitrine session: {0}', shown));
    return;
  }
  try {
    // Checked before a panel opens, because the link may come from another machine.
    (await (await engines.get()).open(link.session)).dispose();
  } catch (error) {
    if (EngineFailure.is(error) && error.code === 'session_missing') {
      const text = t('The session in this link, {0}, is not on this machine. It may have been deleted.', link.session);
      void vscode.window.showWarningMessage(text);
    } else void failures.show(error, { session: link.session });
    return;
  }
  if (link.entry === undefined) await panels.open(link.session);
  else await panels.reveal(link.session, link.entry);
}
