import { claudeCodeStore } from '../claude-code/store.ts';
import type { StoreFormat } from './contract.ts';

/** Every kind of store that Vitrine reads. */
export const storeFormats: readonly StoreFormat[] = [claudeCodeStore];
