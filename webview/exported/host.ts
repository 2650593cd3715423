/** Takes the place of VS Code in an exported page. Import it before anything that calls `acquireVsCodeApi`. */
import './strictPolicy.ts';
import type { ExportedSession } from '../../src/pages/exported/exportedSession.ts';
import { ExportedHost } from '../../src/pages/exported/exportedHost.ts';
import { isEnvelope } from '../../src/protocol/channel.ts';
import type { Envelope, FromPage } from '../../src/protocol/panel/messages.ts';
import { entryKey, turnKey } from '../rows/rowKeys.ts';
import { copyText, openLink } from './browser.ts';
import { readSessions } from './readSession.ts';

export const exportedSessions = readSessions(document);

/** The session in the address, `#ses_…`; default: the exported one. */
export function sessionInAddress(): ExportedSession {
  const { sessions } = exportedSessions;
  const id = /^#(ses_[0-9a-f]{12})(?:\/|$)/.exec(location.hash)?.[1];
  return sessions.find(({ summary }) => summary.session_id === id) ?? sessions[0];
}

export const session = sessionInAddress();

export const host = new ExportedHost(session, {
  // In a task of its own, as messages of a real host arrive.
  post: (envelope) => void setTimeout(() => window.postMessage(envelope, '*')),
  copy: copyText,
  openLink,
});

const [first] = session.runs;
/** A reader begins at the beginning. */
let state: unknown = { anchor: { key: first?.first_index === 0 ? turnKey(first.run_id) : entryKey(0), offset: 0 } };

window.acquireVsCodeApi = () => ({
  postMessage: (message: unknown): void => {
    if (isFromPage(message)) host.receive(message);
  },
  getState: (): unknown => state,
  setState: (next: unknown): void => void (state = next),
});

/** The page's own code sends them: only the envelope is checked. */
function isFromPage(message: unknown): message is Envelope<FromPage> {
  return isEnvelope(message);
}
