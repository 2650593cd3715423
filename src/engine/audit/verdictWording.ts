import type { Verification } from '../record/verify.ts';
import { quote, say, type Wording } from '../wording.ts';
import type { Verified } from './verify.ts';

/** One line for people, in the middle of a sentence: *intact*, *altered at line n*, *truncated after line n*, *no chain*. */
export function verdictWording({
  verdict,
  breaks,
  lines,
  cutAfter,
  chainedFrom,
}: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>): Wording {
  const [first] = breaks;
  if (verdict === 'truncated') return say`truncated after line ${cutAfter ?? lines}`;
  if (verdict === 'unchained') return say`no chain: written by a version that kept none`;
  if (verdict === 'intact' || first === undefined) {
    return chainedFrom === null || chainedFrom === 1
      ? say`intact`
      : say`intact from line ${chainedFrom} on; before it there is no chain`;
  }
  const { kind, line } = first;
  if (kind === 'inserted') return say`altered at line ${line}: it was put in`;
  if (kind === 'other_session') return say`the record of another session`;
  if (kind === 'moved') return say`altered at line ${line}: it was moved`;
  if (kind === 'archive') return say`the archive is damaged; what comes out of it holds`;
  if (kind === 'end_copy') return say`record.end, which lists read, differs from the record from line ${line} on`;
  if (kind === 'missing_before') return say`altered at line ${line}: what came before it was taken out`;
  return say`altered at line ${line}: it was changed, or lines behind it were taken out`;
}

/** The rest of what was found, one line each, for people. */
export function verdictDetails({ head, kept, breaks, damaged, signature }: Verified): Wording[] {
  return [
    ...(head === null ? [] : [say`head ${head}`]),
    kept === null
      ? say`no record.head: whether the end is missing cannot be told`
      : kept.line === null
        ? say`made durable ${kept.at}, with a line that is missing`
        : say`made durable ${kept.at}, up to line ${kept.line}`,
    ...(breaks.length > 1
      ? [say`lines where the chain does not hold: ${breaks.map(({ line }) => line).join(', ')}`]
      : []),
    ...(damaged.length > 0 ? [say`lines torn by crashes, no alteration: ${damaged.join(', ')}`] : []),
    signatureWording(signature),
  ];
}

function signatureWording(signature: Verified['signature']): Wording {
  if (signature === null) return say`not signed`;
  if (signature.state === 'good') return say`signed by ${signature.key}, ${signature.head.at}`;
  const why = quote(signature.why);
  return signature.state === 'bad' ? say`signature bad: ${why}` : say`signature not checked: ${why}`;
}
