import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { build } from 'esbuild';
import { repository } from '../host/install/cache.mjs';
import { type Theme, themes } from './themes.ts';

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', ttf: 'font/ttf' };

const pages: Readonly<Record<string, string>> = { '/': 'main', '/usage': 'usage', '/report': 'report' };

/** Serves the built page instead of VS Code, with the same content security policy. */
export async function servePage(): Promise<{ url: (theme?: Theme) => string; stop: () => Promise<void> }> {
  const host = await fakeHostScript();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
    void answer(pathname, searchParams.get('theme'), host).then(({ type, body, policy }) => {
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': type,
        ...(policy !== undefined && { 'content-security-policy': policy }),
      });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: (theme = 'dark') => `http://127.0.0.1:${address.port}/?theme=${theme}`,
    stop: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function fakeHostScript(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: ['test/support/page/fakeHost.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  });
  const script = outputFiles[0]?.text;
  if (script === undefined) throw new Error('The fake host was not built.');
  return script;
}

interface Answer {
  readonly type: string;
  readonly body?: string | Buffer;
  readonly policy?: string;
}

async function answer(pathname: string, theme: string | null, host: string): Promise<Answer> {
  const name = pages[pathname];
  if (name !== undefined) return documentFor(isTheme(theme) ? theme : 'dark', name);
  if (pathname === '/fake-host.js') return { type: 'text/javascript', body: host };
  if (pathname.startsWith('/theme/')) {
    const fileName = pathname.slice('/theme/'.length);
    return { type: 'text/css', body: isTheme(fileName) ? themes[fileName].css : '' };
  }
  const part = path.basename(pathname);
  const file = path.join(repository, 'dist/webview', part);
  const type = types[path.extname(part).slice(1)] ?? 'application/octet-stream';
  try {
    return { type, body: await readFile(file) };
  } catch {
    return { type };
  }
}

function isTheme(name: string | null): name is Theme {
  return name !== null && Object.hasOwn(themes, name);
}

function documentFor(theme: Theme, name: string): Answer {
  const nonce = randomBytes(16).toString('hex');
  const policy = [
    "default-src 'none'",
    "img-src 'self' data:",
    "font-src 'self'",
    "style-src 'self'",
    `script-src 'nonce-${nonce}'`,
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  const body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Vitrine, made-up session</title>
<link rel="stylesheet" href="/theme/${theme}">
<link rel="stylesheet" href="/codicon.css">
<link rel="stylesheet" href="/${name}.css">
</head>
<body class="${themes[theme].body}">
<div id="app"></div>
<script nonce="${nonce}" src="/fake-host.js"></script>
<script type="module" nonce="${nonce}" src="/${name}.js"></script>
</body>
</html>`;
  return { type: 'text/html; charset=utf-8', body, policy };
}
