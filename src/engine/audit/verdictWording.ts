import type { Verification } from '../record/chain/verify.ts';
import { quote, say, type Wording } from '../failures/wording.ts';
import type { Verified } from './verify.ts';

/** The verdict in one readable line, such as *Intact* or *Truncated after line n*. */
export function verdictWording({
  verdict,
  breaks,
  lines,
  cutAfter,
  chainedFrom,
}: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>): Wording {
  const [first] = breaks;
  if (verdict === 'truncated') return say`truncated after line ${cutAfter ?? lines}`;
  if (verdict === 'unchained') return say`no hash chain: written by an older version`;
  if (verdict === 'intact' || first === undefined) {
    return chainedFrom === null || chainedFrom === 1
      ? say`intact`
      : say`intact from line ${chainedFrom}; earlier lines have no hash chain`;
  }
  const { kind, line } = first;
  if (kind === 'inserted') return say`Line ${line} was inserted`;
  if (kind === 'other_session') return say`the record of another session`;
  if (kind === 'moved') return say`Line ${line} was moved`;
  if (kind === 'archive') return say`the archive is damaged; its readable lines are intact`;
  if (kind === 'end_copy') return say`from line ${line} on, the record differs from record.end`;
  if (kind === 'missing_before') return say`Lines before line ${line} were removed`;
  return say`Line ${line} was changed, or lines after it were removed`;
}

/** The other findings, one readable line each. */
export function verdictDetails({ head, kept: saved, breaks, damaged, signature }: Verified): Wording[] {
  return [
    ...(head === null ? [] : [say`hash ${head}`]),
    saved === null
      ? say`no record.head, so a missing end cannot be detected`
      : saved.line === null
        ? say`synced to disk ${saved.at}, with a line that is now missing`
        : say`synced to disk ${saved.at}, up to line ${saved.line}`,
    ...(breaks.length > 1 ? [say`lines with a broken hash chain: ${breaks.map(({ line }) => line).join(', ')}`] : []),
    ...(damaged.length > 0 ? [say`lines cut off by crashes, not altered: ${damaged.join(', ')}`] : []),
    signatureWording(signature),
  ];
}

export function signatureWording(signature: Verified['signature']): Wording {
  if (signature === null) return say`not signed`;
  if (signature.state === 'good') return say`signed by ${signature.key}, ${signature.head.at}`;
  const why = quote(signature.why);
  return signature.state === 'bad' ? say`bad signature: ${why}` : say`signature not checked: ${why}`;
}
