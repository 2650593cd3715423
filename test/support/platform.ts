/** Variables that every program needs on Windows, including Wine. */
const names = ['SystemRoot', 'TEMP', 'TMP', 'PATHEXT', 'ComSpec', 'NODE_SKIP_PLATFORM_CHECK'];

export const isWindows = process.platform === 'win32';

/** For environments of child processes that inherit nothing; empty on other systems. */
export const platformVariables: Readonly<Record<string, string>> = isWindows
  ? Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  : {};

/** Mode of a file that only its owner can read. */
export const privateMode = isWindows ? 0o666 : 0o600;
