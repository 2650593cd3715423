import type { SessionLinks } from '../../insight/citations/sessionLinks.ts';
import type { PageSource, SourcesPage } from '../../protocol/evidence.ts';
import { pageSource } from '../evidenceView.ts';

/** A page of the list of sources, in the order of their numbers. */
export function sourcesPage(
  links: SessionLinks,
  { from, count, query }: { readonly from: number; readonly count: number; readonly query: string },
  complete: boolean,
): SourcesPage {
  const sources = links.sources().map((source): PageSource => {
    // Which link of the first message that cites it does.
    const first = links.of(source.entries[0] ?? -1).find((each) => each.number === source.number);
    return pageSource(source, first?.at ?? 0);
  });
  const sums = { given: 0, found: 0, not_found: 0 };
  for (const { status } of sources) sums[status] += 1;
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const wanted = sources.filter(({ name, path, url }) => {
    const text = `${name} ${path ?? ''} ${url ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { total: wanted.length, from, sources: wanted.slice(from, from + count), sums, complete };
}
