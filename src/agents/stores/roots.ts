import type { ObservedAgent } from '../../model/session/observed.ts';
import { folderFrom, joinPath } from './placeFiles.ts';
import type { StorePlace, StoreRoot } from './storeFormat.ts';
import { vscodeUserFolders } from './vscodeFolders.ts';

/** Variables that move the stores of agents, and those that name an operating system's data folders. */
export const storeVariables: readonly string[] = [
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'GEMINI_CLI_HOME',
  'QWEN_HOME',
  'QWEN_RUNTIME_DIR',
  'OPENCODE_DB',
  'CURSOR_CONFIG_DIR',
  'PI_CODING_AGENT_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'APPDATA',
];

type Roots = (place: StorePlace) => readonly StoreRoot[];

/**
 * The folders in which each agent keeps its sessions, whether they exist or not. Apart from the formats, which a window loads
 * only if one of these exists.
 */
export const storeRoots: Readonly<Record<ObservedAgent, Roots>> = {
  'claude-code': (place) => {
    const config = folderFrom(place, 'CLAUDE_CONFIG_DIR', joinPath(place, place.home, '.claude'));
    return [{ path: joinPath(place, config, 'projects'), depth: 5 }];
  },
  codex: (place) => {
    const home = folderFrom(place, 'CODEX_HOME', joinPath(place, place.home, '.codex'));
    return [
      { path: joinPath(place, home, 'sessions'), depth: 4 },
      { path: joinPath(place, home, 'archived_sessions'), depth: 1 },
      { path: home, depth: 1 },
    ];
  },
  copilot: (place) => {
    const home = folderFrom(place, 'COPILOT_HOME', joinPath(place, place.home, '.copilot'));
    return [{ path: joinPath(place, home, 'session-state'), depth: 2 }];
  },
  gemini: (place) => {
    const home = folderFrom(place, 'GEMINI_CLI_HOME', place.home);
    return [{ path: joinPath(place, home, '.gemini', 'tmp'), depth: 4 }];
  },
  qwen: (place) => {
    const home = folderFrom(place, 'QWEN_HOME', joinPath(place, place.home, '.qwen'));
    const folders = new Set([folderFrom(place, 'QWEN_RUNTIME_DIR', home), home]);
    return [...folders].flatMap((folder) => [
      { path: joinPath(place, folder, 'projects'), depth: 4 },
      { path: joinPath(place, folder, 'tmp'), depth: 4 },
    ]);
  },
  opencode: (place) => {
    const data = folderFrom(place, 'XDG_DATA_HOME', joinPath(place, place.home, '.local', 'share'));
    const database = place.env['OPENCODE_DB'];
    const folder = database === undefined ? '' : database.replace(/[/\\][^/\\]*$/, '');
    const other = database === undefined || folder === database ? [] : [{ path: folder, depth: 1 }];
    return [
      { path: joinPath(place, data, 'opencode'), depth: 1 },
      { path: joinPath(place, data, 'opencode', 'storage'), depth: 5 },
      ...other,
    ];
  },
  cursor: (place) => {
    const home = joinPath(place, place.home, '.cursor');
    const xdg = place.env['XDG_CONFIG_HOME'];
    const config = folderFrom(place, 'CURSOR_CONFIG_DIR', xdg === undefined ? home : joinPath(place, xdg, 'cursor'));
    const chats = [...new Set([home, config])].map((folder) => ({ path: joinPath(place, folder, 'chats'), depth: 3 }));
    return [{ path: joinPath(place, home, 'projects'), depth: 5 }, ...chats];
  },
  'vscode-chat': (place) =>
    vscodeUserFolders(place).flatMap((user) => [
      { path: joinPath(place, user, 'workspaceStorage'), depth: 3 },
      { path: joinPath(place, user, 'globalStorage', 'emptyWindowChatSessions'), depth: 1 },
      { path: joinPath(place, user, 'globalStorage', 'transferredChatSessions'), depth: 1 },
    ]),
  // Its command line program has the same folders in `~/.cline/data`.
  cline: (place) => [
    ...taskRoots(place, 'saoudrizwan.claude-dev'),
    { path: joinPath(place, place.home, '.cline', 'data'), depth: 3 },
  ],
  'roo-code': (place) => taskRoots(place, 'rooveterinaryinc.roo-cline'),
  'kilo-code': (place) => taskRoots(place, 'kilocode.kilo-code'),
  pi: (place) => {
    const folder = folderFrom(place, 'PI_CODING_AGENT_DIR', joinPath(place, place.home, '.pi', 'agent'));
    return [{ path: joinPath(place, folder, 'sessions'), depth: 2 }];
  },
};

function taskRoots(place: StorePlace, extension: string): readonly StoreRoot[] {
  return vscodeUserFolders(place).map((user) => ({
    path: joinPath(place, user, 'globalStorage', extension),
    depth: 3,
  }));
}
