import type { SessionLinks } from '../../insight/citations/sessionLinks.ts';
import type { Source } from '../../insight/citations/sources/sources.ts';
import type { PageSource, SourcesPage } from '../../protocol/panel/evidence.ts';
import { pageSource } from './evidenceView.ts';

/** A page of the list of sources, by number. */
export function sourcesPage(
  links: SessionLinks,
  { from, count, query }: { readonly from: number; readonly count: number; readonly query: string },
  isComplete: boolean,
): SourcesPage {
  const all = links.sources();
  const toPage = (source: Source): PageSource => {
    // The link to this source in the first message that cites it.
    const first = links.linksOf(source.entries[0] ?? -1).find((link) => link.number === source.number);
    return pageSource(source, first?.at ?? 0);
  };
  const sums = { given: 0, found: 0, not_found: 0 };
  for (const { link } of all) sums[link.status] += 1;
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = (source: Source): boolean => {
    const { name, path, url } = pageSource(source, 0);
    const text = `${name} ${path ?? ''} ${url ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const matching = words.length === 0 ? all : all.filter(fits);
  return {
    total: matching.length,
    from,
    sources: matching.slice(from, from + count).map(toPage),
    sums,
    complete: isComplete,
  };
}
