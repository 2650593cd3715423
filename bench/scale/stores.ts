import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { uuidOf } from '../../test/support/stores/claudeStore.ts';

/**
 * Generated sessions of Claude Code with tool calls, and with the bookkeeping that it writes beside them. Their texts are passages of
 * this project's documents and source files.
 */
export interface GeneratedStores {
  readonly bytes: number;
  /** Sample words, from the most frequent one to one that occurs once. */
  readonly words: readonly string[];
}

const projects = 20;
const turnsPerSession = 20;
const promptCharacters = 350;
const answerCharacters = 1500;
const resultCharacters = 3500;
/** Copies of requests, system prompts and file states, in bytes per session. */
const bookkeepingBytes = 150_000;
const bookkeepingLines = 30;
const firstDay = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;

/** Writes `sessions` files below a home folder, or uses those that are there. */
export function writeStores(home: string, sessions: number): GeneratedStores {
  const root = path.join(home, '.claude/projects');
  const random = new Random();
  let bytes = 0;
  const present = new Set(foldersOf(root).flatMap((folder) => readdirSync(path.join(root, folder))));
  for (let session = 0; session < sessions; session += 1) {
    const folder = path.join(root, `-home-dev-project-${session % projects}`);
    const file = path.join(folder, `${uuidOf(session)}.jsonl`);
    if (!present.has(path.basename(file))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, sessionText(session, random));
      const at = new Date(firstDay + (session / sessions) * 300 * dayMs);
      utimesSync(file, at, at);
    }
    bytes += statSync(file).size;
  }
  return { bytes, words: [...wordsByFrequency(40), rareWord(sessions - 1)] };
}

interface Corpus {
  readonly prose: string;
  readonly code: string;
}

let corpus: Corpus | undefined;

function projectTexts(): Corpus {
  const read = (folder: string, ending: string): string =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('\n');
  return (corpus ??= { prose: read('docs', '.md'), code: read('src', '.ts') + read('webview', '.ts') });
}

/** From the most frequent word of the texts to one of the rarest. */
function wordsByFrequency(count: number): string[] {
  const { prose, code } = projectTexts();
  const counts = new Map<string, number>();
  for (const [word] of `${prose} ${code}`.toLowerCase().matchAll(/[a-z]{3,}/g))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  return Array.from({ length: count }, (_, n) => words[Math.floor(words.length ** (n / count)) - 1] ?? '');
}

function foldersOf(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

/** Reproducible. */
class Random {
  #seed = 1;

  next(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }

  prose(characters: number): string {
    return this.#passage(projectTexts().prose, characters);
  }

  code(characters: number): string {
    return this.#passage(projectTexts().code, characters);
  }

  /** Begins at any line. */
  #passage(text: string, characters: number): string {
    const from = text.indexOf('\n', Math.floor(this.next() * (text.length - 2 * characters))) + 1;
    return text.slice(from, from + characters);
  }
}

function rareWord(session: number): string {
  return `unique${session}word`;
}

function sessionText(session: number, random: Random): string {
  const id = uuidOf(session);
  const lines: string[] = [];
  let uuid = 0;
  const cwd = `/home/dev/project-${session % projects}`;
  const write = (second: number, record: object): void => {
    uuid += 1;
    const timestamp = new Date(firstDay + session * 2_000_000 + second * 1000).toISOString();
    const common = {
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId: id,
      version: '2.1.330',
      gitBranch: 'main',
    };
    lines.push(
      JSON.stringify({
        parentUuid: uuid === 1 ? null : `${id}-${uuid - 1}`,
        ...common,
        ...record,
        uuid: `${id}-${uuid}`,
        timestamp,
        entrypoint: 'cli',
      }),
    );
  };
  const perLine = bookkeepingBytes / bookkeepingLines;
  for (let n = 0; n < turnsPerSession; n += 1) {
    const content = n === 0 ? `${rareWord(session)} ${random.prose(promptCharacters)}` : random.prose(promptCharacters);
    write(n * 60, { type: 'user', message: { role: 'user', content } });
    lines.push(
      JSON.stringify({
        type: 'file-history-snapshot',
        messageId: `${id}-${uuid}`,
        snapshot: { files: random.code(perLine) },
      }),
    );
    for (const [step, tool] of ['Read', 'Bash'].entries()) {
      const call = `toolu_${session}_${n}_${step}`;
      const file = `${cwd}/src/file${Math.floor(random.next() * 500)}.ts`;
      const input =
        tool === 'Read' ? { file_path: file } : { command: `npm test -- ${file}`, description: 'Run tests' };
      assistant(
        write,
        n * 60 + step * 10 + 5,
        `msg_${session}_${n}_${step}`,
        [
          { type: 'text', text: random.prose(answerCharacters / 5) },
          { type: 'tool_use', id: call, name: tool, input },
        ],
        'tool_use',
      );
      const output = random.code(resultCharacters);
      write(n * 60 + step * 10 + 9, {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: output }] },
        toolUseResult:
          tool === 'Read'
            ? { type: 'text', file: { filePath: file, content: output, numLines: 90, startLine: 1, totalLines: 90 } }
            : { stdout: output, stderr: '', interrupted: false, isImage: false },
      });
    }
    assistant(
      write,
      n * 60 + 40,
      `msg_${session}_${n}`,
      [{ type: 'text', text: random.prose(answerCharacters) }],
      'end_turn',
    );
    if (n % 2 === 0) {
      lines.push(
        `{"parentUuid":null,"isSidechain":false,"attachment":{"type":"prompt_snapshot","text":${JSON.stringify(random.code(perLine))}},"type":"attachment"}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function assistant(
  write: (second: number, record: object) => void,
  second: number,
  id: string,
  content: readonly object[],
  stop: string,
): void {
  const usage = {
    input_tokens: 12,
    cache_creation_input_tokens: 820,
    cache_read_input_tokens: 24_000,
    output_tokens: 310,
    service_tier: 'standard',
  };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason: stop,
    usage,
  };
  write(second, { type: 'assistant', message, requestId: `req_${id}` });
}
