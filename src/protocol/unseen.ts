/** For the page, which takes types alone from the model. */
export { unseen, unseenName } from '../model/unseen.ts';
