const sample = 200;
/** Short texts have less entropy: 12 different characters have 3.6. */
const minEntropy = (length: number): number => (length < 20 ? 2.5 : 3.2);
/** Frequent letter pairs: two thirds of the pairs in words, but one seventh in random text. */
const pairs =
  'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui ck ap ag ey qu ef up do cr cl ep tp ps rl xt ds ts dr gr fr br pu bu';
const commonPairs: ReadonlySet<string> = new Set(pairs.split(' '));
const maxCommonShare = 0.42;
/** Maximum share of pairs that change case: names in programs have fewer, random text has half. */
const maxChanges = 0.47;
/** Minimum number of pairs for a decision. */
const minPairs = 6;

/** Placeholders for secrets. */
const placeholder =
  /^(?:[x*.•_-]+|<.*>|\$(?:[a-z_]\w*|[{(].*)|%.*%|\{.*\}|\[.*\]|.*(?:example|sample|placeholder|changeme|change_me|change-me|your[_-]|dummy|redacted|test[_-]?(?:key|token|secret)).*|pass(?:w(?:or)?d)?\d*|secret\d*|token|user(?:name)?|null|undefined|true|false|none)$/i;

/** Names of variables that hold a secret. */
const name =
  /(?:key|token|password|secret|credential|Key|Token|Password|Secret|Credential|PASSWORD|KEY)s?$|^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;

export function isPlaceholder(text: string): boolean {
  return placeholder.test(text.slice(0, sample));
}

/** Whether a value looks random: mixed, and more varied than words. */
export function looksRandom(text: string): boolean {
  if (isPlaceholder(text)) return false;
  const part = text.slice(0, sample);
  const digits = part.match(/\d/g)?.length ?? 0;
  const letters = part.match(/[a-z]/gi)?.length ?? 0;
  if (letters < 2 || name.test(part)) return false;
  if (isWords(part)) {
    if (digits < 2) return false;
    // Identifiers, calls and paths: words separated by dots, slashes or underscores.
    if (/^[a-z_$]+(?:[./-][a-z_$]+)*\d{0,3}[.)]?$/i.test(part)) return false;
  }
  if (/^(?:process\.env|import\.meta\.env|os\.environ|env|self|this|config|settings)\b[.[\w]/.test(part)) return false;
  // A path to a file.
  if (/^(?:~|\.{1,2})?(?:\/[\w.-]+){2,}\.[a-z]{1,5}$/i.test(part)) return false;
  return entropy(part) >= minEntropy(part.length);
}

/** Whether a value looks like a chosen password: a word or identifier with a digit or special character. */
export function looksLikePassword(text: string): boolean {
  if (isPlaceholder(text) || name.test(text)) return false;
  if (/[!@#%^*?~]/.test(text)) return /[a-z\d]{2}/i.test(text) && !/^[a-z_$]*[!?]?$/i.test(text);
  return /\d/.test(text)
    ? /^(?=.*[a-z])[\w+-]+$/i.test(text) && !/^[a-z]+_\w+$|^\d[\d.]*[a-z]{1,2}$/.test(text)
    : looksRandom(text);
}

/** Whether the text looks like words or names, by its letter pairs and case, or is too short to tell. */
export function isWords(text: string, share = maxCommonShare): boolean {
  const [pairs, known, changes] = countPairs(text);
  return pairs < minPairs || (known >= pairs * share && changes <= pairs * maxChanges);
}

/** Numbers of letter pairs: all, frequent ones, and those that change case. */
function countPairs(text: string): [number, number, number] {
  let [pairs, known, changes] = [0, 0, 0];
  for (const [word] of text.matchAll(/[a-z]{2,}/gi)) {
    const plain = word.toLowerCase();
    for (let at = 1; at < plain.length; at += 1) {
      pairs += 1;
      if (commonPairs.has(plain.slice(at - 1, at + 1))) known += 1;
      if ((word[at] === plain[at]) !== (word[at - 1] === plain[at - 1])) changes += 1;
    }
  }
  return [pairs, known, changes];
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
