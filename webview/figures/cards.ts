/** The chunk of the cost card and the resume card: nothing on the first screen waits for it. */
export { costCard } from './costCard.ts';
export { placeUnder } from './placeUnder.ts';
export { resumeCard } from './resumeCard.ts';
