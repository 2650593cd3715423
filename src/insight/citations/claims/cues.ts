/** Words that decide how a sentence means what it names, in the languages that models mostly answer in. */

const proposal = new RegExp(
  [
    String.raw`\b(?:if you|if we|could|would|should|might|suggest|consider|recommend|propose|you can|you may|feel free|optionally|e\.g\.|i\.e\.|for example|for instance|such as|instead of|let me know|i can|i'll|i will|want me|would you|next steps?|to try|plan to|needs? to be)\b`,
    String.raw`\b(?:did not|didn['’]t|do not|don['’]t|does not|doesn['’]t|have not|haven['’]t|has not|hasn['’]t|was not|wasn['’]t|cannot|can['’]t|never|not (?:touch|look|read|open|run|chang|creat))\w*\b`,
    String.raw`\b(?:wenn|falls|könnte|könntest|könnten|sollte|solltest|würde|zum Beispiel|z\. ?B\.|vorschlag|vorschlagen|nicht)\b`,
    String.raw`\b(?:pourrai[st]|pourriez|devrait|par exemple|si vous|je propose|pas)\b`,
    String.raw`\b(?:podrías?|debería|por ejemplo|si quieres|sugiero)\b`,
    '如果|建议|可以|例如|比如|没有|未|もし|例えば|提案|できます|ません|예를 들어|если|например',
  ].join('|'),
  'iu',
);

