import { wordsOfQuery } from '../search/tokens.ts';

/** Characters of a message that are searched for words. */
const maxCharacters = 4000;
const maxWords = 60;

/** Stop words, English and German. */
const stopWords = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing done down during each else few for from further get give go had has have having he her
  here him his how i if in into is it its itself just let like make may me more most must my need no nor not now of
  off on once only or other our out over own please same see she should so some still such than that the their them
  then there these they this those through to too under until up us use very want was we were what when where which
  while who why will with without would yes you your
  aber alle als am an auch auf aus bei bin bis bist bitte da damit dann das dass dein dem den der des die dies diese
  doch du durch ein eine einem einen einer es für habe haben hat ich ihr im in ist ja jetzt kann kein keine mach mal
  man mein mit nach nicht noch nun nur ob oder ohne schon sein sich sie sind so soll über um und uns unser von vor war
  was wenn wer wie wieder wir wird wo zu zum zur`.split(/\s+/),
);

/** Topic words of a text, in lower case and text order, each once. */
export function keyWords(text: string): string[] {
  const words = wordsOfQuery(text.slice(0, maxCharacters)).filter((word) => word.length > 1 && !stopWords.has(word));
  return words.slice(0, maxWords);
}

/** How many of so many words must match for the same topic. */
export function minimumMatches(words: number): number {
  return words < 2 ? words : Math.min(5, Math.max(2, Math.ceil(words / 8)));
}
