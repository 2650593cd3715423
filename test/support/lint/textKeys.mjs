// @ts-check
import ts from 'typescript';

/** @typedef {import('eslint').Rule.RuleListener} Listener */
/** @typedef {Parameters<NonNullable<Listener['AssignmentExpression']>>[0]['left']} Assigned */
/** @typedef {Assigned | Parameters<NonNullable<Listener['UpdateExpression']>>[0]['argument']} Target */

/**
 * No assignment to a property of a plain object whose name is a text: it may be an agent's, and `__proto__` then sets the
 * prototype. A `Map`, `Object.fromEntries` or a computed property in a literal takes any text.
 * @type {import('eslint').Rule.RuleModule}
 */
export const textKeys = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { textKey: 'The name may be "__proto__". Use a Map, or Object.fromEntries.' },
  },
  create(context) {
    const { getTypeAtLocation: typeOf } = context.sourceCode.parserServices;
    // The files of this project that are no TypeScript have no types.
    if (typeof typeOf !== 'function') return {};
    const isText = (/** @type {ts.Type} */ type) => (type.flags & ts.TypeFlags.String) !== 0;
    const check = (/** @type {Target} */ target) => {
      if (target.type !== 'MemberExpression' || !target.computed || target.property.type === 'Literal') return;
      /** @type {ts.Type} */
      const type = typeOf(target.property);
      if (type.isUnion() ? type.types.some(isText) : isText(type)) {
        context.report({ node: target, messageId: 'textKey' });
      }
    };
    return {
      AssignmentExpression: ({ left }) => check(left),
      UpdateExpression: ({ argument }) => check(argument),
    };
  },
};
