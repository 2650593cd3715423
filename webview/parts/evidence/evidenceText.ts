import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { EvidenceCard } from '../../../src/protocol/panel/evidence.ts';
import { t } from '../../l10n.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { settledLines, withoutTerminalCodes } from '../../text/visible.ts';

/** Lines on a card; the step has the rest. */
const maxLines = 12;
/** Lines before the first claimed one. */
const before = 2;

interface Line {
  readonly text: string;
  readonly number: number | undefined;
  readonly isClaimed: boolean;
}

/** The command, and the step's text at that time. */
export function evidenceText(known: EvidenceCard): TemplateResult | typeof nothing {
  const { source, text } = known;
  const command = source?.path === null ? (source.command ?? '') : '';
  if (text === null && command === '') return nothing;
  const lines = text === null ? [] : linesOf(text.text, text.lines, known.lines);
  const from = firstShownLine(lines, text?.lines === null);
  const part = lines.slice(from, from + maxLines);
  const omitted = lines.length - part.length;
  return html`<pre tabindex="0" aria-label=${t('Step content')}>
${
      command === ''
        ? nothing
        : html`<div class="ln cmd">
            <span class="l" aria-hidden="true">$</span><span class="c">${visibleTemplate(command.slice(0, 1000))}</span>
          </div>`
    }${part.map(
      ({ text: line, number, isClaimed }) =>
        html`<div class="ln ${isClaimed ? 'hit' : ''}">
          <span class="l">${number ?? nothing}</span><span class="c">${visibleTemplate(line.slice(0, 500))}</span>
        </div>`,
    )}${
      omitted > 0 || text?.cut === true
        ? html`<div class="ln more"><span class="l"></span><span class="c">${t('More in this step')}</span></div>`
        : nothing
    }</pre>`;
}

function linesOf(
  text: string,
  range: readonly [number, number] | null,
  claimed: readonly [number, number] | null,
): Line[] {
  const plainText = range === null ? settledLines(withoutTerminalCodes(text)) : text.replaceAll('\r\n', '\n');
  return plainText.split('\n').map((line, at): Line => {
    const number = range === null ? undefined : range[0] + at;
    const isClaimed = number !== undefined && claimed !== null && number >= claimed[0] && number <= claimed[1];
    return { text: line, number, isClaimed: isClaimed };
  });
}

/** For a file, the lines around the claim; for an output, its end, which has the result. */
function firstShownLine(lines: readonly Line[], isOutput: boolean): number {
  if (isOutput) return Math.max(0, lines.length - maxLines);
  const claimed = lines.findIndex((line) => line.isClaimed);
  return claimed === -1 ? 0 : Math.max(0, claimed - before);
}
