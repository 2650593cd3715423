import type { Verification } from '../record/chain/verify.ts';
import { quote, worded, type Wording } from '../failures/wording.ts';
import type { VerificationReport } from './verify.ts';

/** The verdict in one readable line, such as *Intact* or *Truncated after line n*. */
export function verdictWording({
  verdict,
  breaks,
  lines,
  cutAfter,
  chainedFrom,
}: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>): Wording {
  const [first] = breaks;
  if (verdict === 'truncated') return worded`truncated after line ${cutAfter ?? lines}`;
  if (verdict === 'unchained') return worded`no hash chain: written by an older version`;
  if (verdict === 'intact' || first === undefined) {
    return chainedFrom === null || chainedFrom === 1
      ? worded`intact`
      : worded`intact from line ${chainedFrom}; earlier lines have no hash chain`;
  }
  const { kind, line } = first;
  if (kind === 'inserted') return worded`line ${line} was inserted`;
  if (kind === 'other_session') return worded`the record of another session`;
  if (kind === 'moved') return worded`line ${line} was moved`;
  if (kind === 'archive') return worded`the archive is damaged; its readable lines are intact`;
  if (kind === 'end_copy') return worded`from line ${line} on, the record differs from record.end`;
  if (kind === 'missing_before') return worded`lines before line ${line} were removed`;
  return worded`line ${line} was changed, or lines after it were removed`;
}

/** The other findings, one readable line each. */
export function verdictDetails({ head, kept: saved, breaks, damaged, signature }: VerificationReport): Wording[] {
  return [
    ...(head === null ? [] : [worded`hash ${head}`]),
    saved === null
      ? worded`no record.head, so a missing end cannot be detected`
      : saved.line === null
        ? worded`synced to disk at ${saved.at}; a line synced then is now missing`
        : worded`synced to disk at ${saved.at}, up to line ${saved.line}`,
    ...(breaks.length > 1
      ? [worded`lines with a broken hash chain: ${breaks.map(({ line }) => line).join(', ')}`]
      : []),
    ...(damaged.length > 0 ? [worded`lines truncated by a crash (not tampering): ${damaged.join(', ')}`] : []),
    signatureWording(signature),
  ];
}

export function signatureWording(signature: VerificationReport['signature']): Wording {
  if (signature === null) return worded`not signed`;
  if (signature.state === 'good') return worded`signed by ${signature.key}, ${signature.head.at}`;
  const why = quote(signature.why);
  return signature.state === 'bad' ? worded`bad signature: ${why}` : worded`signature not checked: ${why}`;
}
