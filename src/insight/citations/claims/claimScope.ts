import type { ClaimScope } from '../types.ts';

/** A claim about an outcome in its sentence; `raw` is the sentence with Markdown marks. */
export interface ClaimWords {
  readonly raw: string;
  /** The sentence with marks replaced by spaces. */
  readonly unmarkedText: string;
  readonly start: number;
  readonly end: number;
  readonly outcome: 'passed' | 'failed' | undefined;
}

const whole =
  /\b(?:full|whole|entire|complete|everything|alles|sämtliche\p{L}*|gesamte\p{L}*|komplette\p{L}*|(?:in|of|im|across) (?:the |this |dem )?(?:project|repo|repository|workspace|monorepo|codebase|Projekt|Repository)|(?:all|every|alle) (?:of )?(?:the )?(?:packages?|workspaces?|projects?|modules?|crates?|suites?|Pakete|Module))(?!\p{L})/iu;
const suites =
  /(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|both|zwei|drei|vier|fünf))\s{1,4}(?:test[\s-]{1,4})?(?:suites|suite|files|packages|crates|targets|Testdateien|Testsuiten|Suiten)\b/iu;
const others =
  /^[\s,]{0,4}(?:(?:also|now|again|too)\s{1,4})?(?:in|on|im|auf|en|dans)\s{1,4}(?:the\s{1,4}|der\s{1,4}|our\s{1,4}|your\s{1,4}|my\s{1,4})?(?:CI\b|GitHub|GitLab|Jenkins|pipeline|production|staging|machine|Windows|macOS|Linux|main\b|master\b|the main branch|browsers?\b)/i;
