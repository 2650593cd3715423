import type { Cost } from '../../src/model/usage/usage.ts';
import { t } from '../l10n.ts';
import { usd } from './format.ts';
import { plain } from './visible.ts';

/** The source of the figure, as a sentence. */
export function provenanceText(of: string, cost: Cost): string {
  switch (cost.provenance) {
    case 'reported':
      return t('{0}: {1}, reported by the agent', of, usd(cost.usd));
    case 'estimated': {
      const { name, date } = cost.priceTable;
      const text = t('{0}: about {1}, estimated with price table {2} from {3}', of, usd(cost.usd), name, date);
      return cost.reason === undefined ? text : `${text}. ${plain(cost.reason)}`;
    }
    case 'unknown':
      return t('{0}: unknown, {1}', of, plain(cost.reason));
  }
}
