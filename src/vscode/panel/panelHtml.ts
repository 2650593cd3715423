import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';

/** Folders that a page may load from. */
export function pageRoots(extension: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, 'dist', 'webview'), vscode.Uri.joinPath(extension, 'media')];
}

/** Script chunks that a page needs at start, according to the build; empty if unknown. */
export async function pageChunks(extension: vscode.Uri, page: string): Promise<readonly string[]> {
  try {
    const file = vscode.Uri.joinPath(extension, 'dist', 'webview', 'preload.json');
    const all: unknown = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
    const chunks = isObject(all) ? all[page] : undefined;
    return Array.isArray(chunks) ? chunks.filter((chunk) => typeof chunk === 'string') : [];
  } catch {
    return [];
  }
}

/** HTML of the page; `chunks` are preloaded. All data comes by messages: no inline scripts, styles or data. */
export function panelHtml(
  webview: Pick<vscode.Webview, 'asWebviewUri' | 'cspSource'>,
  extension: vscode.Uri,
  page: 'main' | 'usage' | 'report' = 'main',
  chunks: readonly string[] = [],
): string {
  const nonce = randomBytes(16).toString('hex');
  const file = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'webview', name)).toString();
  const policy = [
    "default-src 'none'",
    `img-src ${webview.cspSource} data:`,
    `font-src ${webview.cspSource}`,
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('codicon.css')}">
<link rel="stylesheet" href="${file(`${page}.css`)}">
${chunks.map((chunk) => `<link rel="modulepreload" nonce="${nonce}" href="${file(chunk)}">\n`).join('')}<title>Vitrine</title>
</head>
<body>
<div id="app"></div>
<script type="module" nonce="${nonce}" src="${file(`${page}.js`)}"></script>
</body>
</html>`;
}
