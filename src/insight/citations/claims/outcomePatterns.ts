/** Numbers as words. */
export const numbers = new Map<string, number>(
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
/** Source of a pattern like those below; a space matches any whitespace of a sentence. */
export const numberPattern = String.raw`\d{1,6}(?:[.,]\d{3})?|${[...numbers.keys()].join('|')}`;
/** A space in a sentence whose marks were replaced. */
const s = String.raw`(?:\s{1,4})`;
export const withFlexibleSpaces = (text: string): string => text.replaceAll(' ', s);

export const passed = withFlexibleSpaces(
  String.raw`(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|succe?eding|green|successful)`,
);
export const failed = withFlexibleSpaces(String.raw`(?:fail(?:s|ed|ing)?|red|broken|break(?:s|ing)?|broke)`);
const helpers = withFlexibleSpaces(
  String.raw`(?:(?:are|is|were|was|has|have|had|now|all|both|still|again|also|been|each|currently) ){0,4}`,
);

export interface OutcomePattern {
  readonly kind: 'test' | 'build' | 'check';
  /**
   * Groups: `n` a number, `pass` and `fail` the outcome, `none` that nothing failed, `failures` how many did, `tool` what a
   * check names.
   */
  readonly pattern: RegExp;
  /** Words that the pattern needs; tested first, because that is faster. */
  readonly hint?: RegExp;
}

/** Parts of the project: "the tests in `packages/a`". */
const placePhrase = String.raw`(?: (?:in|for|of|under|from|inside|für|von) (?:(?:the|der|dem|das|die) )?(?:(?:package|module|crate|file|Paket|Modul) )?[\w@./-]{1,60}(?: (?:package|module|crate|workspace|app|service|folder|directory|project|component|class|file))?)?`;

/** After a verb: "tests that take something" does not mean that they pass. */
export const noObject = String.raw`(?! (?:a|an|the|it|its|this|that|these|them|null|undefined|arguments?|params?|parameters?|through|to|by|via|along|around|back|over)\b)`;

/** Between the label of a summary line and its value. */
const colon = String.raw`(?: ?(?:[:–—→]|[=-]>)|\s{2,4}(?=\d)|\s{1,4}(?=[✅✔☑❌]))[\s✅✔☑✓❌✗\ufe0f]{0,6}`;
const tick = '[✅✔☑✓]';
const cross = '[❌✗]';
/** "12", "12/12", "12 of 12". */
const share = String.raw`\d{1,6}(?: ?(?:/|of|out of) ?\d{1,6})?`;
/** Between passed and failed. */
const conjunction = String.raw`(?:,? (?:and|but|while)|[,;]) `;
/** Not followed by a subject: "New tests: failing logins". */
const clauseEnd = String.raw`(?=\s{0,4}(?:[.,;:!()✅✔☑✓❌✗\ufe0f–—]|-\s|$))`;
/** Result of a check that found nothing. */
const nothing = String.raw`(?:no|zero|0) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?|changes?|complaints?|findings)`;

const make = (kind: OutcomePattern['kind'], source: string, hint?: RegExp): OutcomePattern => ({
  kind,
  pattern: new RegExp(withFlexibleSpaces(source), 'giu'),
  ...(hint !== undefined && { hint }),
});

/** Words of other languages in claims about an outcome. */
const german =
  /laufen|läuft|liefen|lief|besteh|bestanden|sind|ist|war|wurde|erfolg|grün|schl[aäu]g|fehlgeschlagen|scheiter|fehlerfrei|klappt|funktion|baut|kompiliert|bricht|meldet|keine/i;
const french = /pass|réuss|vert|échou/i;
const spanish = /pas[aosn]|pasaron|verde|fall|falh|fue|funciona|successo/i;

/** The order matters: earlier patterns match text that later ones would match too. */
export const patterns: readonly OutcomePattern[] = [
  make(
    'test',
    String.raw`(?<![\p{L}\d/-])(?:(?:unit|integration|regression|e2e|all|full|the) ){0,2}(?:test (?:results?|suites?|runs?|status)|tests|specs|suite)${colon}(?:all )?(?<n>${share}) (?:tests? )?${helpers}(?:(?<pass>${passed}|ok|${tick})|(?<fail>${failed}))(?:,? (?:and )?(?<failures>\d{1,6}) fail\p{L}*)?(?![\p{L}\d])${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d/-])(?:test (?:results?|suites?|runs?|status)|tests|specs|suite)${colon}(?:all )?${helpers}(?:(?<pass>${passed}|ok|${tick})|(?<fail>${failed}|${cross}))${clauseEnd}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d.,/-])(?<n>\d{1,6}) (?<pass>passed)[,;]? (?:and )?(?<failures>\d{1,6}) failed(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])all (?:of the )?(?<n>${numberPattern}) (?<pass>passed|pass|green)(?!\p{L})${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d.,/])(?<n>${numberPattern}) (?:(?:unit|integration|new) )?(?:tests?|specs?|assertions?)[,;:]? (?:(?:with|and) )?(?:(?<pass>(?:0|no|zero) (?:failures?|failed|failing|errors?)|all (?:of them )?${helpers}${passed})|(?<fail>(?<failures>\d{1,6}) (?:failures?|failed|failing)))(?!\p{L})${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?<none>(?:no|zero|0|without(?: any)?) (?:(?:more|remaining|new) )?(?:(?:failing|failed|broken) (?:unit )?tests?|(?:unit )?test failures?)|keine (?:(?:weiteren|neuen) )?(?:fehlgeschlagenen Tests|fehlschlagenden Tests|Testfehler))(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:(?:the|all|its|our|unit|full|whole|existing) ){0,3}(?:test suites?|tests|suite|specs)(?: again)?,? and (?:they|it|everything|all|each)(?: of them)? (?:(?:all|now|still|again|each|both) ){0,2}(?:(?<pass>pass(?:es|ed)?|succeed(?:s|ed)?|(?:are|is|was|were) (?:(?:all|now) )?(?:green|passing|successful))|(?<fail>fail(?:s|ed)?))(?!\p{L})${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:(?:the|all|its|our|unit|full|whole) ){0,3}tests? (?:(?:runs?|suites?) )?${helpers}(?:complete[sd]?|finish(?:es|ed)?|executed|ended) (?<pass>successfully|cleanly|without (?:any )?(?:errors?|failures?|problems?|issues?)|with (?:no|0|zero) (?:errors?|failures?))(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d])(?:(?:all|every|both|each|the|its|our|these|those|new|existing|other|unit|integration|regression|e2e|end-to-end|whole|full|entire|remaining|(?:${numberPattern})(?: ?(?:of|out of|/) ?(?:the )?(?:${numberPattern}))?)(?: of)?(?: the)? ){0,5}(?:tests?|test suites?|test files?|test cases?|test runs?|specs?|suites?|examples?|scenarios?)${placePhrase} ${helpers}(?:(?<pass>${passed})(?:${conjunction}(?<also>${numberPattern}) (?:tests? )?(?:still )?fail(?:s|ed|ing)?)?|(?<fail>${failed})(?:${conjunction}(?<passes>${numberPattern}) (?:tests? )?pass(?:es|ed|ing)?)?|(?<not>(?:do|does) not pass|(?:don't|doesn't) pass))\b${noObject}`,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:there (?:are|is) ${helpers}(?<n>${numberPattern}) (?<fail>failing|failed|broken) (?:unit )?(?:tests?|specs?)|(?:the |its |our )?tests (?:(?:do|does) not|don't|no longer|cannot|can't) (?<broken>compile|build))(?!\p{L})`,
  ),
  make(
    'test',
    String.raw`(?<![\p{L}\d./-])(?<tool>pytest|jest|vitest|mocha|rspec|phpunit|ctest|minitest|cypress|playwright) ${helpers}(?:(?<pass>${passed})|(?<fail>${failed}))(?!\p{L})${noObject}`,
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
    String.raw`(?<!\p{L})(?:(?:alle|die|der|sämtliche|beide|neuen|(?<n>${numberPattern})) ){0,4}(?:Tests?|Testsuite|Testf(?:ä|ae)lle|(?:Unit|E2E|Integrations|Regressions)-?[Tt]ests?)${placePhrase} (?:(?:jetzt|nun|wieder|alle|noch) ){0,2}(?:(?<pass>laufen (?:(?:jetzt|nun|wieder|alle|weiterhin|weiter|immer|noch|auch|erneut|damit|vollständig|komplett) ){0,3}(?:(?:(?:erfolgreich|fehlerfrei) )?(?:durch|grün)|fehlerfrei|erfolgreich)|läuft (?:(?:wieder|jetzt|nun|weiterhin|erfolgreich|fehlerfrei|komplett|vollständig) ){0,2}durch|bestehen|bestanden|sind (?:(?:jetzt|nun|wieder|alle|weiterhin|weiter|immer|noch|auch|erneut|damit|vollständig|komplett) ){0,3}(?:grün|erfolgreich(?: durchgelaufen)?|bestanden|durchgelaufen)|ist grün|waren (?:alle )?erfolgreich|liefen (?:alle )?(?:(?:erfolgreich|fehlerfrei) )?durch|wurden (?:alle )?erfolgreich (?:ausgeführt|abgeschlossen|durchgeführt|durchlaufen)|erfolgreich|grün)|(?<fail>schlagen (?:noch )?fehl|schlägt (?:noch )?fehl|schlugen fehl|schlug fehl|sind (?:noch )?fehlgeschlagen|ist (?:noch )?fehlgeschlagen|fehlgeschlagen|scheitern|scheitert|sind (?:noch )?rot))`,
    german,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:(?:tous|toutes|les|le|la|(?<n>${numberPattern})) ){0,4}(?:tests?|suite de tests) (?:(?<pass>passent(?: tous)?|passe|réussissent|sont (?:au )?verts?|ont (?:tous )?réussi)|(?<fail>échouent|échoue|ont échoué))(?!\p{L})`,
    french,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:(?:todas|todos|tutti|las|los|os|as|i|(?<n>${numberPattern})) ){0,4}(?:pruebas|prueba|tests?|testes|teste) (?:unitarias )?(?:(?<pass>pasan|pasaron|pasa|han pasado|passam|passaram|passano|sono passati|están en verde)|(?<fail>fallan|fallaron|falla|falham|falharam|falliscono))(?!\p{L})`,
    spanish,
  ),
  make(
    'test',
    String.raw`(?:所有|全部)?(?:的)?(?:\s{0,1}(?<n>\d{1,6})\s{0,1}[个個项項]?)?(?:单元|集成)?测试(?:用例)?(?:\s{0,1}(?:均|都|全部|已|已经|也|现在|仍然|仍|全)){0,4}(?:(?<pass>通过|成功)|(?<fail>失败))了?`,
    /测试/,
  ),
  make(
    'test',
    String.raw`(?:すべての|全ての|全)?(?:(?<n>\d{1,6})\s{0,1}[件個]の)?テスト(?:は|が|も)?(?:すべて|全て|全部|全件)?(?:に)?(?:(?<pass>成功|通過|合格|パス|通り)|(?<fail>失敗))(?:しました|しています|した|します|ました)?`,
    /テスト/,
  ),
  make(
    'test',
    String.raw`(?<!\p{L})(?:все )?(?:(?<n>\d{1,6}) )?тест(?:ы|ов|а) (?:(?<pass>проходят|прошли|пройдены|успешны)|(?<fail>падают|не проходят|упали))`,
    /тест/i,
  ),
  make(
    'test',
    String.raw`(?:모든 )?(?:(?<n>\d{1,6})개(?:의)? )?테스트(?:가|는|를)? ?(?:모두 )?(?:(?<pass>통과|성공)|(?<fail>실패))(?:했습니다|하였습니다|했다|합니다)?`,
    /테스트/,
  ),
  make(
    'check',
    String.raw`(?<!\p{L})(?<tool>typescript|tsc|type) (?:compilation ${helpers}(?:(?<pass>${passed}|clean)|(?<fail>${failed}))|(?:(?:now|still) ){0,2}compiles (?:cleanly|successfully|fine|again|without (?:any )?(?:errors?|warnings?|problems?|issues?|complaints?)))(?!\p{L})`,
  ),
  make(
    'build',
    String.raw`(?<![\p{L}\d/-])builds?${colon}(?:(?<pass>${passed}|success|ok|clean|${tick})|(?<fail>${failed}|${cross}))${clauseEnd}`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:(?:the|a|its|our|release|production|debug|full|whole|webpack|vite|docker) ){0,3}(?:builds?|compilation)${placePhrase} ${helpers}(?:(?<pass>${passed}|works?|worked|completes?|completed|finishes|finished|clean|fine)|(?<fail>${failed}))\b`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:it|everything|(?:the|this) (?:project|code|app|package|extension|crate|library|bundle|module|workspace)) (?:now |still |also ){0,2}(?:(?<pass>(?:builds|compiles)(?: (?:cleanly|successfully|fine|again|without (?:any )?(?:errors?|warnings?|problems?|issues?)))?)|(?<fail>(?:does not|doesn't|no longer) (?:build|compile)))(?!\p{L})`,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:der |das )?(?:Build|Projekt) (?:(?<pass>erfolgreich|ist (?:wieder |jetzt |nun )?(?:erfolgreich(?: durchgelaufen)?|grün|durchgelaufen)|lief (?:fehlerfrei |erfolgreich )?durch|klappt|funktioniert(?: wieder)?|war erfolgreich|läuft (?:wieder )?(?:fehlerfrei )?durch|läuft (?:wieder )?fehlerfrei|baut(?: fehlerfrei)?|kompiliert(?: fehlerfrei)?)|(?<fail>schlägt (?:noch )?fehl|schlug fehl|ist fehlgeschlagen|ist rot|bricht ab))`,
    german,
  ),
  make(
    'build',
    String.raw`(?<!\p{L})(?:le |la |o |el )?(?:build|compilation|compilación|compilação) (?:(?<pass>réussit|passe|a réussi|est réussie?|fue exitosa|funciona|passa)|(?<fail>échoue|a échoué|falla|falha))(?!\p{L})`,
    /réuss|passe|échou|fu[en]|falla|falha|funciona/i,
  ),
  make(
    'build',
    String.raw`(?:项目)?(?:构建|编译|打包)(?:已|已经|也|均)?(?:(?<pass>成功|通过)|(?<fail>失败))了?`,
    /构建|编译|打包/,
  ),
  make(
    'build',
    String.raw`(?:ビルド|コンパイル)(?:は|が|も|に)?(?:(?<pass>成功|通り)|(?<fail>失敗))(?:しました|した|します|ました)?`,
    /ビルド|コンパイル/,
  ),
  make(
    'check',
    String.raw`(?<![\p{L}\d/.-])(?:the )?(?<tool>type ?-?check(?:er|ing|s)?|types?|tsc|typescript|eslint|lint(?:er|ing|s)?|ruff|clippy|mypy|pyright|prettier|format(?:ter|ting)?(?: check)?|biome|flake8|pylint|golangci-lint|go vet|rubocop|stylelint) (?:-\S{1,40} ){0,4}(?:(?:is|are|was|were|has|also|now|still|again|comes back|came back|all|check|checks|run|runs|ran) ){0,3}(?:(?<pass>clean|${passed}|happy|ok|check out|(?:(?:reports?|reported|shows?|finds?|found|gives?|has|have) )?${nothing})|(?<fail>${failed}|complains?|(?:reports?|reported|shows?|finds?|found) (?:\d+|an?|some|several) (?:\p{L}+ )?(?:errors?|issues?|problems?|warnings?)))(?!\p{L})`,
  ),
  make(
    'check',
    String.raw`(?<![\p{L}\d/.-])(?<tool>type ?-?check(?:er|ing|s)?|types|tsc|typescript|eslint|lint(?:er|ing)?|ruff|clippy|mypy|pyright|prettier|format(?:ting)?|biome)${colon}(?:(?<pass>${passed}|clean|ok|${nothing}|${tick})|(?<fail>${failed}|${cross}))${clauseEnd}`,
  ),
  make(
    'check',
    String.raw`(?<!\p{L})(?<tool>Lint(?:er|ing)?|ESLint|Typprüfung|Type-?check|TypeScript|tsc|Prettier|Clippy|Ruff|mypy) (?:(?<pass>(?:läuft|lief|ist|war) (?:(?:jetzt|wieder|nun) ){0,2}(?:fehlerfrei|sauber|grün|erfolgreich|ohne Fehler)(?: durch)?|(?:läuft|lief) (?:wieder )?durch|meldet keine (?:Fehler|Probleme|Warnungen))|(?<fail>schlägt fehl|meldet (?:\d{1,6}|einen?) Fehler))(?!\p{L})`,
    german,
  ),
  make(
    'check',
    String.raw`(?<!\p{L})(?<tool>lint(?:er|ing)?|type ?-?check(?:er|ing)?|eslint|tsc|clippy|ruff|mypy),? and (?:it|they|everything) (?:(?:is|are|was|now|all|still) ){0,3}(?:(?<pass>pass(?:es|ed)?|succeed(?:s|ed)?|clean|green)|(?<fail>fail(?:s|ed)?))(?!\p{L})${noObject}`,
  ),
  make(
    'check',
    String.raw`(?<!\p{L})there (?:are|is) (?:still |now )?(?:an? |one |two |three |some |several |a few |\d{1,5} )?(?<tool>lint|linter|type|typescript|eslint|formatting) (?<fail>errors?|problems?|issues?)\b`,
  ),
  make('check', String.raw`(?<!\p{L})(?<tool>types) (?<pass>check)(?:s|ed|(?= ?[.,;:!]|$| and\b))`),
  make(
    'check',
    String.raw`(?<!\p{L})(?<pass>(?:no|zero|0) (?<tool>lint|linter|type|typescript|eslint|formatting) (?:errors?|issues?|warnings?|problems?))\b`,
  ),
];
