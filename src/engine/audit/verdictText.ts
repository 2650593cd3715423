import type { Verification } from '../record/verify.ts';
import type { Verified } from './verify.ts';

/** One line for people: *intact*, *altered at line n*, *truncated after line n*, *no chain*. */
export function verdictText({ verdict, breaks, lines, chainedFrom }: Verification): string {
  const [first] = breaks;
  if (verdict === 'truncated') return `truncated after line ${lines}`;
  if (verdict === 'unchained') return 'no chain: written by a version that kept none';
  if (verdict === 'intact' || first === undefined) {
    return chainedFrom === null || chainedFrom === 1
      ? 'intact'
      : `intact from line ${chainedFrom} on; before it there is no chain`;
  }
  const at = `altered at line ${first.line}`;
  if (first.kind === 'inserted') return `${at}: it was put in`;
  if (first.kind === 'moved') return `${at}: it was moved`;
  if (first.kind === 'missing_before') return `${at}: what came before it was taken out`;
  return `${at}: it was changed, or lines behind it were taken out`;
}

/** The rest of what was found, one line each, for people. */
export function verdictDetails({ head, kept, breaks, damaged, signature }: Verified): string[] {
  return [
    ...(head === null ? [] : [`head ${head}`]),
    ...(kept === null
      ? ['no record.head: whether the end is missing cannot be told']
      : [
          `made durable ${kept.at}${kept.line === null ? ', with a line that is missing' : `, up to line ${kept.line}`}`,
        ]),
    ...(breaks.length > 1 ? [`lines where the chain does not hold: ${breaks.map(({ line }) => line).join(', ')}`] : []),
    ...(damaged.length > 0 ? [`lines torn by crashes, no alteration: ${damaged.join(', ')}`] : []),
    ...(signature === null
      ? ['not signed']
      : signature.state === 'good'
        ? [`signed by ${signature.key}, ${signature.head.at}`]
        : [`signature ${signature.state === 'bad' ? 'bad' : 'not checked'}: ${signature.why}`]),
  ];
}
