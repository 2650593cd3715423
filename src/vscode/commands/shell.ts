import type * as vscode from 'vscode';
import type { Doctor } from '../doctor.ts';
import type { EngineHost } from '../engineHost.ts';
import type { Failures } from '../failures.ts';
import type { SessionPanels } from '../panels.ts';
import type { RunControl } from '../runControl.ts';
import type { SessionList } from '../sessionList.ts';
import type { SessionLoader } from '../sessionLoader.ts';
import type { SessionTree } from '../sessionTree.ts';

/** What commands work with. */
export interface Shell {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly loader: SessionLoader;
  readonly panels: SessionPanels;
  readonly tree: SessionTree;
  readonly runs: RunControl;
  readonly doctor: Doctor;
  readonly failures: Failures;
  /** Remembered for this workspace. */
  readonly memory: vscode.Memento;
}

/** Commands by name, without the `vitrine.` in front. */
export type Commands = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
