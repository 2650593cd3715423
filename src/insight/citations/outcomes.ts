import type { ClaimKind } from './types.ts';

/** How tests, a build or a check went, as a sentence says it. Offsets are into that sentence. */
export interface OutcomeClaim {
  readonly start: number;
  readonly end: number;
  readonly kind: Extract<ClaimKind, 'test' | 'build' | 'check'>;
  /** Absent where a part is said to have passed: what the others did is not said. */
  readonly outcome?: 'passed' | 'failed';
  readonly count?: number;
  readonly tool?: string;
}

const numbers = new Map<string, number>(
  Object.entries({
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
    twelve: 12,
    ein: 1,
    eine: 1,
    zwei: 2,
    drei: 3,
    vier: 4,
    fünf: 5,
    sechs: 6,
    sieben: 7,
    acht: 8,
    neun: 9,
    zehn: 10,
    elf: 11,
    zwölf: 12,
  }),
);
const number = String.raw`\d{1,6}(?:[.,]\d{3})?|${[...numbers.keys()].join('|')}`;
/** A space of a sentence from which marks were taken. */
const s = String.raw`(?:\s{1,4})`;
const words = (text: string): string => text.replaceAll(' ', s);

const passed = words(String.raw`(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|succe?eding|green|successful)`);
const failed = words(String.raw`(?:fail(?:s|ed|ing)?|red|broken|break(?:s|ing)?|broke)`);
const helpers = words(
  String.raw`(?:(?:are|is|were|was|has|have|had|now|all|both|still|again|also|been|each|currently) ){0,4}`,
);

interface Pattern {
  readonly kind: OutcomeClaim['kind'];
  /** Groups: `n` a number, `pass` and `fail` how it went, `tool` what a check names. */
  readonly pattern: RegExp;
}

const make = (kind: Pattern['kind'], source: string): Pattern => ({ kind, pattern: new RegExp(words(source), 'giu') });

/** After a verb: tests that take something pass nothing. */
const noObject = String.raw`(?! (?:a|an|the|it|its|this|that|these|them|null|undefined|arguments?|params?|parameters?|through|to|by|via|along|around|back|over)\b)`;