const except =
  /^[\s,(–—-]{0,6}(?:except|apart from|aside from|other than|besides|with the exception|bis auf|außer|mit Ausnahme|sauf|excepto|salvo|but (?:for )?(?:one|two|three|\d))/i;
const groups =
  /(?<!\p{L})(unit|integration|regression|e2e|end-to-end|acceptance|browser|smoke|system|ui|visual|performance|contract|doc)(?:s|tests?)?[\s-]{1,4}?(?:tests?|specs?|test\s{1,4}suite|suite)(?!\p{L})/iu;
const some =
  /(?<!\p{L})(?:(?:the|these|those|both|all|my|diese|die|alle)\s{1,4}){0,2}(?:new|these|those|both|related|relevant|affected|added|updated|neuen?|diese|beiden?|betroffenen|nouveaux|nuevas|nuevos)\s{1,4}(?:\p{L}{1,20}\s{1,4})?(?:tests?|specs?|pruebas)(?!\p{L})/iu;
const place =
  /(?:^|[\s(])(?:in|for|of|under|inside|within|from|für|von|unter|im|pour|dans|de)\s{1,4}(?:(?:the|der|dem|das|die|den|all|both)\s{1,4}){0,2}(?<noun>(?:package|module|crate|workspace|file|folder|project|Paket|Modul|Ordner|Datei)\s{1,4})?(?<name>(?:\.{1,2}\/)?@?[\w][\w@./-]{0,80})(?<kind>\s{1,4}(?:package|module|crate|workspace|project|app|service|folder|directory|component|class|file|feature|Paket|Modul|Ordner|Verzeichnis)(?!\p{L}))?/iu;
const topic =
  /(?<!\p{L})(?:the|all|every|die|der|alle|its|our|these|\d{1,5})\s{1,4}(?:\d{1,5}\s{1,4})?(?:of\s{1,4}the\s{1,4})?(?<name>[\p{L}\d@][\p{L}\d@/._-]{1,60})\s{1,4}$/iu;
const noTopic =
  /^(?:gesamten?|ganzen?|kompletten?|vollständigen?|suite|unit|integration|regression|e2e|end-to-end|acceptance|browser|smoke|system|new|existing|other|remaining|whole|full|entire|complete|test|tests|local|automated|relevant|related|affected|added|updated|these|those|both|all|of|the|project|project's|repo|repository|workspace|monorepo|current|latest|final|last|first|same|rest|original|actual|npm|pnpm|yarn|cargo|go|pytest|jest|vitest|mocha|node|python|rust|typescript|javascript|following|above|production|release|debug|neuen|bestehenden|anderen|übrigen|backend's|our|its|next|normal|default|main|ts|js|and|or|is|that|with|has|now)$/i;

/** What a claim about an outcome covers. */
export function claimScope({ raw, unmarkedText, start, end }: ClaimWords): ClaimScope {
  const before = unmarkedText.slice(Math.max(0, start - 60), start);
  const words = unmarkedText.slice(start, end);
  const after = unmarkedText.slice(end, end + 120);
  const near = `${before.slice(-30)}${words}`;
  const isOther = others.test(after) || except.test(after);
  const coversAll = /^\s{1,4}(?:in|for|across|über|in)\s{1,4}(?:all|every|both|alle[nr]?)\s/i.test(after);
  const isWhole = coversAll || whole.test(near);
  const group = groups.exec(near)?.[1]?.toLowerCase() ?? (some.test(near) ? 'some' : undefined);
  const subject = coversAll || group !== undefined ? undefined : subjectOf(raw, unmarkedText, start, end, before);
  return {
    ...(isWhole && { isWhole }),
    ...(subject !== undefined && { subject }),
    ...(group !== undefined && { group }),
    ...(isOther && { isOther }),
    ...(suites.test(words) && { countsSuites: true }),
  };
}

function subjectOf(raw: string, unmarkedText: string, start: number, end: number, before: string): string | undefined {
  const placeAfter = findPlace(raw, unmarkedText, end, /^/) ?? findPlace(raw, unmarkedText, start, undefined, end);
  if (placeAfter !== undefined) return placeAfter;
  if (/^(?:all|the|every|both|each|its|our|alle|die|der|\d)/i.test(unmarkedText.slice(start, end))) return undefined;
  const name = topic.exec(before)?.groups?.['name'];
  return name === undefined || noTopic.test(name) ? undefined : name.toLowerCase();
}

/** A package, file or module named after this position: by its form, its marks or a word such as "package". */
function findPlace(
  raw: string,
  unmarkedText: string,
  from: number,
  directlyAfter?: RegExp,
  to = from + 100,
): string | undefined {
  const found = place.exec(unmarkedText.slice(from, to));
  if (
    found === null ||
    (directlyAfter !== undefined && !/^[\s,(]{0,4}$/.test(unmarkedText.slice(from, from + found.index)))
  )
    return undefined;
  const { name = '', noun, kind } = found.groups ?? {};
  const plain = name.replace(/[./-]+$/, '');
  const at = from + found.index + found[0].indexOf(name);
  const isMarked = raw[at - 1] === '`' && plain.length > 1;
  if (verb.test(plain)) return undefined;
  const isName = isMarked || noun !== undefined || kind !== undefined || /[/@]|\.\w{1,5}$/.test(plain);
  return isName && !/^\d+(?:\.\d+)?\w{0,2}$/.test(plain) ? plain.toLowerCase() : undefined;
}

/** Words after "in the project". */
const verb =
  /^(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|succeeds?|is|are|was|were|has|have|now|still|runs?|läuft|laufen|sind|ist|besteh\w*|schl\w*|all|both|each)$/i;

const earlier =
  /(?<!\p{L})(?:before (?:my|the|this|that|any|making|I|changing|fixing)|originally|initially|at first|previously|beforehand|at the start|baseline|prior to|vorher|zuvor|anfangs|zunächst|ursprünglich|vor (?:meiner|der|dem)|auparavant|au départ|antes de|al principio)(?!\p{L})/iu;
const pastFailure =
  /(?<!\p{L})(?:failed|(?:was|were) (?:failing|red|broken)|broke|schlug(?:en)?|scheiterten?|(?:war|waren) rot|ont échoué|échouaient|fallaron|fallaban)(?!\p{L})/iu;
const pastSuccess = /(?<!\p{L})(?:passed|were|was|succeeded|liefen|lief|war|waren|bestanden)(?!\p{L})/iu;
const stillNow = /(?<!\p{L})(?:now|still|jetzt|nun|wieder|again|noch)(?!\p{L})/iu;

/** Whether a claim is about a run before a change. */
export function isEarlierRun({ unmarkedText, start, end, outcome }: ClaimWords): boolean {
  const words = unmarkedText.slice(start, end);
  if (outcome === 'failed') return pastFailure.test(words) && !stillNow.test(words);
  return earlier.test(unmarkedText) && pastSuccess.test(words) && !stillNow.test(words);
}
