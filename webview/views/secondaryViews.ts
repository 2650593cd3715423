/** The chunk of the other views, which nothing on the first screen needs. */
import { FilesView } from './files/filesView.ts';
import { SourcesView } from './sourcesView.ts';
import { TrajectoryView } from './trajectory/trajectory.ts';
import type { PageView, ViewDeps } from './view.ts';

export interface SecondaryViews {
  readonly trajectory: TrajectoryView;
  readonly files: FilesView;
  /** In the order of their tabs. */
  readonly all: readonly PageView[];
}

export function buildViews(deps: ViewDeps): SecondaryViews {
  const trajectory = new TrajectoryView(deps);
  const files = new FilesView(deps);
  return { trajectory, files, all: [trajectory, files, new SourcesView(deps)] };
}
