import { claudeCodeStore } from '../claude-code/store.ts';
import { codexStore } from '../codex/store.ts';
import { copilotStore } from '../copilot/store.ts';
import { geminiStore } from '../gemini/store.ts';
import { openCodeStore } from '../opencode/store.ts';
import { qwenStore } from '../qwen/store.ts';
import type { StoreFormat } from './contract.ts';

/** Every kind of store that Vitrine reads. */
export const storeFormats: readonly StoreFormat[] = [
  claudeCodeStore,
  codexStore,
  copilotStore,
  geminiStore,
  qwenStore,
  openCodeStore,
];
