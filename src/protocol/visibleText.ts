/** For the page, which takes types alone from the model. */
export { findDisguise, type Disguise } from '../model/disguise.ts';
export { characterName, pieces, quoted, visibleText, type TextKind } from '../model/visibleText.ts';
