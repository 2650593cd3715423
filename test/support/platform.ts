/** Variables without which no program of ours starts on Windows, also on the one that Wine stands for. */
const names = ['SystemRoot', 'TEMP', 'TMP', 'PATHEXT', 'ComSpec', 'NODE_SKIP_PLATFORM_CHECK'];

export const isWindows = process.platform === 'win32';

/** For the environment of a child that is given one of its own; nothing where no such variables are needed. */
export const platformVariables: Readonly<Record<string, string>> = isWindows
  ? Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  : {};

/** Of a file that only its owner may read. */
export const privateMode = isWindows ? 0o666 : 0o600;
