/**
 * Short pieces whose repetition is slow for bad patterns: each makes a pattern start a match again and again. With
 * quadratic time, the test would not finish.
 */
import { randomText } from './secrets.ts';

/** Repeats a piece to about this many characters. */
export function repeatTo(piece: string, characters: number): string {
  return piece.repeat(Math.ceil(characters / piece.length));
}

export const mentionPieces = [
  '`',
  '[',
  '](',
  'all '.repeat(5),
  '`` ` ',
  'a/',
  'lines 3 ',
  'tests '.repeat(3),
  'the the new all ',
  '测试',
  'https://',
  '(((',
  'a.ts:1 ',
  '~~~\n',
  'no type ',
];

const keyBegins = `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}`;

export const secretPieces: Readonly<Record<string, string>> = {
  'one character': 'a',
  'a name that assigns nothing': 'secret_key=',
  'begins of keys': keyBegins,
  'begins of tokens': 'eyJeyJ.eyJ',
  'schemes of addresses': 'a://b:c',
  slashes: '://',
  spaces: 'authorization:   ',
  dashes: 'xoxb-1-',
  'high entropy': randomText(11, 'base64', 997),
  'keys on one line': `${keyBegins}.`,
  'names of variables': `api_key=${'a_'.repeat(99)}12! `,
  options: '--a',
  programs: 'curl -u a ',
};

export const terminalPieces = ['\u001b[', '\u001b]8;;', '\u001bP', '\u001b[31', '\u001b '];

/** Pieces of files that are not records. */
export const recordPieces = [
  '{"kind":"',
  '\0',
  '\n',
  'x\n',
  '{"kind":"entry","entry":{"index":9007199254740991}}\n',
  '[{"kind":"entry","entry":{"index":',
];
