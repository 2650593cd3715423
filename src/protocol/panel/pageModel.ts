/** Types for the page, which imports only types from the model. */
export { isReadOnly } from '../../model/session/importedSession.ts';
export { sharedAuthor } from '../../model/session/sharedAuthor.ts';
export { isSessionLive } from '../../model/session/status.ts';
export { findDisguise } from '../../model/text/disguise.ts';
export { codeOf, findDisguises } from '../../model/requestCode.ts';
export {
  characterName,
  pieces,
  quoteSafely as quoted,
  visibleText,
  type TextKind,
} from '../../model/text/visibleText.ts';
export { tokenKinds } from '../../model/usage/tokenKinds.ts';