/** "Create `x`" is a suggestion; "Created `x`" is a report. */
const imperative =
  /^[\s>#*+\d.)-]{0,12}(?:(?:then|please|also|now|or|and),? )?(?:create|add|try|open|visit|run|install|use|see how)\b/i;

const conditional = new RegExp(
  [
    String.raw`\b(?:if|once|when|whenever|until|unless|whether|make sure|ensure|verify that|check that|check whether|see that|so that|should|would|could|must|will|let|want|need|cannot|can['’]t|never|not|no longer sure|hope|expect|assum\w+|confirm that|to make|until)\b|n['’]t\b`,
    String.raw`\b(?:wenn|falls|sobald|damit|nicht|bitte|sicherstellen|stelle sicher|sollten?|müssen|ob)\b`,
    String.raw`\b(?:si|quand|lorsque|assurez|assure-toi|vérifiez|doivent|devraient)\b`,
    String.raw`\b(?:cuando|asegúrate|deben|deberían|se|quando|certifique)\b`,
    '如果|确保|請|请|应该|是否|未|没有|一旦|もし|なら|場合|確認して|はず|ません|если|когда|чтобы|не |만약|않',
  ].join('|'),
  'iu',
);

/** Whether these words turn the rest of the clause into a condition, a wish or a negation. */
export function isConditional(before: string): boolean {
  return conditional.test(before);
}

const runReport = new RegExp(
  [
    String.raw`\b(?:ran|re-?ran|executed|verified|tested|checked|confirmed|validated|after running|by running|tried|built|used)\b`,
    String.raw`\b(?:ausgeführt|gelaufen|geprüft|getestet|lief)\b`,
    String.raw`(?:lancé|exécuté|vérifié|testé|ejecuté|ejecutado|probé|executei|rodei)`,
    '运行了|执行了|跑了|実行しました|実行した|запустил|выполнил|실행했',
  ].join('|'),
  'iu',
);

const changed = new RegExp(
  [
    String.raw`\b(?:fix(?:ed|es)?|chang(?:ed|es)|updat(?:ed|es)|edit(?:ed|s)|add(?:ed|s)|creat(?:ed|es)|wrote|written|writes|modif(?:ied|ies)|renam(?:ed|es)|delet(?:ed|es)|remov(?:ed|es)|refactor(?:ed|s)|replac(?:ed|es)|mov(?:ed|es)|patched|made|extract(?:ed|s)|introduc(?:ed|es)|implement(?:ed|s)|rewr(?:ote|itten)|new|now|insert(?:ed|s)|adjust(?:ed|s)|awaited|passed)\b`,
    String.raw`(?:geändert|angepasst|hinzugefügt|erstellt|angelegt|gelöscht|entfernt|ersetzt|umbenannt|behoben|\bneu\b)`,
    String.raw`(?:modifié|créé|ajouté|supprimé|corrigé|renommé|remplacé|cambié|modifiqué|creé|añadí|eliminé|corregí|alterei|criei)`,
    '修改|更改|添加|新增|创建|删除|修复|重命名|変更|追加|作成|削除|修正|изменил|добавил|создал|удалил|수정|추가|삭제',
  ].join('|'),
  'giu',
);

const read = new RegExp(
  [
    String.raw`\b(?:read|looked at|looking at|inspect(?:ed)?|review(?:ed)?|opened|examined|printed|checked|unchanged|untouched|stays?|defined|exported|lives?|asks?|asked|says?|promises|exists?|tries|uses?|calls?)\b`,
    String.raw`(?:gelesen|angesehen|angeschaut|unverändert|steht|lu |consulté|leído|revisado|li )`,
    '读|查看|阅读|読み|確認|прочитал|읽',
  ].join('|'),
  'giu',
);

const ownChange = new RegExp(
  [
    String.raw`\b(?:I|we)(?:['’]ve| have)? (?:also |then |now |just |already )?(?:fixed|changed|updated|edited|modified|refactored|rewrote|deleted|removed|renamed|patched|created|added)\s(?:[^.;,:]{0,60}\s)?(?:in\s|of\s|to\s|from\s)?$`,
    String.raw`^[\s>#*+\d.)-]{0,12}(?:Fixed|Changed|Updated|Edited|Modified|Refactored|Rewrote|Deleted|Removed|Renamed|Patched|Created)\s(?:[^.;,:]{0,40}\s)?(?:in\s|of\s)?$`,
  ].join('|'),
  'u',
);
const ownChangeAfter =
  /^[\s\x60*"')»”]{0,4}(?:(?:was|is now|has been) (?:fixed|changed|updated|edited|modified|refactored|rewritten|deleted|removed|renamed|patched)|(?:[^.;,]{0,40}\s)?(?:geändert|angepasst|behoben|korrigiert|bearbeitet|gelöscht|aktualisiert)(?!\p{L}))/u;

const absent = new RegExp(
  [
    String.raw`\b(?:no such|there (?:is|was) no|(?:does|did|do) not exist|doesn['’]t exist|didn['’]t exist|missing|not found|could not (?:be )?(?:find|found|read|open|fetch|load|reach)\w*|couldn['’]t (?:find|read|open|fetch|load|reach)|cannot be (?:found|read|opened|reached)|unreachable|fails?|failed|blocked|denied|timed out|40[34]|50\d|error)\b`,
    String.raw`(?:gibt es nicht|existiert nicht|nicht gefunden|nicht vorhanden|fehlt|nicht erreichbar|fehlgeschlagen|n['’]existe pas|introuvable|no existe|不存在|找不到|存在しません|не существует|존재하지)`,
  ].join('|'),
  'iu',
);

/** The cue words of one sentence, found once for all of its claims. */
export class SentenceCues {
  /** A suggestion, condition or negation rather than a report. */
  readonly isProposal: boolean;
  /** Something is missing or could not be fetched. */
  readonly absent: boolean;
  readonly #runReportAt: number;
  readonly #changes: readonly number[];
  readonly #readPlaces: readonly number[];

  constructor(sentence: string) {
    this.isProposal = proposal.test(sentence) || imperative.test(sentence);
    this.absent = absent.test(sentence);
    this.#runReportAt = sentence.search(runReport);
    this.#changes = placesOf(changed, sentence);
    this.#readPlaces = placesOf(read, sentence);
  }

  /** Whether the words before this position, or those right `after` it, report that something was run. */
  reportsRun(before: number, after: string): boolean {
    return (this.#runReportAt !== -1 && this.#runReportAt < before) || ranAfter.test(after);
  }

  /** What the sentence says was done with a file: in the words right `after` it, else in the nearest words before it. */
  findFileUse(before: number, after: string): 'read' | 'changed' | undefined {
    const next = nextWord.exec(after)?.[1] ?? '';
    if (next !== '' && placesOf(changed, next)[0] === 0) return 'changed';
    const change = this.#changes.findLast((at) => at < before) ?? -1;
    const look = this.#readPlaces.findLast((at) => at < before) ?? -1;
    if (change === -1 && look === -1) return undefined;
    return change > look ? 'changed' : 'read';
  }
}

/** Whether the agent explicitly says that it changed what is between these words of a sentence. */
export function claimsOwnChange(before: string, after: string): boolean {
  return (
    ownChange.test(before.slice(-160)) ||
    (/\b(?:ich|wir) (?:habe|haben)\b/i.test(before) || /^[\s\x60*]{0,4}(?:was|is now|has been|wurde)\s/.test(after)
      ? ownChangeAfter.test(after)
      : false)
  );
}

const ranAfter =
  /^[\s`*"')»”\]:–—-]{0,6}(?:(?:was|were|has been|wurde|wurden|ist)\s)?(?:(?:also|then|successfully|erfolgreich)\s){0,2}(?:(?:ran|executed|re-?run|run|succeeded|completed|exited|ausgeführt|gelaufen|durchgelaufen)(?!\p{L})|[✅✔☑✓])/iu;

const nextWord = /^[\s`*"')»”\]:–—-]{0,6}(?:(?:is|was|were|has been|ist|wurde|est|a été)\s)?(\p{L}{1,30})/u;

function placesOf(words: RegExp, text: string): number[] {
  return Array.from(text.matchAll(words), ({ index }) => index);
}
