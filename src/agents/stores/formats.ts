import { claudeCodeStore } from '../claude-code/store.ts';
import { clineStore, kiloCodeStore, rooCodeStore } from '../cline/store.ts';
import { codexStore } from '../codex/store.ts';
import { copilotStore } from '../copilot/store.ts';
import { cursorStore } from '../cursor/store.ts';
import { geminiStore } from '../gemini/store.ts';
import { openCodeStore } from '../opencode/store.ts';
import { piStore } from '../pi/store.ts';
import { qwenStore } from '../qwen/store.ts';
import { vscodeChatStore } from '../vscode-chat/store.ts';
import type { StoreFormat } from './storeFormat.ts';

/** Every kind of store that Vitrine reads. */
export const storeFormats: readonly StoreFormat[] = [
  claudeCodeStore,
  codexStore,
  copilotStore,
  geminiStore,
  qwenStore,
  openCodeStore,
  cursorStore,
  vscodeChatStore,
  clineStore,
  rooCodeStore,
  kiloCodeStore,
  piStore,
];
