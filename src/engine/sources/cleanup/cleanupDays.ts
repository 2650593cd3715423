import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { claudeCodeStore } from '../../../agents/claude-code/store.ts';
import { field } from '../../../agents/shared/guards.ts';
import { parse } from '../../../agents/shared/normalizer/lineLog.ts';
import type { StorePlace } from '../../../agents/stores/storeFormat.ts';
import { isMissing } from '../files.ts';
import type { ObservedAgent } from '../../../model/session/observed.ts';

/** Default of Claude Code, according to its documentation. */
const claudeDefaultDays = 30;

/** Days without a change after which an agent deletes a session; absent if unknown. */
export type CleanupDays = Partial<Readonly<Record<ObservedAgent, number>>>;

/** According to the user's current settings of the agents. */
export async function cleanupDays(place: StorePlace): Promise<CleanupDays> {
  const days = await claudeCleanupDays(place);
  return days === undefined ? {} : { 'claude-code': days };
}

/** `cleanupPeriodDays`; the meaning of 0 differs between versions. */
async function claudeCleanupDays(place: StorePlace): Promise<number | undefined> {
  const [root] = claudeCodeStore.roots(place);
  if (root === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(path.join(path.dirname(root.path), 'settings.json'), 'utf8');
  } catch (error) {
    return isMissing(error) ? claudeDefaultDays : undefined;
  }
  const settings = parse(text);
  if (settings === undefined || settings === null) return undefined;
  const days = field(settings, 'cleanupPeriodDays') ?? claudeDefaultDays;
  return typeof days === 'number' && Number.isFinite(days) && days > 0 ? days : undefined;
}
