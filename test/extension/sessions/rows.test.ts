import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pageChunks, panelHtml } from '../../../src/vscode/panel/panelHtml.ts';
import { inertText } from '../../../src/vscode/text/inertText.ts';
import { costText, rowDescription, stateIcon, stateOf, todayText } from '../../../src/vscode/sessions/rowText.ts';
import { rowLabel, rowTooltip } from '../../../src/vscode/sessions/rowTooltip.ts';
import { answerText } from '../../../src/vscode/search/searchNodes.ts';
import { at, now, row } from '../../unit/vscode/sessions/rows.ts';

describe('the summary of a search', () => {
  it('says when older sessions of the team were not searched', () => {
    const scanned = { sessions: 500, entries: 1, cut: 0, damaged: [], unreadable: [], elsewhere: 0 };
    const answer = { sessions: [], moreSessions: 0, leftOut: 0, problems: [], scanned };
    assert.equal(answerText(answer), 'No entry found. Searched: 500 sessions, 1 entry.');
    assert.equal(
      answerText({ ...answer, scanned: { ...scanned, omitsOlderShared: true } }),
      'No entry found. Searched: 500 sessions, 1 entry. Only the team’s newest sessions are searched.',
    );
  });
});

describe('rows of the Sessions view', () => {
  it('show known facts, and mark unknown ones', () => {
    assert.equal(rowDescription(row('a'), now), '$0.50 · 3 turns · 1 min');
    const unknown = row('a', { total_cost: { provenance: 'unknown', reason: 'x' }, turns: null, duration: null });
    assert.equal(rowDescription(unknown, now), 'cost unknown');
    const failed = row('a', { outcome: 'failed', turns: 1, duration: 40_000, recording: true });
    assert.equal(rowDescription(failed, now), 'Recording · Failed · $0.50 · 1 turn · 40 s');
  });

  it('show one cost for a session with its children', () => {
    const family = { count: 2, cost: { usd: 1.25, estimatedUsd: 0.25, unknown: 1 } };
    const lead = row('a', { agent_name: 'lead' });
    assert.equal(rowDescription(lead, now, family), 'lead · ≈ $1.25 + unknown with 2 child sessions · 3 turns · 1 min');
    assert.match(rowTooltip(lead, now, family).value, /Cost with 2 child sessions\\?: ≈ \\?\$1\\?\.25 \\?\+ unknown/);
    assert.match(rowTooltip(lead, now, family).value, /This session\\?: \\?\$0\\?\.50\\?, reported by the agent/);
  });

  it('start with pending requests', () => {
    const needs_you = { count: 1, since: at(21, 14), title: 'Run git push' };
    const waiting = row('a', { status: 'running', needs_you, duration: null });
    assert.match(rowDescription(waiting, now), /^Run git push · waiting 1 h · \$0\.50 · 3 turns/);
    assert.match(
      rowLabel(waiting, now),
      /^Prompt of a, Needs you, Claude Code says: “Run git push”, waiting 1 h, Claude Code/,
    );
    assert.match(rowDescription(waiting, Date.parse(at(21, 14)) + 42_900), / · waiting 42 s · /);
    assert.equal(stateIcon(stateOf(waiting)).id, 'shield');
    assert.equal(stateOf({ ...waiting, status: 'finished' }), 'finished');
  });

  it('and notifications make invisible characters visible, and render no links or icons', () => {
    const text = inertText('\u202e[x](command:workbench.action.quit) $(trash)');
    assert.equal(text, '⟨U+202E⟩[x] (command:workbench.action.quit) $ (trash)');
  });

  it('show no amount if none is known', () => {
    const any = { usd: 0, isEstimated: false, hasUnknownCosts: false, isLowerBound: false, hasSessions: true };
    assert.equal(todayText({ ...any, hasUnknownCosts: true }), 'cost unknown today');
    assert.equal(todayText({ ...any, usd: 0.4, hasUnknownCosts: true }), '$0.40 + unknown costs today');
    assert.equal(todayText({ ...any, usd: 0.4, isEstimated: true }), '≈ $0.40 today');
    assert.equal(todayText({ ...any, usd: 0.4, isLowerBound: true }), 'at least $0.40 today');
  });

  it('mark estimates', () => {
    const priceTable = { name: 'list', date: '2026-11-01' };
    assert.equal(costText({ provenance: 'estimated', usd: 0.09, priceTable }), '≈ $0.09');
  });

  it('show what the team sees of a session', () => {
    const shared = row('a', { share: 'records' });
    assert.equal(rowDescription(shared, now), 'Shared · $0.50 · 3 turns · 1 min');
    assert.match(rowTooltip(shared, now).value, /The team sees\\?: Metadata and transcripts\\?, with secrets masked/);
    assert.equal(rowLabel(shared, now), 'Prompt of a, Finished, Claude Code, Shared, $0.50, 3 turns, 1 min');
    const listed = row('a', { share: 'metadata' });
    assert.match(rowDescription(listed, now), /^Metadata shared · /);
    assert.match(rowTooltip(listed, now).value, /The team sees\\?: Metadata such as title/);
    const unshared = rowTooltip(row('a', { share: 'nothing' }), now).value;
    assert.doesNotMatch(unshared, /The team sees/);
  });

  it('are read out as one sentence', () => {
    assert.equal(rowLabel(row('a'), now), 'Prompt of a, Finished, Claude Code, $0.50, 3 turns, 1 min');
  });

  it('have hovers without trust: session text stays text', () => {
    const title = '[x](command:workbench.action.quit) <img src=x> **b** $(trash)';
    const tooltip = rowTooltip(row('a', { title, reason: '[y](https://example.org)' }), now);
    assert.equal(tooltip.isTrusted, false);
    assert.equal(tooltip.supportHtml, false);
    assert.notEqual(tooltip.supportThemeIcons, true);
    assert.doesNotMatch(tooltip.value, /(?<!\\)\]\(/);
  });
});

describe("a panel's document", () => {
  const webview = {
    cspSource: 'https://self.example',
    asWebviewUri: (uri: vscode.Uri) => vscode.Uri.parse(`https://self.example${uri.path}`),
  };
  const html = (): string => panelHtml(webview, vscode.Uri.file('/extension'));

  it('allows only its own files and one script, with a unique nonce', () => {
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html())?.[1] ?? '';
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe|\*|https:(?!\/\/self)/);
    const nonce = (text: string): string => /'nonce-([0-9a-f]+)'/.exec(text)?.[1] ?? '';
    assert.equal(nonce(html()).length, 32);
    assert.notEqual(nonce(html()), nonce(html()));
  });

  it('preloads the chunks of its script, with the same nonce', async () => {
    const extension = vscode.extensions.getExtension('vitrine.vitrine')?.extensionUri;
    assert.ok(extension !== undefined);
    const chunks = await pageChunks(extension, 'main');
    assert.ok(chunks.length > 0);
    const text = panelHtml(webview, extension, 'main', chunks);
    const links = [
      ...text.matchAll(/<link rel="modulepreload" nonce="([0-9a-f]+)" href="[^"]+\/dist\/webview\/([^"/]+)">/g),
    ];
    assert.deepEqual(
      links.map(([, , name]) => name),
      chunks,
    );
    assert.ok(links.every(([, nonce]) => text.includes(`'nonce-${nonce}'`)));
    assert.deepEqual(await pageChunks(vscode.Uri.file('/nowhere'), 'main'), []);
  });

  it('contains no inline script, style or data', () => {
    assert.doesNotMatch(html(), /<style|style=|\son\w+=/);
    for (const [, script] of html().matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) assert.equal(script, '');
  });
});
