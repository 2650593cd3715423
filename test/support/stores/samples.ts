import { cline, rooCode, vscodeChat } from './editorSamples.ts';
import type { Sample } from './sample.ts';
import { cursor, gemini, openCode, pi, qwen } from './terminalSamples.ts';

export const samples: Readonly<Record<string, Sample>> = {
  gemini,
  qwen,
  openCode,
  vscodeChat,
  cline,
  rooCode,
  pi,
  cursor,
};
