// @ts-check
/** Why a command of this repository cannot run here: one sentence says what happened, the next what to do about it. */

export class StartProblem extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'StartProblem';
  }
}

/**
 * What to print about `error`: the stack of an error nobody foresaw is shown with VITRINE_DEBUG=1.
 * @param {unknown} error
 * @returns {string}
 */
export function startProblem(error) {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartProblem) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ERR_MODULE_NOT_FOUND') return `A package is missing: ${firstLine(error.message)}. Run npm ci first.`;
  if (code === 'ENOSPC') return `The disk is full (${firstLine(error.message)}). Free some space, then try again.`;
  if (process.env['VITRINE_DEBUG'] === '1') return error.stack ?? error.message;
  return `${firstLine(error.message)} (VITRINE_DEBUG=1 shows where.)`;
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n')[0] ?? '';
}

/**
 * @param {string} folder
 * @param {unknown} error
 */
export function cacheProblem(folder, error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'ENOSPC') return new StartProblem(`The disk of ${folder} is full. Free 1 GB, then try again.`);
  return new StartProblem(
    `Cannot write to the cache folder ${folder} (${code}). Make it writable, or name another one: VITRINE_HOST_CACHE=/path.`,
  );
}

const unreachable =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;
const certificate =
  /\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT\w*|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_\w+)\b/;
const missing = /\bE(404|401|403)\b|\bETARGET\b/;
const denied = /\b(EACCES|EROFS|EPERM|ENOTDIR)\b/;

/**
 * A command that failed: npm's usual failures get a sentence of their own, any other one its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} ending
 * @param {string} output
 * @returns {Error}
 */
export function commandProblem(command, args, ending, output) {
  if (ending.includes('ENOENT')) {
    return new StartProblem(`The program ${command} is not on your PATH. Install it, then try again.`);
  }
  if (command === 'npm') {
    const packages = args.filter((arg) => /^@?[\w./-]+@\d/.test(arg)).join(', ') || 'packages';
    const network = (unreachable.exec(output) ?? certificate.exec(output))?.[0];
    if (network !== undefined) {
      return new StartProblem(
        `Cannot reach the npm registry to install ${packages} (${network}). Check the network, and what "npm config get registry" and "npm config get proxy" say, then try again.`,
      );
    }
    const refused = missing.exec(output)?.[0];
    if (refused !== undefined) {
      return new StartProblem(
        `The npm registry does not provide ${packages} (${refused}). Check what "npm config get registry" says: it must serve public packages.`,
      );
    }
    if (/\bENOSPC\b/.test(output)) {
      return new StartProblem(`The disk is full, so that npm cannot install ${packages}. Free 1 GB, then try again.`);
    }
    const code = denied.exec(output)?.[0];
    if (code !== undefined) {
      return new StartProblem(
        `npm cannot write the files of ${packages} (${code}). Make npm's cache and the cache folder writable, or name another one: VITRINE_HOST_CACHE=/path.`,
      );
    }
  }
  return new Error(`${command} ${args.join(' ')} ${ending}:\n${output}`);
}
