import { stringify } from 'yaml';

/** Text of a new agent file as YAML, with fields in this order and without empty ones. Keeps paragraphs. */
export function writeBlueprint(fields: Readonly<Record<string, string>>): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  // An empty description reminds the user to fill it in.
  return stringify({ description: '', ...Object.fromEntries(filled) }, { lineWidth: 0 });
}
