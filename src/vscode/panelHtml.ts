import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** What a page may load from, and nothing else. */
export function pageRoots(extension: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, 'dist', 'webview'), vscode.Uri.joinPath(extension, 'media')];
}

/** The page's document. Everything in it comes by messages; there is no inline script, style or data. */
export function panelHtml(webview: Pick<vscode.Webview, 'asWebviewUri' | 'cspSource'>, extension: vscode.Uri): string {
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
<link rel="stylesheet" href="${file('main.css')}">
<title>Vitrine</title>
</head>
<body>
<div id="app"></div>
<script type="module" nonce="${nonce}" src="${file('main.js')}"></script>
</body>
</html>`;
}
