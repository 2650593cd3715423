import { stringify } from 'yaml';

/** The text of a new blueprint as YAML, fields in this order; an empty one is left out. Paragraphs stay paragraphs. */
export function writeBlueprint(fields: Readonly<Record<string, string>>): string {
  const said = Object.entries(fields).filter(([, value]) => value !== '');
  // Without what is to be filled in the file would not say what an agent is.
  return stringify({ description: '', ...Object.fromEntries(said) }, { lineWidth: 0 });
}
