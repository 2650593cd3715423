import { assignmentRules } from './assignments.ts';
import { passwordRules } from './passwords.ts';
import type { SecretRule } from './rule.ts';
import { tokenRules } from './tokens.ts';

/** More specific rules come first: if two match the same range, the first one names it. */
export const secretRules: readonly SecretRule[] = [...tokenRules, ...passwordRules, ...assignmentRules];
