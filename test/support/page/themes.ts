import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../host/install/cache.mjs';

/** Tokens of VS Code's own themes; VS Code itself sets them in their place. */
function tokens(...names: readonly string[]): string {
  const files = ['fonts', ...names].map((name) => path.join(repository, 'webview/styles/themes', `${name}.css`));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

export const themes = {
  dark: { css: tokens('dark'), body: 'vscode-dark' },
  light: { css: tokens('light'), body: 'vscode-light' },
  contrast: { css: tokens('contrast'), body: 'vscode-high-contrast' },
  contrastLight: { css: tokens('light', 'contrastLight'), body: 'vscode-high-contrast vscode-high-contrast-light' },
} as const;

export type Theme = keyof typeof themes;
