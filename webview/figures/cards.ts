/** The chunk of the cost card and the resume card, which nothing on the first screen needs. */
export { costCard } from './costCard.ts';
export { placeUnder } from './placeUnder.ts';
export { resumeCard } from './resumeCard.ts';
