import { assignedRules } from './assigned.ts';
import { passwordRules } from './passwords.ts';
import type { SecretRule } from './rule.ts';
import { tokenRules } from './tokens.ts';

/** More exact rules come first: of two that find the same stretch the first names it. */
export const secretRules: readonly SecretRule[] = [...tokenRules, ...passwordRules, ...assignedRules];