const patterns: readonly Pattern[] = [
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:(?:all|every|both|each|the|its|our|these|those|new|existing|other|unit|integration|regression|e2e|end-to-end|whole|full|entire|remaining|(?:${number})(?: ?(?:of|out of|/) ?(?:the )?(?:${number}))?)(?: of)?(?: the)? ){0,5}(?:tests?|test suites?|test cases?|specs?|suites?) ${helpers}(?:(?<pass>${passed})|(?<fail>${failed}))\b${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:everything|all) (?:is |now |still ){0,2}(?<pass>pass(?:es|ed)|green)\b${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:the |all )?tests? (?:all )?(?:run|ran) (?<pass>clean(?:ly)?|successfully|through|fine)\b`,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:(?:alle|die|der|sämtliche|beide|neuen|(?<n>${number})) ){0,4}(?:Tests?|Testsuite|Unit-Tests) (?:(?:jetzt|nun|wieder|alle|noch) ){0,2}(?:(?<pass>laufen (?:(?:jetzt|nun|wieder) )?(?:erfolgreich )?(?:durch|grün)|läuft (?:wieder )?durch|bestehen|bestanden|sind (?:(?:jetzt|nun|wieder|alle) ){0,2}(?:grün|erfolgreich|bestanden)|ist grün|waren erfolgreich)|(?<fail>schlagen (?:noch )?fehl|schlägt (?:noch )?fehl|scheitern|scheitert|sind rot))`,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:(?:tous|toutes|les|le|la|(?<n>${number})) ){0,4}(?:tests?|suite de tests) (?:(?<pass>passent(?: tous)?|passe|réussissent|sont (?:au )?verts?|ont (?:tous )?réussi)|(?<fail>échouent|échoue|ont échoué))(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:(?:todas|todos|tutti|las|los|os|as|i|(?<n>${number})) ){0,4}(?:pruebas|prueba|tests?|testes|teste) (?:unitarias )?(?:(?<pass>pasan|pasaron|pasa|han pasado|passam|passaram|passano|sono passati|están en verde)|(?<fail>fallan|fallaron|falla|falham|falharam|falliscono))(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?:所有|全部)?(?:的)?(?:\s{0,1}(?<n>\d{1,6})\s{0,1}[个個项項]?)?(?:单元|集成)?测试(?:用例)?(?:\s{0,1}(?:均|都|全部|已|已经|也|现在|仍然|仍|全)){0,4}(?:(?<pass>通过|成功)|(?<fail>失败))了?`,
  ),
  make(
    'test',
    String.raw`(?:すべての|全ての|全)?(?:(?<n>\d{1,6})\s{0,1}[件個]の)?テスト(?:は|が|も)?(?:すべて|全て|全部|全件)?(?:に)?(?:(?<pass>成功|通過|合格|パス|通り)|(?<fail>失敗))(?:しました|しています|した|します|ました)?`,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:все )?(?:(?<n>\d{1,6}) )?тест(?:ы|ов|а) (?:(?<pass>проходят|прошли|пройдены|успешны)|(?<fail>падают|не проходят|упали))`,
  ),
  make(
    'test',
    String.raw`(?:모든 )?(?:(?<n>\d{1,6})개(?:의)? )?테스트(?:가|는|를)? ?(?:모두 )?(?:(?<pass>통과|성공)|(?<fail>실패))(?:했습니다|하였습니다|했다|합니다)?`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:(?:the|a|its|our|release|production|debug|full|whole|webpack|vite|docker) ){0,3}builds? ${helpers}(?:(?<pass>${passed}|works?|worked|completes?|completed|finishes|finished|clean|fine)|(?<fail>${failed}))\b`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:it|everything|(?:the|this) (?:project|code|app|package|extension|crate|library|bundle|module|workspace)) (?:now |still |also ){0,2}(?:(?<pass>(?:builds|compiles)(?: (?:cleanly|successfully|fine|again|without (?:any )?(?:errors?|warnings?|problems?|issues?)))?)|(?<fail>(?:does not|doesn't|no longer) (?:build|compile)))(?!\p{L})`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:der |das )?(?:Build|Projekt) (?:(?<pass>ist (?:wieder )?(?:erfolgreich|grün)|war erfolgreich|läuft (?:wieder )?durch|baut(?: fehlerfrei)?|kompiliert(?: fehlerfrei)?)|(?<fail>schlägt fehl|ist rot|bricht ab))`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:le |la |o |el )?(?:build|compilation|compilación|compilação) (?:(?<pass>réussit|passe|a réussi|est réussie?|fue exitosa|funciona|passa)|(?<fail>échoue|a échoué|falla|falha))(?!\p{L})`,
  ),
  make('build', String.raw`(?:项目)?(?:构建|编译|打包)(?:已|已经|也|均)?(?:(?<pass>成功|通过)|(?<fail>失败))了?`),
  make(
    'build',
    String.raw`(?:ビルド|コンパイル)(?:は|が|も|に)?(?:(?<pass>成功|通り)|(?<fail>失敗))(?:しました|した|します|ました)?`,
  ),
  make(
    'check',
    String.raw`(?<![\p{L}\d/.-])(?:the )?(?<tool>type ?-?check(?:er|ing|s)?|types?|tsc|typescript|eslint|lint(?:er|ing|s)?|ruff|clippy|mypy|pyright|prettier|format(?:ter|ting)?(?: check)?|biome|flake8|pylint|golangci-lint|go vet|rubocop|stylelint) (?:(?:is|are|was|were|has|also|now|still|again|comes back|came back|all|check|checks|run|runs|ran) ){0,3}(?:(?<pass>clean|${passed}|happy|ok|check out|(?:(?:reports?|reported|shows?|finds?|found|gives?|has|have) )?(?:no|zero|0) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|changes?|complaints?|findings))|(?<fail>${failed}|complains?|(?:reports?|reported|shows?|finds?|found) (?:\d+|an?|some|several) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?)))(?!\p{L})`,
  ),
  make('check', String.raw`(?<!\p{L})(?<tool>types) (?<pass>check)(?:s|ed|(?= ?[.,;:!]|$| and\b))`),
  make(
    'check',
    String.raw`(?<!\p{L})(?<pass>(?:no|zero|0) (?<tool>lint|linter|type|typescript|eslint|formatting) (?:errors?|issues?|warnings?|problems?))\b`,
  ),
];

