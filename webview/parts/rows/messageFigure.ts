import type { MessageFigure, MissingFigure } from '../../../src/model/usage/messageFigure.ts';
import { tokenKinds } from '../../../src/protocol/panel/pageModel.ts';
import { costText, kindText, tokensOf } from '../../figures/costText.ts';
import { t } from '../../l10n.ts';
import { compact, formatNumber } from '../../text/format.ts';
import { provenanceText } from '../../text/provenance.ts';
import { plain } from '../../text/visible.ts';

/** `12.3k tokens · ≈ $0.0041`; empty if unknown. */
export function figureText(figure: MessageFigure | MissingFigure): string {
  if (typeof figure === 'string') return '';
  const { usage, cost, settled } = figure;
  const tokens = t('{0} tokens', compact(tokensOf(usage)));
  const amount = cost.provenance === 'unknown' ? t('cost unknown') : costText(cost);
  return [settled ? tokens : t('at least {0}', tokens), amount].join(' · ');
}

/** The same with all details, one per line. */
export function figureDetails(figure: MessageFigure | MissingFigure): string[] {
  if (typeof figure === 'string') return [missingText(figure)];
  const { model, usage, cost, settled } = figure;
  const counted = tokenKinds.flatMap((kind) => {
    const count = usage[kind];
    return count === undefined ? [] : [`${kindText(kind)}: ${formatNumber(count)}`];
  });
  return [
    ...(model === null ? [] : [t('Model: {0}', plain(model))]),
    ...counted,
    provenanceText(t('Cost'), cost),
    ...(settled ? [] : [t('At least: the response was interrupted or is still running.')]),
  ];
}

/** For screen readers: nothing if there is no figure, because it would be repeated for each message. */
export function figureDescription(figure: MessageFigure | MissingFigure): string {
  return typeof figure === 'string' ? '' : figureDetails(figure).join('. ');
}

export function missingText(missing: MissingFigure): string {
  switch (missing) {
    case 'counted_before':
      return t('Tokens and cost: included in an earlier part of this response');
    case 'not_this':
      return t('Tokens and cost: not reported for this message');
    case 'not_yet':
      return t('Tokens and cost: not reported yet');
    case 'not_per_message':
      return t('Tokens and cost: not reported per message');
  }
}
