import type { CiteCards, CitingDeps } from './cite/citing.ts';
import { LazyModule } from './lazyModules.ts';
import type { Finder, FinderDeps } from './parts/find/finder.ts';

/** Find in session, loaded when the page is idle or at its first use. */
export function lazyFinder(deps: FinderDeps): LazyModule<Finder> {
  return new LazyModule(
    () => import('./parts/find/finder.ts').then((code) => new code.Finder(deps)),
    () => deps.changed(),
  );
}

/** Source cards, which open over something drawn. */
export function lazyCiting(deps: CitingDeps): LazyModule<CiteCards> {
  return new LazyModule(
    () => import('./cite/citing.ts').then((code) => new code.CiteCards(deps)),
    () => deps.changed(),
  );
}