/** Linear for sentences of bounded length. */
export function outcomeClaims(sentence: string): OutcomeClaim[] {
  if (!worthALook.test(sentence)) return [];
  const claims: OutcomeClaim[] = [];
  for (const { kind, pattern } of patterns) {
    for (const found of sentence.matchAll(pattern)) {
      const { n, fail, tool } = found.groups ?? {};
      const lead = found[0].length - found[0].trimStart().length;
      const start = found.index + lead;
      const end = found.index + found[0].trimEnd().length;
      if (claims.some((other) => start < other.end && end > other.start)) continue;
      if (isAsked.test(sentence.slice(end))) continue;
      const shown = n ?? found[0];
      const none = kind === 'test' && isNone(sentence.slice(0, start), shown);
      const count = none ? undefined : countOf(shown);
      const outcome = (fail === undefined) === none ? 'failed' : 'passed';
      claims.push({
        start,
        end,
        kind,
        ...(!(outcome === 'passed' && isPart(shown)) && { outcome }),
        ...(kind === 'test' && count !== undefined && { count }),
        ...(tool !== undefined && { tool: tool.toLowerCase() }),
      });
    }
  }
  return claims;
}

/** The words behind a claim make it a question; what stands behind a comma is another thought. */
const isAsked = /^[^,;:–—]{0,200}[?？]/;

/** "No tests failed", "0 tests failed". */
function isNone(before: string, shown: string): boolean {
  return (
    /(?<!\p{L})(?:no|zero|none of(?: the)?|not (?:a single|one)|kein[e]?|aucun(?:e)?|ning[uú]na?|nenhuma?|nessuna?)\s(?:(?:unit|integration|regression|e2e|existing|new|other|remaining)\s)?$/iu.test(
      before,
    ) || /^(?:no|zero|0)(?![\d.,]|\p{L})/iu.test(shown)
  );
}

/** "39 of 42 tests passed". */
function isPart(shown: string): boolean {
  const [, some = '', all = ''] =
    /(?<![\d.,])(\d{1,6})\s?(?:of|out of|\/)\s?(?:the\s)?(\d{1,6})(?!\d)/iu.exec(shown) ?? [];
  return some !== '' && Number(some) < Number(all);
}

const worthALook =
  /test|spec|suite|build|compil|lint|type|tsc|ruff|clippy|mypy|pyright|prettier|format|biome|flake8|vet|rubocop|everything|\ball\b|prueba|projekt|project|тест|测试|构建|编译|打包|テスト|ビルド|コンパイル|테스트/iu;

const aNumber = new RegExp(String.raw`(?<![\p{L}\d])(?:${number})(?![\p{L}\d])`, 'iu');

function countOf(words: string): number | undefined {
  const found = (aNumber.exec(words)?.[0] ?? /\d{1,6}/.exec(words)?.[0])?.toLowerCase();
  if (found === undefined) return undefined;
  return numbers.get(found) ?? Number(found.replace(/[.,]/, ''));
}

/** How the words right after a command say that it went. */
const after = new RegExp(
  words(
    String.raw`^[\s)»”"'*:,–—-]{0,4}(?:(?:now|still|also|again|then|all|runs?|ran|exits?|comes back|is|was) ){0,3}(?:(?<pass>${passed}|clean(?:ly)?|completes?|completed|without (?:any )?(?:errors?|warnings?)|with (?:exit )?(?:code |status )?0|(?:reports?|reported|shows?|showed|finds?|found|gives?|gave|prints?) (?:no|zero|0) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|changes?)|no da errores|läuft (?:fehlerfrei )?durch|réussit|passe)|(?<fail>${failed}|(?:reports?|reported|shows?|showed|finds?|found|gives?|gave) (?:\d+|an?|one|two|three|some|several) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|failures?)|schlägt fehl|schlug fehl|échoue))(?!\p{L})`,
  ),
  'iu',
);

/** The outcome in the words after a command, and how long they are. */
export function outcomeAfter(
  text: string,
): { readonly outcome: 'passed' | 'failed'; readonly length: number } | undefined {
  const found = after.exec(text);
  if (found === null) return undefined;
  return { outcome: found.groups?.['fail'] === undefined ? 'passed' : 'failed', length: found[0].length };
}
