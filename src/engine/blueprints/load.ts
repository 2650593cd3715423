import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseBlueprint } from '../../formats/blueprint/parse.ts';
import type { BlueprintProblem } from '../../formats/blueprint/problem.ts';
import { agentNamePattern, type Agent } from '../../model/agent/agent.ts';

/** A folder with agent files, such as `.vitrine/agents`. */
export interface BlueprintFolder {
  /** Absolute path; need not exist. */
  readonly folder: string;
  readonly level: 'workspace' | 'user';
}

/** One agent file, valid or not. */
export interface Blueprint {
  readonly name: string;
  /** Absolute path of the file with the metadata. */
  readonly file: string;
  readonly level: BlueprintFolder['level'];
  /** `null` if an error prevents starting it. */
  readonly agent: Agent | null;
  /** Problems in file order. */
  readonly problems: readonly BlueprintProblem[];
}

export const blueprintsFolder = '.vitrine/agents';

const endings = ['.json', '.yaml', '.yml'];
/** Maximum number of agent files in one folder. */
const maxBlueprints = 500;
const maxFileBytes = 512 << 10;

/**
 * A workspace's agent replaces the user's agent of the same name. Several workspace folders may define the same name.
 * If a folder is listed twice, its first entry counts. Sorted by name within a folder.
 */
export async function loadBlueprints(folders: readonly BlueprintFolder[]): Promise<readonly Blueprint[]> {
  const found = await Promise.all((await removeDuplicateFolders(folders)).map(loadFolder));
  const ofWorkspace = firstByName(found.flat().filter(({ level }) => level === 'workspace'));
  return found.flatMap((inFolder) => {
    const byName = firstByName(inFolder);
    return inFolder.map((blueprint) => {
      const { name, level } = blueprint;
      const workspaceBlueprint = level === 'user' ? ofWorkspace.get(name) : undefined;
      if (workspaceBlueprint !== undefined) {
        const message = `The workspace has its own agent "${name}", which is used instead: ${workspaceBlueprint.file}`;
        return disableBlueprint(blueprint, 'warning', message);
      }
      const other = byName.get(name);
      if (other === undefined || other === blueprint) return blueprint;
      const message = `There is another agent "${name}": ${other.file}. Rename one of them.`;
      return disableBlueprint(blueprint, 'error', message);
    });
  });
}

/** Compares real folders, not paths: the home folder may be the workspace. */
async function removeDuplicateFolders(folders: readonly BlueprintFolder[]): Promise<readonly BlueprintFolder[]> {
  const places = await Promise.all(folders.map(({ folder }) => realpath(folder).catch(() => path.resolve(folder))));
  return folders.filter((_, at) => places.indexOf(places[at] ?? '') === at);
}

function firstByName(blueprints: readonly Blueprint[]): ReadonlyMap<string, Blueprint> {
  return new Map(blueprints.toReversed().map((blueprint) => [blueprint.name, blueprint]));
}

function disableBlueprint(blueprint: Blueprint, severity: BlueprintProblem['severity'], message: string): Blueprint {
  return { ...blueprint, agent: null, problems: [...blueprint.problems, atStart(severity, message)] };
}

async function loadFolder({ folder, level }: BlueprintFolder): Promise<readonly Blueprint[]> {
  const entries = await readdir(folder).catch((): string[] => []);
  const files = await Promise.all(
    entries
      .sort()
      .slice(0, maxBlueprints)
      .map((entry) => fileOf(folder, entry)),
  );
  const loaded = files.filter((file) => file !== undefined).map((file) => loadFile(file, level));
  return (await Promise.all(loaded)).sort((a, b) => a.name.localeCompare(b.name) || a.file.localeCompare(b.file));
}

interface BlueprintFile {
  readonly name: string;
  readonly file: string;
  /** File with the system prompt, for an agent in a folder of its own; need not exist. */
  readonly promptFile?: string;
}

async function fileOf(folder: string, entry: string): Promise<BlueprintFile | undefined> {
  const place = path.join(folder, entry);
  const ending = endings.find((candidate) => entry.endsWith(candidate));
  if (ending !== undefined) return { name: entry.slice(0, -ending.length), file: place };
  const inside = await readdir(place).catch((): string[] => []);
  const file = endings.map((suffix) => `agent${suffix}`).find((name) => inside.includes(name));
  if (file === undefined) return undefined;
  const prompt = inside.includes('prompt.md') ? { promptFile: path.join(place, 'prompt.md') } : {};
  return { name: entry, file: path.join(place, file), ...prompt };
}

async function loadFile(
  { name: fileName, file, promptFile }: BlueprintFile,
  level: Blueprint['level'],
): Promise<Blueprint> {
  const read = await readText(file);
  if (typeof read !== 'string') return makeInvalidBlueprint(fileName, file, level, read.problem);
  const { value, problems } = parseBlueprint(read, { json: file.endsWith('.json') });
  if (value === null) return { name: fileName, file, level, agent: null, problems };
  const { name = fileName, created_at, modified_at, ...fields } = value;
  delete fields.$schema;
  const fileProblems: BlueprintProblem[] = [];
  if (!agentNamePattern.test(name)) {
    fileProblems.push(
      atStart('error', `"${name}" cannot be the name of an agent. Rename the file, or add a "name" to it.`),
    );
  }
  const prompt = promptFile === undefined ? undefined : await readText(promptFile);
  if (typeof prompt === 'object') fileProblems.push(atStart('error', prompt.problem));
  if (prompt !== undefined && fields.system_prompt !== undefined) {
    fileProblems.push(atStart('error', 'Both this file and prompt.md have a system prompt. Keep one of them.'));
  }
  const all = [...problems, ...fileProblems];
  if (fileProblems.length > 0) return { name, file, level, agent: null, problems: all };
  const { birthtime, mtime } = await stat(file);
  const written = promptFile === undefined ? [mtime] : [mtime, (await stat(promptFile)).mtime];
  const agent: Agent = {
    ...fields,
    ...(typeof prompt === 'string' && { system_prompt: prompt }),
    name,
    file,
    created_at: created_at ?? birthtime.toISOString(),
    modified_at: modified_at ?? new Date(Math.max(...written.map(Number))).toISOString(),
  };
  return { name, file, level, agent, problems: all };
}

async function readText(file: string): Promise<string | { readonly problem: string }> {
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes) return { problem: `${path.basename(file)} is larger than ${maxFileBytes >> 10} KB.` };
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    return {
      problem: `${path.basename(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function makeInvalidBlueprint(name: string, file: string, level: Blueprint['level'], problem: string): Blueprint {
  return { name, file, level, agent: null, problems: [atStart('error', problem)] };
}

const start = { line: 0, character: 0 };
const atStart = (severity: BlueprintProblem['severity'], message: string): BlueprintProblem => ({
  severity,
  message,
  from: start,
  to: start,
});
